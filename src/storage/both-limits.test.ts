// The memory of each process and a storage that all of them share, also one that does not answer.
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeLimits } from '../../test/conformance/limits.ts';
import { monotonicMs } from '../lib/monotonic.ts';
import { createBothLimits } from './both-limits.ts';
import type { Limits } from './limits.ts';
import { createMemoryLimits } from './memory-limits.ts';

const ALLOWANCE = { most: 10, intervalMs: 60_000 };
const over = (shared: Limits, waitMs?: number): Limits =>
  createBothLimits({ own: createMemoryLimits(monotonicMs), shared, now: monotonicMs, waitMs });

/** Counts the questions; `answers` decides what comes of them. */
function asked(limits: Limits, answers: <T>(answer: Promise<T>) => Promise<T>) {
  let questions = 0;
  const heard = <T>(answer: Promise<T>): Promise<T> => {
    questions += 1;
    return answers(answer);
  };
  const shared: Limits = {
    counter(kind, allowance) {
      const counter = limits.counter(kind, allowance);
      return { attempt: (name, isRight) => heard(counter.attempt(name, isRight)) };
    },
    places(kind, most) {
      const places = limits.places(kind, most);
      return {
        enter: (name, place) => heard(places.enter(name, place)),
        leave: (name, place) => heard(places.leave(name, place)),
      };
    },
    holds: {
      hold: (name, ms) => heard(limits.holds.hold(name, ms)),
      leftMs: (name) => heard(limits.holds.leftMs(name)),
    },
  };
  return { shared, questions: () => questions };
}

describeLimits('of one process and a shared storage', () => {
  const limits = over(createMemoryLimits(monotonicMs));
  return { doors: [limits, limits], remove() {} };
});

it('any number of gateways compare no more wrong secrets than one, but for the first of each', async () => {
  const shared = createMemoryLimits(monotonicMs);
  const gateways = Array.from({ length: 5 }, () => over(shared).counter('password', ALLOWANCE));
  let compared = 0;
  const wrong = (): boolean => {
    compared += 1;
    return false;
  };
  for (let round = 0; round < 20; round += 1) for (const gateway of gateways) await gateway.attempt('10.0.0.1', wrong);
  expect(compared).toBeLessThanOrEqual(ALLOWANCE.most + gateways.length - 1);
  for (const gateway of gateways) expect(await gateway.attempt('10.0.0.1', () => true)).toBeGreaterThan(0);
  for (const gateway of gateways) expect(await gateway.attempt('10.0.0.2', () => true)).toBe(true);
});

it('right secrets cost the storage nothing, however many come at once', async () => {
  const { shared, questions } = asked(createMemoryLimits(monotonicMs), (answer) => answer);
  const counter = over(shared).counter('token', ALLOWANCE);
  const outcomes = await Promise.all(Array.from({ length: 200 }, () => counter.attempt('loopback', () => true)));
  expect(new Set(outcomes)).toEqual(new Set([true]));
  expect(questions()).toBe(0);
});

it('right secrets that come at once are all admitted, also after a wrong one from their address', async () => {
  const { shared, questions } = asked(createMemoryLimits(monotonicMs), async (answer) => {
    const outcome = await answer;
    await setImmediate();
    return outcome;
  });
  const allowance = { most: 2, intervalMs: 60_000 };
  const counter = over(shared).counter('token', allowance);
  expect(await counter.attempt('loopback', () => false)).toBe(false);
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => counter.attempt('loopback', () => true)));
  expect(new Set(outcomes)).toEqual(new Set([true]));
  expect(await counter.attempt('loopback', () => false)).toBe(false);
  const asking = questions();
  const refused = await Promise.all(Array.from({ length: 20 }, () => counter.attempt('loopback', () => true)));
  for (const outcome of refused) expect(outcome).toBeGreaterThan(0);
  expect(questions()).toBe(asking);
});

it('an address that failed too often at the others is refused without asking the storage each time', async () => {
  const memory = createMemoryLimits(monotonicMs);
  const { shared, questions } = asked(memory, (answer) => answer);
  const [here, there] = [over(shared), memory].map((limits) =>
    limits.counter('token', { most: 3, intervalMs: 60_000 }),
  );
  expect(await here?.attempt('10.0.0.1', () => false)).toBe(false);
  for (let index = 0; index < 2; index += 1) expect(await there?.attempt('10.0.0.1', () => false)).toBe(false);
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => here?.attempt('10.0.0.1', () => true)));
  for (const outcome of outcomes) expect(outcome).toBeGreaterThan(0);
  expect(questions()).toBe(2);
});

it.each<[string, <T>(answer: Promise<T>) => Promise<T>]>([
  ['does not answer', () => new Promise(() => {})],
  ['fails', () => Promise.reject(new Error('the database is away'))],
])(
  'a storage that %s opens no gate, keeps nobody with a right secret out, and is not asked each time',
  async (_what, answers) => {
    const { shared, questions } = asked(createMemoryLimits(monotonicMs), answers);
    const limits = over(shared, 20);
    const counter = limits.counter('password', ALLOWANCE);
    for (let index = 0; index < ALLOWANCE.most; index += 1)
      expect(await counter.attempt('10.0.0.1', () => false)).toBe(false);
    expect(await counter.attempt('10.0.0.1', () => true)).toBeGreaterThan(0);
    expect(await counter.attempt('10.0.0.2', () => false)).toBe(false);
    expect(await counter.attempt('10.0.0.2', () => true)).toBe(true);
    expect(await limits.places('turns', 1).enter('ann', 'one')).toBe(true);
    expect(await limits.places('turns', 1).enter('ann', 'two')).toBe(false);
    expect(await limits.holds.leftMs('account')).toBe(0);
    expect(questions()).toBe(1);
  },
);
