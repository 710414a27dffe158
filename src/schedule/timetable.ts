// Computes the slots of a job as instants. A slot is the moment that the timetable names, before any jitter.
//
// Cron patterns are matched against a wall clock that never jumps (croner in UTC); clock changes are handled here:
//  - a pattern that runs in every hour follows real time: a repeated hour runs again, a skipped one does not run;
//  - a pattern that names its hours follows the wall clock: in a repeated hour it runs the first time only, and skipped times
//    run once, at the first instant after the gap.
// Slots never go backwards and never repeat.
import { Cron, CronPattern } from 'croner';
import { createZone, type Zone } from '../lib/zone.ts';
import type { Timetable } from '../storage/jobs.ts';

const KEPT = 1_000;
const FIRST_LOOK_BACK_MS = 60_000;

export interface Slots {
  /** The first slot after an instant; undefined when there is none. */
  next(timetable: Timetable, after: number): number | undefined;
  /** The newest slots in (after, until], oldest first, at most `limit` of them. */
  latest(timetable: Timetable, range: { after: number; until: number; limit: number }): number[];
}

interface Calendar {
  cron: Cron;
  isInEveryHour: boolean;
}

/** Remembers parsed patterns and zones: many jobs share them. */
export function createSlots(): Slots {
  const calendars = remembering((pattern) => calendarOf(pattern));
  const zones = remembering(createZone);

  function next(timetable: Timetable, after: number): number | undefined {
    switch (timetable.kind) {
      case 'at':
        return timetable.at > after ? timetable.at : undefined;
      case 'every':
        return nextMultiple(timetable, after);
      case 'cron': {
        const { cron, isInEveryHour } = calendars(timetable.pattern);
        const zone = zones(timetable.timezone);
        return isInEveryHour ? nextInRealTime(cron, zone, after) : nextOnTheWall(cron, zone, after);
      }
    }
  }

  return {
    next,
    latest(timetable, { after, until, limit }) {
      // Looks back twice as far each time, so that a pattern of seconds is cheap even after a year of sleep.
      for (let span = FIRST_LOOK_BACK_MS; ; span *= 2) {
        const from = Math.max(after, until - span);
        const found = upTo(from, until);
        if (from === after || found.length >= limit) return found.slice(-limit);
      }

      function upTo(from: number, to: number): number[] {
        const found: number[] = [];
        let slot = next(timetable, from);
        while (slot !== undefined && slot <= to) {
          found.push(slot);
          slot = next(timetable, slot);
        }
        return found;
      }
    },
  };
}

function nextMultiple({ everyMs, anchor }: { everyMs: number; anchor: number }, after: number): number {
  const passed = Math.floor((after - anchor) / everyMs);
  return anchor + Math.max(passed + 1, 1) * everyMs;
}

function nextOnTheWall(cron: Cron, zone: Zone, after: number): number | undefined {
  let wall = nextWall(cron, zone.wallAt(after));
  while (wall !== undefined) {
    const instant = zone.instantOf(wall);
    if (instant > after) return instant;
    wall = nextWall(cron, wall);
  }
  return undefined;
}

function nextInRealTime(cron: Cron, zone: Zone, after: number): number | undefined {
  let from = after;
  let wall = nextWall(cron, zone.wallAt(from));
  while (wall !== undefined) {
    const offset = zone.wallAt(from) - from;
    const instant = wall - offset;
    const change = zone.nextChange(from, instant);
    if (change === undefined) return instant;
    // After the change the wall clock shows another time: look again, including the moment of the change.
    from = change;
    wall = nextWall(cron, zone.wallAt(change) - 1);
  }
  return undefined;
}

function nextWall(cron: Cron, wall: number): number | undefined {
  return cron.nextRun(new Date(wall))?.getTime();
}

/** Throws the library's error for a pattern it cannot read. */
export function calendarOf(pattern: string): Calendar {
  const { hour } = new CronPattern(pattern, undefined, { mode: 'auto' });
  return { cron: new Cron(pattern, { utcOffset: 0, paused: true }), isInEveryHour: hour.every((value) => value === 1) };
}

function remembering<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    if (made.size >= KEPT) made.clear();
    const fresh = make(key);
    made.set(key, fresh);
    return fresh;
  };
}
