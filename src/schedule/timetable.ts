// When a job is due: its slots, as instants. A slot is the moment the timetable names, before any jitter.
//
// Cron patterns are matched against a wall that never jumps (croner in UTC); what the real clocks do is decided here:
//  - a pattern that runs in every hour follows real time: a repeated hour runs again, a skipped one does not run;
//  - a pattern that names its hours means what the wall shows: in a repeated hour it runs the first time only, and what the
//    clocks skip runs at the first instant after the gap, once however many of its times lie in there.
// Slots never go backwards and none comes twice.
import { Cron, CronPattern } from 'croner';
import type { Timetable } from '../storage/jobs.ts';
import { createZone, type Zone } from './zone.ts';

const KEPT = 1_000;
const FIRST_LOOK_BACK_MS = 60_000;

export interface Slots {
  /** The first slot after an instant; undefined when there is none any more. */
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
      // Looks back twice as far each time, so that a pattern of seconds after a year's sleep stays cheap.
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
    // From the change on the wall shows something else: look again, the moment of the change included.
    from = change;
    wall = nextWall(cron, zone.wallAt(change) - 1);
  }
  return undefined;
}

function nextWall(cron: Cron, wall: number): number | undefined {
  return cron.nextRun(new Date(wall))?.getTime();
}

/** Throws what the library says about a pattern it cannot read. */
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
