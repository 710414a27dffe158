// A bucket of an S3-compatible store on loopback. It recomputes the signature of every request from what arrived on the wire, by the text of the specification and
// with none of the program's code, and compares the body with the hash that was signed. Objects exist only after a request that passed.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface S3Server {
  /** Without a path. */
  endpoint: string;
  bucket: string;
  region: string;
  keys: { accessKeyId: string; secretAccessKey: string };
  /** By key, without the bucket. */
  objects: Map<string, Buffer>;
  /** Of every request, in order: `PUT 200 lainclaw/…`. */
  log: string[];
  /** The next requests get these answers. `cut`: the connection ends in the middle of the body. `changed`: another body of the same length. `short`: half of it. `lost`: done, and not answered. `held`: not done before `release`. */
  next: ({ status: number; code: string } | 'cut' | 'changed' | 'short' | 'lost' | 'held')[];
  /** The requests that are held continue. */
  release(): void;
  /** How far its clock is ahead. */
  aheadMs: number;
  close(): Promise<void>;
}

const LARGEST_SKEW_MS = 15 * 60_000;

export async function startS3Server(): Promise<S3Server> {
  const state = {
    bucket: 'files',
    region: 'eu-test-1',
    keys: { accessKeyId: 'TESTKEYID', secretAccessKey: 'a/secret+of=the test' },
    objects: new Map<string, Buffer>(),
    log: [] as string[],
    next: [] as S3Server['next'],
    aheadMs: 0,
  };

  const released = Promise.withResolvers<void>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const [rawPath = '', rawQuery = ''] = (request.url ?? '').split('?');
    const [, bucket = '', ...rest] = rawPath.split('/').map(decodeURIComponent);
    const key = rest.join('/');
    const now = Date.now() + state.aheadMs;
    const reply = (status: number, content: string | Buffer = ''): void => {
      state.log.push(`${request.method} ${status} ${key}`);
      response.writeHead(status, { date: new Date(now).toUTCString(), 'content-length': Buffer.byteLength(content) });
      response.end(content);
    };
    const refuse = (status: number, code: string): void =>
      reply(status, `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
    const planned = state.next.shift();
    if (planned === 'held') {
      state.log.push(`${request.method} held ${key}`);
      await released.promise;
    }
    if (typeof planned === 'object') return refuse(planned.status, planned.code);
    const problem = wrongSignature({ request, rawPath, rawQuery, body, now, ...state });
    if (problem !== undefined) return refuse(403, problem);
    if (bucket !== state.bucket) return refuse(404, 'NoSuchBucket');
    if (request.headers['x-amz-content-sha256'] !== sha256(body)) return refuse(400, 'XAmzContentSHA256Mismatch');
    if (request.method === 'PUT') {
      state.objects.set(key, body);
      if (planned === 'lost') return void response.destroy();
      return reply(200);
    }
    if (request.method === 'DELETE') {
      state.objects.delete(key);
      return reply(204);
    }
    const object = state.objects.get(key);
    if (request.method !== 'GET' || !object) return refuse(404, 'NoSuchKey');
    if (planned === 'changed') return reply(200, Buffer.alloc(object.length, '?'));
    if (planned === 'short') return reply(200, object.subarray(0, object.length / 2));
    if (planned !== 'cut') return reply(200, object);
    state.log.push(`GET cut ${key}`);
    response.writeHead(200, { 'content-length': object.length });
    response.write(object.subarray(0, object.length / 2), () => response.destroy());
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release: () => released.resolve(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

interface Arrived {
  request: IncomingMessage;
  rawPath: string;
  rawQuery: string;
  body: Buffer;
  now: number;
  region: string;
  keys: S3Server['keys'];
}

/** The code of the error; undefined when the request is signed as it must be. */
function wrongSignature({ request, rawPath, rawQuery, now, region, keys }: Arrived): string | undefined {
  const { authorization = '', 'x-amz-date': date, 'x-amz-content-sha256': bodyHash } = request.headers;
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      authorization,
    );
  if (!parts || typeof date !== 'string' || typeof bodyHash !== 'string') return 'AccessDenied';
  const [, id, day, signedRegion, names = '', signature = ''] = parts;
  if (id !== keys.accessKeyId) return 'InvalidAccessKeyId';
  if (signedRegion !== region) return 'AuthorizationHeaderMalformed';
  const [, year, month, date2, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const at = Date.UTC(Number(year), Number(month) - 1, Number(date2), Number(hour), Number(minute), Number(second));
  if (!(Math.abs(at - now) <= LARGEST_SKEW_MS)) return 'RequestTimeTooSkewed';
  const signed = names.split(';');
  if (!date.startsWith(String(day)) || signed.join() !== [...signed].sort().join()) return 'SignatureDoesNotMatch';
  // These must be signed, and with them every other header of Amazon's.
  const needed = ['host', ...Object.keys(request.headers).filter((name) => name.startsWith('x-amz-'))];
  if (!needed.every((name) => signed.includes(name))) return 'AccessDenied';
  const query = rawQuery
    .split('&')
    .filter(Boolean)
    .map((pair) => (pair.includes('=') ? pair : `${pair}=`))
    .sort()
    .join('&');
  const headers = signed.map((name) => `${name}:${String(request.headers[name]).trim()}\n`).join('');
  const canonical = `${request.method}\n${uriPath(rawPath)}\n${query}\n${headers}\n${names}\n${bodyHash}`;
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(Buffer.from(canonical))}`;
  const mac = (key: Buffer | string, value: string): Buffer => createHmac('sha256', key).update(value).digest();
  const dayKey = mac(`AWS4${keys.secretAccessKey}`, String(day));
  const signingKey = mac(mac(mac(dayKey, region), 's3'), 'aws4_request');
  const wanted = mac(signingKey, text);
  return timingSafeEqual(wanted, Buffer.from(signature, 'hex')) ? undefined : 'SignatureDoesNotMatch';
}

/** UriEncode of the specification: bytes outside A-Z a-z 0-9 - . _ ~ / as %XY. */
function uriPath(raw: string): string {
  const bytes = Buffer.from(decodeURIComponent(raw));
  return [...bytes]
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~/]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
