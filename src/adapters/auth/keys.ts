// API keys as text: whether they can be one, and what may be shown of them.
import { keyInEnvironment, type Provider } from '../providers/provider.ts';
import { AuthError } from './auth-error.ts';

const SHOWN = 4;
/** Of a shorter one, four characters would be too many. */
const SHORTEST_SHOWN = 12;

/** Printable characters without spaces: anything else cannot be sent in a header. */
export function isUsableKey(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

export function mask(key: string): string {
  return key.length < SHORTEST_SHOWN ? '…' : `…${key.slice(-SHOWN)}`;
}

/** The key in the environment, if there is one. An unusable one is an error here: the network layer would quote it in its own. */
export function keyForHeader(
  provider: Provider,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const found = keyInEnvironment(provider, env);
  if (!found || isUsableKey(found.key)) return found?.key;
  throw new AuthError(
    'AUTH_BAD_KEY',
    `${found.variable} does not hold a key: it has spaces or characters no key has. Set it again`,
  );
}
