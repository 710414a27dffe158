// Fetches over the network: https only, or http to this machine itself. Redirects are followed by hand, so that none leads to
// a less secure address. The body is streamed; the reader limits its size.
import { MemoryError } from '../memory-error.ts';

const MOST_REDIRECTS = 5;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

export type Fetch = typeof fetch;

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
export async function download(
  address: URL,
  { fetch: request, signal }: { fetch: Fetch; signal?: AbortSignal },
): Promise<AsyncIterable<Uint8Array> | undefined> {
  let url = address;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const response = await request(url, { signal, redirect: 'manual' }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw new MemoryError('MEMORY_MODEL', `${shown(url)} cannot be reached: is there a network?`, error);
    });
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
    return told(response.body, url, signal);
  }
  throw new MemoryError('MEMORY_MODEL', `${shown(address)} redirects too often: give the address it ends at`);
}

async function* told(
  body: AsyncIterable<Uint8Array>,
  url: URL,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    signal?.throwIfAborted();
    throw new MemoryError('MEMORY_MODEL', `the connection to ${shown(url)} broke off: try again`, error);
  }
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
