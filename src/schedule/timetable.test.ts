import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectedSlots, wallMinutes } from '../../test/support/slot-oracle.ts';
import type { Timetable } from '../storage/jobs.ts';
import { createSlots } from './timetable.ts';

const slots = createSlots();
const cron = (pattern: string, timezone = 'UTC'): Timetable => ({ kind: 'cron', pattern, timezone });

function between(timetable: Timetable, from: string, to: string): string[] {
  const found: string[] = [];
  let slot = slots.next(timetable, Date.parse(from) - 1);
  while (slot !== undefined && slot < Date.parse(to)) {
    found.push(new Date(slot).toISOString().replace('.000', ''));
    slot = slots.next(timetable, slot);
  }
  return found;
}

describe('where the clocks are set forward (Berlin, 29 March 2026, 02:00 → 03:00)', () => {
  const day = ['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'] as const;
  it('a daily job whose time does not exist runs at the first instant after the gap', () => {
    expect(between(cron('30 2 * * *', 'Europe/Berlin'), ...day)).toEqual(['2026-03-29T01:00:00Z']);
  });
  it('several named times in the gap run once', () => {
    expect(between(cron('*/15 2 * * *', 'Europe/Berlin'), ...day)).toEqual(['2026-03-29T01:00:00Z']);
  });
  it('a time in the gap and one right after it run once', () => {
    expect(between(cron('0 2,3,4 * * *', 'Europe/Berlin'), ...day)).toEqual([
      '2026-03-29T01:00:00Z',
      '2026-03-29T02:00:00Z',
    ]);
  });
  it('an hourly job continues in real time: 23 runs that day', () => {
    expect(between(cron('30 * * * *', 'Europe/Berlin'), ...day)).toHaveLength(23);
  });
  it('one second before and at the change, the next slot is still the one after the gap', () => {
    const at = Date.parse('2026-03-29T01:00:00Z');
    expect(slots.next(cron('30 2 * * *', 'Europe/Berlin'), at - 1)).toBe(at);
    expect(slots.next(cron('30 2 * * *', 'Europe/Berlin'), at)).toBe(Date.parse('2026-03-30T00:30:00Z'));
  });
});

describe('where the clocks are set back (Berlin, 25 October 2026, 03:00 → 02:00)', () => {
  const day = ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'] as const;
  it('a daily job runs once, the first time the wall shows it', () => {
    expect(between(cron('30 2 * * *', 'Europe/Berlin'), ...day)).toEqual(['2026-10-25T00:30:00Z']);
  });
  it('asked in the repeated hour, it does not run again', () => {
    const inRepeat = Date.parse('2026-10-25T01:10:00Z');
    expect(slots.next(cron('30 2 * * *', 'Europe/Berlin'), inRepeat)).toBe(Date.parse('2026-10-26T01:30:00Z'));
  });
  it('an hourly job continues in real time: 25 runs that day', () => {
    expect(between(cron('30 * * * *', 'Europe/Berlin'), ...day)).toHaveLength(25);
  });
  it('a pattern of seconds does too', () => {
    expect(
      between(cron('*/20 * * * * *', 'Europe/Berlin'), '2026-10-25T00:59:00Z', '2026-10-25T01:01:00Z'),
    ).toHaveLength(6);
  });
});

