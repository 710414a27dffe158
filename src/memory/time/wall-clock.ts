import { createZone, type Zone } from '../../lib/zone.ts';
import { DAY } from './calendar.ts';

/** The clock of the person who asks: instants and wall times are milliseconds. */
export interface WallClock extends WallTime {
  now(): number;
}

export interface WallTime {
  wallAt(instant: number): number;
}

export function createWallClock({ now, timezone }: { now(): number; timezone(): string }): WallClock {
  return { now, ...createWallTime(timezone) };
}

/** The time zone is looked up with the first use. An unknown one must not stop a search: days are those of UTC then. */
export function createWallTime(timezone: () => string): WallTime {
  let zone: Zone | undefined;
  return {
    wallAt(instant) {
      zone ??= zoneOf(timezone);
      return zone.wallAt(instant);
    },
  };
}

/**
 * A moment (ISO 8601) as the person's clock shows it: `2026-11-16 23:30`. Midnight of UTC is how a day without a time is kept: it is
 * the same day in every zone. A text that is not a moment is returned as it is.
 */
export function wallText(moment: string, { wallAt }: WallTime): string {
  const instant = Date.parse(moment);
  if (Number.isNaN(instant)) return moment;
  const wall = instant % DAY === 0 ? instant : wallAt(instant);
  return new Date(wall).toISOString().slice(0, 16).replace('T', ' ');
}

/** The day of a moment (ISO 8601) where the person is: `2026-11-16`. */
export function wallDay(moment: string, time: WallTime): string {
  return wallText(moment, time).slice(0, 10);
}

function zoneOf(timezone: () => string): Zone {
  try {
    return createZone(timezone());
  } catch {
    return createZone('UTC');
  }
}
