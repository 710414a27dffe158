// Fetches over the network: https only, or http to this machine itself. Redirects are followed by hand, so that none leads to
// a less secure address. The body is streamed; the reader limits its size. A connection that breaks is continued where it
// broke when the server names the version of the file (ETag) and can send the rest of it.
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryError } from '../memory-error.ts';

const MOST_REDIRECTS = 5;
/** Failures in a row, without a byte between them. */
const MOST_FAILURES = 4;
const WAIT_AFTER_FAILURE_MS = 300;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export type Fetch = typeof fetch;

/** How much of a file has arrived; `total` is 0 when the server does not say. */
export type OnBytes = (progress: { done: number; total: number }) => void;

export interface DownloadOptions {
  fetch: Fetch;
  signal?: AbortSignal;
  onBytes?: OnBytes;
}

export interface Download {
  body: AsyncIterable<Uint8Array>;
  /** The SHA-256 that the server names for the file; Hugging Face does for large files. */
  sha256?: string;
}

export function parseAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !isAllowed(url))
    throw new MemoryError(
      'MEMORY_MODEL',
      `${shown(text)} is not the address of a model: give an https:// address (http:// only to this machine)`,
    );
  if (url.username !== '' || url.password !== '')
    throw new MemoryError('MEMORY_MODEL', `${shown(text)} contains a password: give the address without it`);
  return url;
}

/** Undefined when the address does not exist. */
export async function download(address: URL, options: DownloadOptions): Promise<Download | undefined> {
  const answer = await request(address, options, {});
  return answer && { body: resuming(address, answer, options), sha256: answer.sha256 };
}

interface Answer {
  body: AsyncIterable<Uint8Array>;
  status: number;
  /** The size of the whole file; undefined when the server does not say. */
  total?: number;
  /** Names this version of the file; without it the rest cannot be asked for. */
  version?: string;
  sha256?: string;
}

async function request(
  address: URL,
  { fetch: send, signal }: DownloadOptions,
  headers: Record<string, string>,
): Promise<Answer | undefined> {
  let url = address;
  let sha256: string | undefined;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const asked = { signal, redirect: 'manual', headers: { 'accept-encoding': 'identity', ...headers } } as const;
    const response = await send(url, asked).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw new MemoryError(
        'MEMORY_MODEL',
        `${shown(url)} cannot be reached: is there a network? A folder that another machine fetched can be added as well`,
        error,
      );
    });
    sha256 ??= /^"?([0-9a-f]{64})"?$/.exec(response.headers.get('x-linked-etag') ?? '')?.[1];
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      url = new URL(location, url);
      if (!isAllowed(url))
        throw new MemoryError('MEMORY_MODEL', `${shown(address)} leads to ${shown(url)}: not followed`);
      continue;
    }
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      throw new MemoryError('MEMORY_MODEL', `${shown(url)} answered ${response.status}: check the address`);
    }
    return { body: response.body, status: response.status, ...sizeAndVersion(response.headers), sha256 };
  }
  throw new MemoryError('MEMORY_MODEL', `${shown(address)} redirects too often: give the address it ends at`);
}

function sizeAndVersion(headers: Headers): Pick<Answer, 'total' | 'version'> {
  // A compressed body has another length than the file, and cannot be continued.
  if (headers.has('content-encoding')) return {};
  const length = Number(headers.get('content-length') ?? Number.NaN);
  const etag = headers.get('etag');
  return {
    total: Number.isSafeInteger(length) ? length : undefined,
    version: etag?.startsWith('"') ? etag : undefined,
  };
}

async function* resuming(address: URL, first: Answer, options: DownloadOptions): AsyncGenerator<Uint8Array> {
  const { signal, onBytes } = options;
  const { total, version } = first;
  let { body } = first;
  let done = 0;
  for (let failures = 0; ; ) {
    try {
      for await (const chunk of body) {
        done += chunk.length;
        failures = 0;
        onBytes?.({ done, total: total ?? 0 });
        yield chunk;
      }
      if (total === undefined || done >= total) return;
      throw new Error(`only ${done} of ${total} bytes arrived`);
    } catch (error) {
      signal?.throwIfAborted();
      failures += 1;
      const rest = await restOf(address, { done, version, failures }, options);
      if (!rest)
        throw new MemoryError('MEMORY_MODEL', `the connection to ${shown(address)} broke off: try again`, error);
      body = rest;
    }
  }
}

/** The bytes from `done` on, of the same version of the file; undefined when they cannot be had. */
async function restOf(
  address: URL,
  { done, version, failures }: { done: number; version?: string; failures: number },
  options: DownloadOptions,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  if (version === undefined) return undefined;
  for (let tries = failures; tries <= MOST_FAILURES; tries += 1) {
    await sleep(WAIT_AFTER_FAILURE_MS * tries, undefined, { signal: options.signal });
    const wanted = { range: `bytes=${done}-`, 'if-range': version };
    const answer = await request(address, options, wanted).catch(() => undefined);
    options.signal?.throwIfAborted();
    if (!answer) continue;
    // Anything but 206 is the whole file again: another version, or a server that cannot continue.
    return answer.status === 206 ? answer.body : undefined;
  }
  return undefined;
}

/** The address without parts that may be secret. */
export function shown(address: URL | string): string {
  return String(address)
    .replace(/[?#].*$/s, '')
    .replace(/\/\/[^/@]*@/, '//');
}

function isAllowed({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}
