// Holidays with a date of their own, and three of the Chinese calendar. Holidays that move otherwise, such as Easter, are left out.
import { DAY, steppedYears, type TimeSpan, withoutYear } from './calendar.ts';

export type Holiday = (year: number) => TimeSpan;

/** Christmas Eve and the two days after it. */
export const CHRISTMAS: Holiday = (year) => days(year, 12, 24, 3);
export const ORTHODOX_CHRISTMAS: Holiday = (year) => days(year, 1, 6, 2);
/** The last evening of the year before, and the first day. */
export const NEW_YEAR: Holiday = (year) => days(year, 1, 0, 2);
/** The eve, and the week that is free in China. */
export const SPRING_FESTIVAL: Holiday = (year) => lunar(year, { month: 1, day: 1, before: 1, length: 8 });
export const DRAGON_BOAT_FESTIVAL: Holiday = (year) => lunar(year, { month: 5, day: 5 });
export const MID_AUTUMN_FESTIVAL: Holiday = (year) => lunar(year, { month: 8, day: 15 });

/** The same days of each year. */
export function fixed(month: number, day: number, length = 1): Holiday {
  return (year) => days(year, month, day, length);
}

/** The one of that year; without a year the last that has begun and the next, or the one that the step says. */
export function holidaySpans(
  holiday: Holiday,
  wall: number,
  { year, step }: { year?: number; step?: number },
): readonly TimeSpan[] {
  if (year !== undefined) return [holiday(year)];
  return step === undefined ? withoutYear(wall, holiday) : [steppedYears(wall, step, holiday)];
}

/** Day 0 is the last one of the month before. */
function days(year: number, month: number, day: number, length: number): TimeSpan {
  const from = Date.UTC(year, month - 1, day);
  return { from, to: from + length * DAY };
}

interface LunarDate {
  month: number;
  day: number;
  /** Days that belong to it: so many before, and so many in all. */
  before?: number;
  length?: number;
}

/** Weeks in which the day is looked for; all of them count where the runtime does not know the Chinese calendar. */
const WEEKS = 6;
let chineseCalendar: Intl.DateTimeFormat | undefined;
const found = new Map<string, TimeSpan>();

/** A month of the Chinese calendar begins three to seven weeks after the month of the same number. */
function lunar(year: number, { month, day, before = 0, length = 1 }: LunarDate): TimeSpan {
  const key = `${year}-${month}-${day}`;
  const known = found.get(key);
  if (known) return known;
  chineseCalendar ??= new Intl.DateTimeFormat('en-u-ca-chinese', { timeZone: 'UTC', month: 'numeric', day: 'numeric' });
  const earliest = Date.UTC(year, month - 1, day + 15);
  const offset = Array.from({ length: WEEKS * 7 }, (_, index) => index).find(
    (each) => chineseCalendar?.format(earliest + each * DAY) === `${month}/${day}`,
  );
  const first = earliest + (offset ?? 0) * DAY;
  const span =
    offset === undefined
      ? { from: earliest, to: earliest + WEEKS * 7 * DAY }
      : { from: first - before * DAY, to: first + (length - before) * DAY };
  found.set(key, span);
  return span;
}
