// Limits how often a secret can be guessed over the network. An attempt is counted before its secret is compared, and given back
// when the secret was right, so a caller with the right token is never slowed down by its own requests. Each address may fail a
// few times at once and then once in a while; beyond that it gets no comparison, whatever it sends. The whole loopback is one
// address (127.0.0.0/8 has millions), so is an IPv6 network; once too many addresses are known, the rest share one.
import { createHash, timingSafeEqual } from 'node:crypto';

/** Defaults of the limit. */
export const MOST_WRONG_SECRETS = 10;
export const WRONG_SECRET_INTERVAL_MS = 3_000;
const MOST_ADDRESSES = 1_000;
const OTHER_ADDRESSES = 'other';

export type SecretAttempt =
  | { outcome: 'right' }
  | { outcome: 'wrong' }
  | { outcome: 'limited'; retryAfterSeconds: number };

export interface SecretAttempts {
  /** `isRight` must compare in constant time (`isSameSecret`). It is not called for an address that has failed too often. */
  attempt(address: string, isRight: () => boolean): SecretAttempt;
}

export interface SecretAttemptsOptions {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Wrong secrets of one address that are compared at once; after them one in each interval. */
  mostWrong?: number;
  intervalMs?: number;
}

export function createSecretAttempts({
  now,
  mostWrong = MOST_WRONG_SECRETS,
  intervalMs = WRONG_SECRET_INTERVAL_MS,
}: SecretAttemptsOptions): SecretAttempts {
  // What an address has failed, less what time has forgiven, at the time of its last failure.
  const failures = new Map<string, { count: number; at: number }>();

  function countOf(address: string): number {
    const known = failures.get(address);
    if (!known) return 0;
    return Math.max(0, known.count - (now() - known.at) / intervalMs);
  }

  /** The name under which an address is counted. Forgets addresses that time has forgiven before it counts one with the others. */
  function nameOf(address: string): string {
    const name = networkOf(address);
    if (failures.has(name) || failures.size < MOST_ADDRESSES) return name;
    for (const known of failures.keys()) if (countOf(known) === 0) failures.delete(known);
    return failures.size < MOST_ADDRESSES ? name : OTHER_ADDRESSES;
  }

  return {
    attempt(address, isRight) {
      const name = nameOf(address);
      const count = countOf(name);
      const tooMany = count - (mostWrong - 1);
      if (tooMany > 0)
        return {
          outcome: 'limited',
          retryAfterSeconds: Math.max(1, Math.ceil((tooMany * intervalMs) / 1_000)),
        };
      failures.set(name, { count: count + 1, at: now() });
      if (!isRight()) return { outcome: 'wrong' };
      if (count === 0) failures.delete(name);
      else failures.set(name, { count, at: now() });
      return { outcome: 'right' };
    },
  };
}

/** In constant time: both are hashed to one length first. */
export function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:/i, '');
  if (/^127\./.test(plain) || plain === '::1') return 'loopback';
  return plain.includes(':') ? plain.split(':').slice(0, 4).join(':') : plain;
}
