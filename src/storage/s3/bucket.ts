// Objects in a bucket of an S3-compatible store. Every request carries the SHA-256 of its body, which the store compares. A store that is busy, fails or does not
// answer is asked again, a few times and later each time, but not once as much time has passed as one request may take: who stores a file waits for it. Where the store finds our clock wrong, its own time is used from then on.

import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '../../lib/monotonic.ts';
import { StorageError, type StorageErrorCode } from '../storage.ts';
import { type S3Keys, signedHeaders } from './sign-request.ts';

export interface BucketSettings {
  /** Without a path. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Begins every key; empty or ending with `/`. */
  prefix: string;
  /** The bucket is part of the path, not of the host. */
  isPathStyle: boolean;
  /** Undefined: none are set. */
  keys: S3Keys | undefined;
}

export interface Bucket {
  /** Where it is, for messages. */
  readonly address: string;
  /** Resolves when the store has confirmed it; the same key again replaces the object. */
  put(key: string, content: Uint8Array, sha256: string): Promise<void>;
  /** Undefined when there is none. Rejects when the bytes are not those that `sha256` names. */
  get(key: string, sha256: string): Promise<Buffer | undefined>;
  /** Also when there is none. */
  remove(key: string): Promise<void>;
}

export interface BucketOptions {
  now(): number;
  fetch?: typeof globalThis.fetch;
  /** Before the first repetition; twice as long before each later one. */
  firstWaitMs?: number;
  /** For one request. */
  timeoutMs?: number;
}

const ATTEMPTS = 5;
const FIRST_WAIT_MS = 200;
const TIMEOUT_MS = 60_000;
const NO_BODY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const LONGEST_ERROR = 10_000;

export function createBucket(settings: BucketSettings, options: BucketOptions): Bucket {
  const { endpoint, region, bucket, prefix, isPathStyle, keys } = settings;
  const { now, fetch = globalThis.fetch, firstWaitMs = FIRST_WAIT_MS, timeoutMs = TIMEOUT_MS } = options;
  const address = `the bucket "${bucket}" at ${endpoint}`;
  /** How far the store's clock is ahead of ours. */
  let aheadMs = 0;

  function urlOf(key: string): URL {
    const url = new URL(endpoint);
    const path = `${prefix}${key}`.split('/').map(encodeURIComponent).join('/');
    if (isPathStyle) url.pathname = `/${encodeURIComponent(bucket)}/${path}`;
    else {
      url.host = `${bucket}.${url.host}`;
      url.pathname = `/${path}`;
    }
    return url;
  }

  /** One try; `read` takes the body of an answer that is not an error. */
  async function attempt<T>(request: BucketRequest, read: (response: Response) => Promise<T>): Promise<Attempted<T>> {
    if (!keys) throw noKeys(address);
    const { method, key, content, sha256 = NO_BODY } = request;
    const url = urlOf(key);
    const headers = signedHeaders({ method, url, sha256 }, { keys, region, now: now() + aheadMs });
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const body = content && new Uint8Array(content);
      const response = await fetch(url, { method, headers, redirect: 'manual', signal, ...(body && { body }) });
      if (response.ok) return { done: await read(response) };
      if (response.status === 404 && method !== 'PUT') {
        const code = codeIn(await response.text());
        if (code !== 'NoSuchBucket') return { done: undefined };
        return { failed: refusal(404, code) };
      }
      return { failed: await failureOf(response) };
    } catch (error) {
      if (error instanceof StorageError) throw error;
      // A store that hangs was waited for long enough.
      const mayPass = (error as Error).name !== 'TimeoutError';
      return { failed: { code: 'STORAGE_UNREACHABLE', message: reasonOf(error), mayPass, cause: error } };
    }
  }

  async function failureOf(response: Response): Promise<Failure> {
    const text = (await response.text()).slice(0, LONGEST_ERROR);
    const code = codeIn(text);
    const theirs = Date.parse(response.headers.get('date') ?? '');
    if (code === 'RequestTimeTooSkewed' && Number.isFinite(theirs)) {
      aheadMs = theirs - now();
      return { code: 'STORAGE_FAILED', message: 'the clocks of this machine and of the store differ', mayPass: true };
    }
    return refusal(response.status, code);
  }

  async function ask<T>(request: BucketRequest, read: (response: Response) => Promise<T>): Promise<T | undefined> {
    const startedAt = monotonicMs();
    for (let tries = 1; ; tries += 1) {
      const result = await attempt(request, read);
      if ('done' in result) return result.done;
      const { code, message, mayPass, cause } = result.failed;
      const isLast = tries === ATTEMPTS || monotonicMs() - startedAt >= timeoutMs;
      if (!mayPass || isLast) throw new StorageError(code, `${address} cannot be used: ${message}`, cause);
      await wait(firstWaitMs * 2 ** (tries - 1) * (0.5 + Math.random()));
    }
  }

  return {
    address,
    async put(key, content, sha256) {
      await ask({ method: 'PUT', key, content, sha256 }, (response) => response.arrayBuffer());
    },
    get: (key, sha256) =>
      ask({ method: 'GET', key }, async (response) => {
        const { hash } = await import('node:crypto');
        const content = Buffer.from(await response.arrayBuffer());
        // Repeated like a lost connection: an answer that was cut short on its way is whole the next time.
        if (hash('sha256', content) !== sha256) throw new Error(`the object ${key} is not as it was stored`);
        return content;
      }),
    async remove(key) {
      await ask({ method: 'DELETE', key }, (response) => response.arrayBuffer());
    },
  };
}

