// What limits must do, whatever counts them: in one process, or over all that share a database.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Limits } from '../../src/storage/limits.ts';
import { eventually } from '../support/eventually.ts';

export interface LimitsSubject {
  /** Doors to the same limits: as two gateways have them, or twice the same. */
  doors: readonly [Limits, Limits];
  remove(): void | Promise<void>;
}

/** Longer than any test. */
const LONG = 10 * 60_000;
const no = (): boolean => false;
const yes = (): boolean => true;

export function describeLimits(name: string, create: () => LimitsSubject | Promise<LimitsSubject>): void {
  describe(`limits: ${name}`, () => {
    let subject: LimitsSubject;
    let one: Limits;
    let two: Limits;
    beforeEach(async () => {
      subject = await create();
      [one, two] = subject.doors;
    });
    afterEach(() => subject.remove());

    it('so many wrong attempts are compared, over all doors and at the same moment, and then none', async () => {
      let compared = 0;
      const wrong = (): boolean => {
        compared += 1;
        return false;
      };
      const counters = [one, two].map((limits) => limits.counter('password', { most: 5, intervalMs: LONG }));
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) => counters[index % 2]?.attempt('10.0.0.1', wrong)),
      );
      expect(outcomes.filter((outcome) => outcome === false)).toHaveLength(5);
      expect(compared).toBe(5);
      const waits = outcomes.filter((outcome) => typeof outcome === 'number');
      expect(waits).toHaveLength(15);
      for (const wait of waits) {
        expect(wait).toBeGreaterThan(0);
        expect(wait).toBeLessThanOrEqual(LONG);
      }
      expect(await counters[0]?.attempt('10.0.0.1', yes)).toBeGreaterThan(0);
    });

    it('a right attempt is not counted', async () => {
      const counter = one.counter('password', { most: 2, intervalMs: LONG });
      for (let index = 0; index < 10; index += 1) expect(await counter.attempt('10.0.0.1', yes)).toBe(true);
      expect(await counter.attempt('10.0.0.1', no)).toBe(false);
      for (let index = 0; index < 10; index += 1) expect(await counter.attempt('10.0.0.1', yes)).toBe(true);
      expect(await counter.attempt('10.0.0.1', no)).toBe(false);
      expect(await counter.attempt('10.0.0.1', yes)).toBeGreaterThan(0);
    });

    it('other names and other kinds are counted apart', async () => {
      const passwords = one.counter('password', { most: 1, intervalMs: LONG });
      expect(await passwords.attempt('10.0.0.1', no)).toBe(false);
      expect(await passwords.attempt('10.0.0.1', no)).toBeGreaterThan(0);
      expect(await passwords.attempt('10.0.0.2', no)).toBe(false);
      expect(await one.counter('token', { most: 1, intervalMs: LONG }).attempt('10.0.0.1', no)).toBe(false);
    });

    it('time forgives', async () => {
      const counter = one.counter('password', { most: 1, intervalMs: 300 });
      expect(await counter.attempt('10.0.0.1', no)).toBe(false);
      await eventually(async () => expect(await counter.attempt('10.0.0.1', yes)).toBe(true));
    });

    it('so many places can be entered, over all doors and at the same moment, until one is left', async () => {
      const places = [one, two].map((limits) => limits.places('turns', 3));
      const entered = await Promise.all(
        Array.from({ length: 10 }, (_, index) => places[index % 2]?.enter('ann', `place-${index}`)),
      );
      expect(entered.filter(Boolean)).toHaveLength(3);
      const taken = entered.indexOf(true);
      // The same one again needs no other.
      expect(await places[taken % 2]?.enter('ann', `place-${taken}`)).toBe(true);
      expect(await one.places('turns', 3).enter('ben', 'of-ben')).toBe(true);
      expect(await one.places('calls', 3).enter('ann', 'a-call')).toBe(true);
      await places[taken % 2]?.leave('ann', `place-${taken}`);
      expect(await two.places('turns', 3).enter('ann', 'later')).toBe(true);
      expect(await one.places('turns', 3).enter('ann', 'too-late')).toBe(false);
    });

    it('what is held stays held at every door until its time, and a shorter hold does not shorten it', async () => {
      expect(await two.holds.leftMs('account')).toBe(0);
      await one.holds.hold('account', LONG);
      await one.holds.hold('account', 1);
      expect(await two.holds.leftMs('account')).toBeGreaterThan(LONG / 2);
      expect(await two.holds.leftMs('account')).toBeLessThanOrEqual(LONG);
      expect(await two.holds.leftMs('another')).toBe(0);
      await one.holds.hold('brief', 1);
      await eventually(async () => expect(await two.holds.leftMs('brief')).toBe(0));
    });
  });
}
