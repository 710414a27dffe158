// Limits how often a secret can be guessed over the network. An attempt is counted before its secret is compared, and given back
// when the secret was right, so a caller with the right token is never slowed down by its own requests. Each address may fail a
// few times at once and then once in a while; beyond that it gets no comparison, whatever it sends. The whole loopback is one
// address (127.0.0.0/8 has millions), so is an IPv6 network. What counts them is given: memory, or that of all gateways.
import { createHash, timingSafeEqual } from 'node:crypto';

/** Of passwords, and of tokens that a person could have chosen: compared at once, and then one in each interval. */
export const WRONG_SECRETS = { most: 10, intervalMs: 3_000 };
/** Of long random ones, that many programs behind one address use. */
export const WRONG_RANDOM_SECRETS = { most: 100, intervalMs: 500 };

export type SecretAttempt =
  | { outcome: 'right' }
  | { outcome: 'wrong' }
  | { outcome: 'limited'; retryAfterSeconds: number };

export interface SecretAttempts {
  /** `isRight` must compare in constant time (`isSameSecret`). It is not called for an address that has failed too often. */
  attempt(address: string, isRight: () => boolean): Promise<SecretAttempt>;
}

/** Counts by name, here or over several gateways. */
export interface AttemptCounter {
  /** What `isRight` returned; or, when it was not called, the milliseconds to wait. */
  attempt(name: string, isRight: () => boolean): Promise<boolean | number>;
}

export function createSecretAttempts(counter: AttemptCounter): SecretAttempts {
  return {
    async attempt(address, isRight) {
      const outcome = await counter.attempt(networkOf(address), isRight);
      if (typeof outcome === 'number')
        return { outcome: 'limited', retryAfterSeconds: Math.max(1, Math.ceil(outcome / 1_000)) };
      return { outcome: outcome ? 'right' : 'wrong' };
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
