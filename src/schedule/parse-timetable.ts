// Parses text into a timetable. Accepted: cron with five, six (seconds first) or seven fields (year last), @hourly and similar,
// "every 20m", and "at 2026-12-01T09:00", which runs once.

import { createZone, type Zone } from '../lib/zone.ts';
import type { Timetable } from '../storage/jobs.ts';
import { ScheduleError } from './schedule-error.ts';
import { calendarOf, type Slots } from './timetable.ts';

export interface ParseTimetableOptions {
  slots: Slots;
  timezone: string;
  /** Start of intervals; a single moment must be later. */
  now: number;
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const LONGEST_MS = 366 * UNITS.d;
const ACCEPTED = 'cron ("0 9 * * *", with seconds "0 0 9 * * *"), @daily, "every 20m" or "at 2026-12-01T09:00"';
const NAMES = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const MOMENT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(Z|[+-]\d\d:\d\d)?$/i;

export function parseTimetable(text: string, { slots, timezone, now }: ParseTimetableOptions): Timetable {
  const zone = zoneOf(timezone);
  const given = text.trim().replace(/\s+/g, ' ');
  const timetable = read(given, zone, now);
  if (slots.next(timetable, now) === undefined) {
    throw new ScheduleError(
      'SCHEDULE_NEVER_FIRES',
      timetable.kind === 'at'
        ? `"${given}" is in the past (in ${zone.name}): name a later moment`
        : `"${given}" never fires: no future date matches it`,
    );
  }
  return timetable;
}

/** Milliseconds of "90s", "20m", "1h30m", "2d"; undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+) ?([smhdw])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text.replace(/(?<=[smhdw]) /g, ''))
    return undefined;
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as keyof typeof UNITS], 0);
}

export function zoneOf(timezone: string): Zone {
  try {
    return createZone(timezone);
  } catch (error) {
    throw new ScheduleError(
      'SCHEDULE_BAD_TIMEZONE',
      `there is no time zone "${timezone}": use an IANA name such as Europe/Berlin or Asia/Shanghai`,
      error,
    );
  }
}

function read(given: string, zone: Zone, now: number): Timetable {
  const [word = ''] = given.split(' ');
  if (word.toLowerCase() === 'every') return everyOf(given, now);
  if (word.toLowerCase() === 'at' || MOMENT.test(given)) return atOf(given, zone);
  return cronOf(given, zone);
}

function everyOf(given: string, now: number): Timetable {
  const everyMs = parseDuration(given.slice('every '.length).toLowerCase());
  if (everyMs === undefined || everyMs < 1_000 || everyMs > LONGEST_MS)
    throw invalid(given, '"every" needs a time from 1s to 366d, such as 20m, 2h, 1d or 1h30m');
  return { kind: 'every', everyMs, anchor: now };
}

function atOf(given: string, zone: Zone): Timetable {
  const [, date, time = '', offset] = MOMENT.exec(given.replace(/^at /i, '')) ?? [];
  const clock = time.length === 5 ? `${time}:00` : time;
  const wall = Date.parse(`${date}T${clock}Z`);
  // Date.parse reads a date that does not exist as another one.
  if (Number.isNaN(wall) || new Date(wall).toISOString() !== `${date}T${clock}.000Z`)
    throw invalid(given, '"at" needs an existing moment such as 2026-12-01T09:00, optionally followed by Z or +02:00');
  const at = offset === undefined ? zone.instantOf(wall) : Date.parse(`${date}T${clock}${offset.toUpperCase()}`);
  if (Number.isNaN(at)) throw invalid(given, 'its offset from UTC does not exist');
  return { kind: 'at', at, timezone: zone.name };
}

function cronOf(given: string, zone: Zone): Timetable {
  const fields = given === '' ? 0 : given.split(' ').length;
  if (given.startsWith('@')) {
    if (!NAMES.includes(given.toLowerCase())) throw invalid(given, `names are ${NAMES.join(', ')}`);
  } else if (fields < 5 || fields > 7) {
    throw invalid(given, `it has ${fields} field${fields === 1 ? '' : 's'}; accepted: ${ACCEPTED}`);
  }
  try {
    calendarOf(given);
  } catch (error) {
    throw invalid(given, (error as Error).message.replace(/^CronPattern: /, ''), error);
  }
  return { kind: 'cron', pattern: given, timezone: zone.name };
}

function invalid(given: string, why: string, cause?: unknown): ScheduleError {
  return new ScheduleError('SCHEDULE_INVALID', `"${given}" is not a schedule: ${why}`, cause);
}
