import { describe, expect, it } from 'vitest';
import { parseDuration, parseTimetable } from './parse-timetable.ts';
import { ScheduleError, type ScheduleErrorCode } from './schedule-error.ts';
import { createSlots } from './timetable.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const slots = createSlots();
const parse = (text: string, timezone = 'Europe/Berlin') => parseTimetable(text, { slots, timezone, now });

function refusal(text: string, timezone?: string): ScheduleError {
  try {
    parse(text, timezone);
  } catch (error) {
    if (error instanceof ScheduleError) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}

describe('a schedule is read', () => {
  it.each([
    '0 9 * * *',
    '*/30 0 9 * * *',
    '0 0 9 1 1 * 2027',
    '@daily',
    '@Hourly',
    '0 9 * JAN-MAR MON,FRI',
    '0 0 L * *',
  ])('as cron: %s', (text) => expect(parse(text)).toEqual({ kind: 'cron', pattern: text, timezone: 'Europe/Berlin' }));
  it('with any white space', () => {
    expect(parse('  0   9 * *\t* ')).toMatchObject({ pattern: '0 9 * * *' });
  });
  it.each([
    ['every 20m', 1_200_000],
    ['every 2h', 7_200_000],
    ['Every 1d', 86_400_000],
    ['every 1h30m', 5_400_000],
    ['every 1s', 1_000],
  ])('as an interval from now on: %s', (text, everyMs) => {
    expect(parse(text)).toEqual({ kind: 'every', everyMs, anchor: now });
  });
  it.each([
    ['at 2026-12-01T09:00', '2026-12-01T08:00:00Z'],
    ['2026-07-01 09:00:30', '2026-07-01T07:00:30Z'],
    ['at 2026-12-01T09:00Z', '2026-12-01T09:00:00Z'],
    ['at 2026-12-01T09:00+02:00', '2026-12-01T07:00:00Z'],
    ['at 2026-03-29T02:30', '2026-03-29T01:00:00Z'],
    ['at 2026-10-25T02:30', '2026-10-25T00:30:00Z'],
  ])('as one moment: %s', (text, instant) => {
    expect(parse(text)).toMatchObject({ kind: 'at', at: Date.parse(instant) });
  });
  it('with the official name of its zone', () => {
    expect(parse('@daily', 'europe/berlin')).toMatchObject({ timezone: 'Europe/Berlin' });
  });
});

describe('a schedule is refused', () => {
  it.each<[string, ScheduleErrorCode, string]>([
    ['', 'SCHEDULE_INVALID', '0 fields'],
    ['0 9 * *', 'SCHEDULE_INVALID', '4 fields'],
    ['* * * * * * * *', 'SCHEDULE_INVALID', '8 fields'],
    ['60 9 * * *', 'SCHEDULE_INVALID', '60'],
    ['0 9 * * MOO', 'SCHEDULE_INVALID', 'MOO'],
    ['@reboot', 'SCHEDULE_INVALID', '@daily'],
    ['@fortnightly', 'SCHEDULE_INVALID', '@weekly'],
    ['every', 'SCHEDULE_INVALID', '20m'],
    ['every day', 'SCHEDULE_INVALID', '20m'],
    ['every 0m', 'SCHEDULE_INVALID', '20m'],
    ['every 20m garbage', 'SCHEDULE_INVALID', '20m'],
    ['every 9999d', 'SCHEDULE_INVALID', '366d'],
    ['at tomorrow', 'SCHEDULE_INVALID', '2026-12-01T09:00'],
    ['at 2026-02-30T09:00', 'SCHEDULE_INVALID', 'existing'],
    ['at 2026-02-01T09:00', 'SCHEDULE_NEVER_FIRES', 'past'],
    ['0 0 30 2 *', 'SCHEDULE_NEVER_FIRES', 'never fires'],
    ['0 0 31 4,6,9,11 *', 'SCHEDULE_NEVER_FIRES', 'never fires'],
    ['0 0 0 1 1 * 2020', 'SCHEDULE_NEVER_FIRES', 'never fires'],
    ['0 0 0 29 2 * 2027', 'SCHEDULE_NEVER_FIRES', 'never fires'],
  ])('%j', (text, code, hint) => {
    const error = refusal(text);
    expect(error.code).toBe(code);
    expect(error.message).toContain(hint);
  });
  it('with a zone that does not exist', () => {
    expect(refusal('@daily', 'Europe/Berlim')).toMatchObject({ code: 'SCHEDULE_BAD_TIMEZONE' });
  });
});

it('a duration is whole or none', () => {
  expect(parseDuration('90s')).toBe(90_000);
  expect(parseDuration('1d 2h')).toBe(93_600_000);
  for (const text of ['', '5', 'm', '5m!', '-5m', '1.5h', '5 minutes'])
    expect(parseDuration(text), text).toBeUndefined();
});