describe('the calendar', () => {
  it.each([
    [
      '31st only in months that have one',
      '0 0 31 * *',
      ['01-31', '03-31', '05-31', '07-31', '08-31', '10-31', '12-31'],
    ],
    ['last day of each quarter with L', '0 0 L 3,6,9,12 *', ['03-31', '06-30', '09-30', '12-31']],
    ['second Friday of spring months', '0 0 * 3-5 5#2', ['03-13', '04-10', '05-08']],
    ['last Friday in summer', '0 0 * 6-8 FRI#L', ['06-26', '07-31', '08-28']],
    ['weekday nearest the 15th', '0 0 15W 8,11 *', ['08-14', '11-16']],
    ['the 13th that is also a Friday', '0 0 13 * +FRI', ['02-13', '03-13', '11-13']],
  ])('%s', (_, pattern, days) => {
    expect(between(cron(pattern), '2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z')).toEqual(
      days.map((day) => `2026-${day}T00:00:00Z`),
    );
  });
  it('29 February waits for the leap year, also past a century without one', () => {
    expect(between(cron('0 12 29 2 *'), '2095-01-01T00:00:00Z', '2105-01-01T00:00:00Z')).toEqual([
      '2096-02-29T12:00:00Z',
      '2104-02-29T12:00:00Z',
    ]);
  });
  it('seven fields end with the year', () => {
    expect(between(cron('30 0 9 1 1 * 2028-2029'), '2026-01-01T00:00:00Z', '2040-01-01T00:00:00Z')).toEqual([
      '2028-01-01T09:00:30Z',
      '2029-01-01T09:00:30Z',
    ]);
  });
  it('an interval is counted from its beginning, whatever the clocks do', () => {
    const every: Timetable = { kind: 'every', everyMs: 7_200_000, anchor: Date.parse('2026-03-28T22:10:00Z') };
    expect(between(every, '2026-03-28T00:00:00Z', '2026-03-29T03:00:00Z')).toEqual([
      '2026-03-29T00:10:00Z',
      '2026-03-29T02:10:00Z',
    ]);
  });
});

describe('against every minute around the changes of the clocks, shown by Intl (the bench takes a whole year)', () => {
  const patterns = [
    '30 2 * * *',
    '0 0 * * *',
    '*/10 * * * *',
    '15 */2 * * *',
    '0 1,2,3 * * 0',
    '30 0-4 * 3,4,9,10,11 *',
    '59 23 31 * *',
    '0 12 1 * 1',
    '45 * 29 2 *',
  ];
  // A leap year; the clocks go forward by an hour, by half an hour, at midnight, and back for a month of fasting.
  it.each([
    ['Europe/Berlin', '2028-03-20', '2028-04-02'],
    ['Europe/Berlin', '2028-10-20', '2028-11-02'],
    ['Australia/Lord_Howe', '2028-03-28', '2028-04-05'],
    ['Australia/Lord_Howe', '2028-09-28', '2028-10-05'],
    ['Africa/Casablanca', '2028-01-20', '2028-03-05'],
    ['Africa/Cairo', '2028-04-25', '2028-05-02'],
    ['Africa/Cairo', '2028-10-24', '2028-11-02'],
    ['America/St_Johns', '2028-02-27', '2028-03-15'],
  ])('%s from %s', (timezone, first, last) => {
    const from = Date.parse(first);
    const to = Date.parse(last);
    const minutes = wallMinutes(timezone, from, to);
    for (const pattern of patterns) {
      const found: number[] = [];
      let slot = slots.next(cron(pattern, timezone), from - 1);
      while (slot !== undefined && slot < to) {
        found.push(slot);
        slot = slots.next(cron(pattern, timezone), slot);
      }
      expect(found, pattern).toEqual(expectedSlots(pattern, minutes));
    }
  });
});

describe('the newest slots of a span', () => {
  it('are those that going through it finds', () => {
    const pattern = fc.constantFrom('*/7 * * * *', '30 2 * * *', '*/15 * * * * *', '0 0 29 2 *');
    const span = fc.record({ from: fc.integer({ min: 0, max: 500 }), hours: fc.integer({ min: 0, max: 48 }) });
    fc.assert(
      fc.property(pattern, span, fc.integer({ min: 1, max: 40 }), (text, { from, hours }, limit) => {
        const after = Date.UTC(2026, 9, 20) + from * 3_600_000;
        const until = after + hours * 3_600_000;
        const all: number[] = [];
        const timetable = cron(text, 'Europe/Berlin');
        for (
          let slot = slots.next(timetable, after);
          slot !== undefined && slot <= until;
          slot = slots.next(timetable, slot)
        )
          all.push(slot);
        expect(slots.latest(timetable, { after, until, limit })).toEqual(all.slice(-limit));
      }),
      { numRuns: 40 },
    );
  });
  it('stay cheap for a pattern of seconds after ten years', () => {
    const until = Date.UTC(2036, 0, 1);
    const found = slots.latest(cron('* * * * * *'), { after: Date.UTC(2026, 0, 1), until, limit: 3 });
    expect(found).toEqual([until - 2_000, until - 1_000, until]);
  });
});