/** Stores, reads and removes a small object. Rejects with the reason why that does not work. */
export async function tryBucket(bucket: Bucket, name: string): Promise<void> {
  const { hash } = await import('node:crypto');
  const content = Buffer.from(`written by "lainclaw doctor" as ${name}\n`);
  const sha256 = hash('sha256', content);
  await bucket.put(name, content, sha256);
  const read = await bucket.get(name, sha256);
  await bucket.remove(name);
  if (!read) throw new StorageError('STORAGE_FAILED', `${bucket.address} does not return what it has confirmed`);
}

interface BucketRequest {
  method: 'GET' | 'PUT' | 'DELETE';
  key: string;
  content?: Uint8Array;
  sha256?: string;
}

interface Failure {
  code: StorageErrorCode;
  message: string;
  /** Worth another try. */
  mayPass: boolean;
  cause?: unknown;
}

type Attempted<T> = { done: T | undefined } | { failed: Failure };

const KEY_VARIABLES = 'LAINCLAW_S3_ACCESS_KEY_ID and LAINCLAW_S3_SECRET_ACCESS_KEY';

const REFUSALS: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: `it does not know the access key: correct ${KEY_VARIABLES}`,
  SignatureDoesNotMatch: `the secret key is wrong: correct LAINCLAW_S3_SECRET_ACCESS_KEY`,
  ExpiredToken: 'the temporary keys have ended: set new ones',
  AccessDenied: 'these keys may not do this: they need s3:GetObject, s3:PutObject and s3:DeleteObject below the prefix',
  NoSuchBucket: 'it has no bucket of this name: make it, or correct s3Bucket',
  AuthorizationHeaderMalformed: 'the region is wrong: correct s3Region',
};

function refusal(status: number, code: string): Failure {
  const mayPass = status >= 500 || status === 429 || code === 'RequestTimeout' || code === 'XAmzContentSHA256Mismatch';
  if (mayPass)
    return {
      code: 'STORAGE_UNREACHABLE',
      mayPass,
      message: `it answers ${[status, code].join(' ').trim()}; try again later`,
    };
  const isRedirect = status >= 300 && status < 400;
  const told = isRedirect ? 'it is elsewhere: correct s3Endpoint or s3Region' : REFUSALS[code];
  const errorCode = status === 401 || status === 403 ? 'STORAGE_NO_PERMISSION' : 'STORAGE_FAILED';
  return { code: errorCode, mayPass, message: told ?? `it answers ${[status, code].join(' ').trim()}` };
}

function codeIn(xml: string): string {
  return /<Code>([A-Za-z0-9]{1,100})<\/Code>/.exec(xml)?.[1] ?? '';
}

function reasonOf(error: unknown): string {
  const { message, cause, name } = error as Error;
  if (name === 'TimeoutError') return 'it does not answer';
  return cause instanceof Error ? cause.message : message;
}

function noKeys(address: string): StorageError {
  return new StorageError('STORAGE_NO_PERMISSION', `${address} cannot be used without keys: set ${KEY_VARIABLES}`);
}
