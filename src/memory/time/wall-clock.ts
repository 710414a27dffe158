import { createZone, type Zone } from '../../lib/zone.ts';

/** The clock of the person who asks: instants and wall times are milliseconds. */
export interface WallClock {
  now(): number;
  wallAt(instant: number): number;
}

/** The time zone is looked up with the first use. An unknown one must not stop a search: days are those of UTC then. */
export function createWallClock({ now, timezone }: { now(): number; timezone(): string }): WallClock {
  let zone: Zone | undefined;
  return {
    now,
    wallAt(instant) {
      zone ??= zoneOf(timezone);
      return zone.wallAt(instant);
    },
  };
}

function zoneOf(timezone: () => string): Zone {
  try {
    return createZone(timezone());
  } catch {
    return createZone('UTC');
  }
}
