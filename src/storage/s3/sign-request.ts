// AWS Signature Version 4 for S3, in the Authorization header. The request is written in a canonical form, its SHA-256 is signed with a key that is derived from
// the secret, the day and the region. For S3 each part of the path is escaped once.
import { createHmac, hash } from 'node:crypto';

export interface S3Keys {
  accessKeyId: string;
  secretAccessKey: string;
  /** Of temporary keys. */
  sessionToken?: string;
}

export interface UnsignedRequest {
  method: string;
  url: URL;
  /** Besides those that every request has. */
  headers?: Readonly<Record<string, string>>;
  /** Of the body, in hexadecimal. */
  sha256: string;
}

export interface SigningContext {
  keys: S3Keys;
  region: string;
  /** Milliseconds since 1970. */
  now: number;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** All headers of the request but `host`, which the client sets from the address. */
export function signedHeaders(request: UnsignedRequest, { keys, region, now }: SigningContext): Record<string, string> {
  const time = new Date(now).toISOString().replace(/\.\d+|[:-]/g, '');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const headers: Record<string, string> = {
    ...request.headers,
    'x-amz-content-sha256': request.sha256,
    'x-amz-date': time,
    ...(keys.sessionToken !== undefined && { 'x-amz-security-token': keys.sessionToken }),
  };
  const signed = Object.entries({ ...headers, host: request.url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    request.method,
    canonicalPath(request.url),
    canonicalQuery(request.url),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    request.sha256,
  ].join('\n');
  const toSign = [ALGORITHM, time, scope, hash('sha256', canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${keys.secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  const authorization = `${ALGORITHM} Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...headers, authorization };
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function canonicalPath({ pathname }: URL): string {
  return pathname
    .split('/')
    .map((part) => escaped(decodeURIComponent(part)))
    .join('/');
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .toSorted()
    .join('&');
}

/** Everything but letters, digits and `-._~`. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
