// Which minutes a cron pattern of five fields means, found without any cron library: every minute of the span is shown by Intl
// in the zone and held against the fields. Policies: a pattern that runs in every hour follows real time; one that names its
// hours runs once for each time the wall shows, and after a gap once for what the clocks skipped.
const MINUTE = 60_000;

export interface WallMinute {
  instant: number;
  /** The wall as if it were UTC. */
  wall: number;
}

interface Fields {
  minute: Set<number>;
  hour: Set<number>;
  day: Set<number>;
  month: Set<number>;
  weekday: Set<number>;
  anyDay: boolean;
  anyWeekday: boolean;
}

/** Every minute from (included) to (excluded), as the zone's wall shows it. */
export function wallMinutes(timezone: string, from: number, to: number): WallMinute[] {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const minutes: WallMinute[] = [];
  for (let instant = from; instant < to; instant += MINUTE) {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = (format.format(instant).match(/\d+/g) ?? []).map(
      Number,
    );
    minutes.push({ instant, wall: Date.UTC(year, month - 1, day, hour, minute) });
  }
  return minutes;
}

export function expectedSlots(pattern: string, minutes: readonly WallMinute[]): number[] {
  const fields = fieldsOf(pattern);
  const isInEveryHour = fields.hour.size === 24;
  const slots: number[] = [];
  let latestWall = Number.NEGATIVE_INFINITY;
  for (const { instant, wall } of minutes) {
    if (isInEveryHour) {
      if (matches(fields, wall)) slots.push(instant);
      continue;
    }
    // New on the wall: this minute, and before it what the clocks skipped.
    if (wall > latestWall) {
      const first = latestWall === Number.NEGATIVE_INFINITY ? wall : latestWall + MINUTE;
      for (let shown = first; shown <= wall; shown += MINUTE) {
        if (!matches(fields, shown)) continue;
        slots.push(instant);
        break;
      }
      latestWall = wall;
    }
  }
  return slots;
}

function matches({ minute, hour, day, month, weekday, anyDay, anyWeekday }: Fields, wall: number): boolean {
  const date = new Date(wall);
  if (!minute.has(date.getUTCMinutes()) || !hour.has(date.getUTCHours()) || !month.has(date.getUTCMonth() + 1))
    return false;
  const isDay = day.has(date.getUTCDate());
  const isWeekday = weekday.has(date.getUTCDay());
  // As in every cron: two restrictions on the day are alternatives.
  return anyDay || anyWeekday ? isDay && isWeekday : isDay || isWeekday;
}

function fieldsOf(pattern: string): Fields {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = pattern.split(' ');
  return {
    minute: numbers(minute, 0, 59),
    hour: numbers(hour, 0, 23),
    day: numbers(day, 1, 31),
    month: numbers(month, 1, 12),
    weekday: new Set([...numbers(weekday, 0, 7)].map((number) => number % 7)),
    anyDay: day === '*',
    anyWeekday: weekday === '*',
  };
}

function numbers(field: string, least: number, most: number): Set<number> {
  const found = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [low = '', high = low] = range === '*' ? [String(least), String(most)] : range.split('-');
    for (let number = Number(low); number <= Number(high); number += Number(step)) found.add(number);
  }
  return found;
}
