// A page as its bytes: redirects on the same host are followed, each one checked; one that leads to another host is reported instead,
// since a permission names a host. Size and time are bounded, also of what is unpacked.
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { ToolFailure } from '../tool.ts';
import { checkUrl, guardedRequest, type RequestGuard } from './guarded-request.ts';
import { refreshTarget } from './meta-refresh.ts';

const MOST_REDIRECTS = 10;
const ACCEPT = 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5';

export interface Downloaded {
  url: string;
  status: number;
  /** Without parameters, lower case. */
  mediaType: string;
  /** Of the header, where it names one. */
  charset: string | undefined;
  bytes: Buffer;
  /** For the next time. */
  validators: Validators;
}

export interface Validators {
  etag?: string;
  lastModified?: string;
}

export type DownloadResult =
  | { kind: 'page'; page: Downloaded }
  /** It has not changed since it was downloaded with these validators. */
  | { kind: 'unchanged' }
  | { kind: 'elsewhere'; url: string };

export interface DownloadOptions {
  guard: RequestGuard;
  signal: AbortSignal;
  maxBytes: number;
  known?: Validators;
  /** Stays at a page that sends its readers on in its own words: its source was asked for. */
  keepsRefresh?: boolean;
}

export async function download(address: string, options: DownloadOptions): Promise<DownloadResult> {
  let url = checkUrl(address);
  for (let redirects = 0; ; redirects += 1) {
    const answer = await ask(url, options);
    const { statusCode: status = 0, headers } = answer;
    if (status === 304) {
      answer.destroy();
      return { kind: 'unchanged' };
    }
    let next = status >= 300 && status < 400 ? inUtf8(headers.location) : undefined;
    if (next === undefined) {
      const page = await readAnswer(url, answer, options);
      if (status === 200 && !options.keepsRefresh) next = refreshTarget(url, page.mediaType, page.bytes);
      if (next === undefined) return { kind: 'page', page };
    }
    answer.destroy();
    if (redirects >= MOST_REDIRECTS) throw new ToolFailure(`${url.host} redirects again and again`);
    const target = checkUrl(URL.parse(next, url.href)?.href ?? next);
    if (!isSameHost(url, target)) return { kind: 'elsewhere', url: target.href };
    url = target;
  }
}

/** Servers write other letters than ASCII as they are; the header is read byte by byte. */
function inUtf8(location: string | undefined): string | undefined {
  return location === undefined ? undefined : Buffer.from(location, 'latin1').toString('utf8');
}

async function ask(url: URL, { guard, signal, known = {} }: DownloadOptions): Promise<IncomingMessage> {
  const headers = {
    'user-agent': 'lainclaw',
    accept: ACCEPT,
    'accept-encoding': 'gzip, deflate, br',
    ...(known.etag !== undefined && { 'if-none-match': known.etag }),
    ...(known.lastModified !== undefined && { 'if-modified-since': known.lastModified }),
  };
  try {
    return await guardedRequest(url, { headers, signal, guard });
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    signal.throwIfAborted();
    throw new ToolFailure(`${url.host} cannot be reached: ${(error as Error).message}`, { cause: error });
  }
}

async function readAnswer(url: URL, answer: IncomingMessage, options: DownloadOptions): Promise<Downloaded> {
  const { statusCode: status = 0, headers } = answer;
  const [type = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  const charset = parameters.map((each) => /^\s*charset\s*=\s*"?([^"\s]+)/i.exec(each)?.[1]).find(Boolean);
  const { etag, 'last-modified': lastModified } = headers;
  const bytes = await readBytes(url, answer, options);
  return {
    url: url.href,
    status,
    mediaType: type.trim().toLowerCase(),
    charset,
    bytes,
    validators: { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) },
  };
}

async function readBytes(url: URL, answer: IncomingMessage, { maxBytes, signal }: DownloadOptions): Promise<Buffer> {
  const body = unpacked(answer);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(url, maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    signal.throwIfAborted();
    throw new ToolFailure(`${url.host} broke off its answer: ${(error as Error).message}`, { cause: error });
  } finally {
    answer.destroy();
  }
  return Buffer.concat(chunks);
}

function unpacked(answer: IncomingMessage): Readable {
  const encoding = answer.headers['content-encoding']?.trim().toLowerCase();
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
    case 'deflate':
      // The reader of the last stream hears of every failure.
      return pipeline(answer, createUnzip(), () => {});
    case 'br':
      return pipeline(answer, createBrotliDecompress(), () => {});
    case undefined:
    case '':
    case 'identity':
      return answer;
    default:
      throw new ToolFailure(`the answer is packed in a way that was not asked for: ${encoding}`);
  }
}

function tooLarge(url: URL, maxBytes: number): ToolFailure {
  return new ToolFailure(`${url.href} is larger than ${maxBytes} bytes: it was not read`, { reason: 'limit' });
}

/** With or without www, encrypted or not: a person who permitted one meant the other. A port of one's own is another server. */
function isSameHost(one: URL, other: URL): boolean {
  const name = ({ hostname }: URL): string => hostname.replace(/^www\./, '');
  const isStandard = ({ port }: URL): boolean => port === '';
  const isDowngrade = one.protocol === 'https:' && other.protocol === 'http:';
  const samePort = one.port === other.port && (isStandard(one) || one.protocol === other.protocol);
  return name(one) === name(other) && samePort && !isDowngrade;
}
