import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSecretAttempts, isSameSecret, WRONG_SECRETS } from '../lib/secret-attempts.ts';
import { createMemoryLimits } from './memory-limits.ts';

const { most: MOST_WRONG_SECRETS, intervalMs: WRONG_SECRET_INTERVAL_MS } = WRONG_SECRETS;

function limit() {
  let time = 0;
  let compared = 0;
  const attempts = createSecretAttempts(createMemoryLimits(() => time).counter('secret', WRONG_SECRETS));
  return {
    guess(address: string, isRight = false) {
      return attempts.attempt(address, () => {
        compared += 1;
        return isRight;
      });
    },
    pass: (ms: number) => {
      time += ms;
    },
    compared: () => compared,
  };
}

describe('guessing a secret', () => {
  it('is limited after a few wrong ones, and the right one is not compared either', async () => {
    const { guess, compared } = limit();
    for (let index = 0; index < MOST_WRONG_SECRETS; index += 1) expect((await guess('10.0.0.1')).outcome).toBe('wrong');
    expect(await guess('10.0.0.1')).toEqual({ outcome: 'limited', retryAfterSeconds: 3 });
    expect((await guess('10.0.0.1', true)).outcome).toBe('limited');
    expect(compared()).toBe(MOST_WRONG_SECRETS);
  });

  it('may be tried again once the time named has passed', async () => {
    const { guess, pass } = limit();
    for (let index = 0; index < MOST_WRONG_SECRETS; index += 1) await guess('10.0.0.1');
    const refused = await guess('10.0.0.1');
    pass(refused.outcome === 'limited' ? refused.retryAfterSeconds * 1_000 : 0);
    expect((await guess('10.0.0.1', true)).outcome).toBe('right');
  });

  it('costs a caller with the right secret nothing, however often it asks', async () => {
    const { guess } = limit();
    for (let index = 0; index < 10_000; index += 1) expect((await guess('10.0.0.1', true)).outcome).toBe('right');
  });

  it('does not stop callers at other addresses', async () => {
    const { guess } = limit();
    for (let index = 0; index < 50; index += 1) await guess('10.0.0.1');
    expect((await guess('10.0.0.2', true)).outcome).toBe('right');
  });

  it.each([
    ['the loopback', (index: number) => `127.0.${index % 256}.${index % 7}`],
    ['the loopback as IPv6 writes it', (index: number) => (index % 2 ? '::1' : `::ffff:127.0.0.${index}`)],
    ['one IPv6 network', (index: number) => `2001:db8:0:1:${index}::1`],
  ])('%s counts as one address', async (_name, address) => {
    const { guess, compared } = limit();
    for (let index = 0; index < 100; index += 1) await guess(address(index));
    expect(compared()).toBe(MOST_WRONG_SECRETS);
  });

  it('from a million addresses is limited too, and keeps no record of each', async () => {
    const { guess, compared } = limit();
    for (let index = 0; index < 20_000; index += 1)
      await guess(`${index >> 16}.${(index >> 8) & 255}.${index & 255}.9`);
    expect(compared()).toBeLessThanOrEqual(1_000 + MOST_WRONG_SECRETS);
  });

  it('over any time never gets more comparisons than the burst and one in each interval', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(2 * WRONG_SECRET_INTERVAL_MS), { maxLength: 200 }), async (pauses) => {
        const { guess, pass, compared } = limit();
        for (const pause of pauses) {
          pass(pause);
          await guess('10.0.0.1');
        }
        const allowed = pauses.reduce((sum, pause) => sum + pause, 0) / WRONG_SECRET_INTERVAL_MS;
        expect(compared()).toBeLessThanOrEqual(MOST_WRONG_SECRETS + allowed);
      }),
    );
  });
});

it('two secrets are the same only when every character is', () => {
  expect(isSameSecret('abc', 'abc')).toBe(true);
  for (const other of ['', 'ab', 'abd', 'abcd', 'ABC']) expect(isSameSecret(other, 'abc')).toBe(false);
});
