// The clock of a time zone: converts between instants (milliseconds since the epoch) and wall times (the same kind of number, as
// if the wall clock showed UTC). Intl gives the offset at an instant; everything else follows from that.

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** No zone has ever changed its clocks and changed them back within this time. */
const SAFE_STEP = 14 * DAY;

export interface Zone {
  name: string;
  /** The wall time at an instant. */
  wallAt(instant: number): number;
  /**
   * The instant of a wall time: the first one when the clocks are set back, and the first instant after the gap when they are
   * set forward past it.
   */
  instantOf(wall: number): number;
  /** The first instant after `from` and not after `to` at which the clocks change. */
  nextChange(from: number, to: number): number | undefined;
}

/** Throws RangeError when there is no such zone. */
export function createZone(timezone: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
  const offsetAt = (instant: number): number => offsetIn(format.format(instant));

  /** The instant at which the offset differs from that at `from`; there is one change in between. */
  function changeBetween(from: number, to: number): number {
    const before = offsetAt(from);
    let low = from;
    let high = to;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    return high;
  }

  return {
    name: format.resolvedOptions().timeZone,
    wallAt: (instant) => instant + offsetAt(instant),
    instantOf(wall) {
      const offsets = [offsetAt(wall - DAY), offsetAt(wall + DAY)];
      const found = offsets.map((offset) => wall - offset).filter((instant) => instant + offsetAt(instant) === wall);
      if (found.length > 0) return Math.min(...found);
      return changeBetween(wall - Math.max(...offsets) - 1, wall - Math.min(...offsets));
    },
    nextChange(from, to) {
      const before = offsetAt(from);
      for (let start = from; start < to; start += SAFE_STEP) {
        const end = Math.min(start + SAFE_STEP, to);
        if (offsetAt(end) !== before) return changeBetween(start, end);
      }
      return undefined;
    },
  };
}

/** The offset in "1/1/2026, GMT+01:00"; "GMT" alone is zero. */
function offsetIn(text: string): number {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(text) ?? [];
  const offset = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -offset : offset;
}
