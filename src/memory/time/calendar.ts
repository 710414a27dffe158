// Days, weeks, months and years on a wall calendar. A wall time is a number of milliseconds as if the wall clock showed UTC, so
// that no time zone is needed here. A span is half open: `from` belongs to it, `to` does not. Weeks begin on Monday.

export interface TimeSpan {
  from: number;
  to: number;
}

export type Unit = 'day' | 'week' | 'month' | 'year';
export type Season = 'winter' | 'spring' | 'summer' | 'autumn';

export const DAY = 86_400_000;
/** The first and the last year that a text may name. */
const FIRST_YEAR = 1000;
const LAST_YEAR = 2999;
const SEASON_MONTH: Record<Season, number> = { winter: 12, spring: 3, summer: 6, autumn: 9 };

export function startOfDay(wall: number): number {
  return Math.floor(wall / DAY) * DAY;
}

/** The day that is so many days after the given one. */
export function dayAt(wall: number, offset = 0): TimeSpan {
  const from = startOfDay(wall) + offset * DAY;
  return { from, to: from + DAY };
}

export function weekAt(wall: number, offset = 0): TimeSpan {
  const from = startOfDay(wall) - (isoWeekday(wall) - 1) * DAY + offset * 7 * DAY;
  return { from, to: from + 7 * DAY };
}

/** Saturday and Sunday of that week. */
export function weekendAt(wall: number, offset = 0): TimeSpan {
  const { from, to } = weekAt(wall, offset);
  return { from: from + 5 * DAY, to };
}

export function monthAt(wall: number, offset = 0): TimeSpan {
  const date = new Date(wall);
  return monthOf(date.getUTCFullYear(), date.getUTCMonth() + 1 + offset);
}

export function yearAt(wall: number, offset = 0): TimeSpan {
  return yearOf(new Date(wall).getUTCFullYear() + offset);
}

/** Whole days, weeks, months or years around the given moment. */
export function unitAt(unit: Unit, wall: number, offset = 0): TimeSpan {
  if (unit === 'day') return dayAt(wall, offset);
  if (unit === 'week') return weekAt(wall, offset);
  return unit === 'month' ? monthAt(wall, offset) : yearAt(wall, offset);
}

/** From so many units before the given day up to its end, or from the next day on for so many units. */
export function stretch(unit: Unit, wall: number, count: number): TimeSpan {
  const { from, to } = dayAt(wall);
  return count < 0 ? { from: moved(from, unit, count), to } : { from: to, to: moved(to, unit, count) };
}

/** Months outside 1…12 belong to the years beside. */
export function monthOf(year: number, month: number): TimeSpan {
  return { from: utc(year, month, 1), to: utc(year, month + 1, 1) };
}

export function yearOf(year: number): TimeSpan {
  return { from: utc(year, 1, 1), to: utc(year + 1, 1, 1) };
}

/** Undefined when there is no such date. */
export function dateOf(year: number, month: number, day: number): TimeSpan | undefined {
  const from = utc(year, month, day);
  const date = new Date(from);
  const exists = date.getUTCMonth() + 1 === month && date.getUTCDate() === day && isYear(year);
  return exists ? { from, to: from + DAY } : undefined;
}

export function isYear(year: number): boolean {
  return Number.isInteger(year) && year >= FIRST_YEAR && year <= LAST_YEAR;
}

/** The winter of a year begins in its December. */
export function seasonOf(season: Season, year: number): TimeSpan {
  const month = SEASON_MONTH[season];
  return { from: utc(year, month, 1), to: utc(year, month + 3, 1) };
}

/** The last season of that name that has ended (-1), that of this year (0), or the next to begin (1). */
export function seasonAt(season: Season, wall: number, step: number): TimeSpan {
  return steppedYears(wall, step, (year) => seasonOf(season, year));
}

/** The last month of that name that has ended (-1), that of this year (0), or the next to begin (1). */
export function namedMonthAt(month: number, wall: number, step: number): TimeSpan {
  return steppedYears(wall, step, (year) => monthOf(year, month));
}

/** What has that name in one of the years around: the last that has ended (-1), that of this year (0), or the next to begin (1). */
export function steppedYears(wall: number, step: number, inYear: (year: number) => TimeSpan): TimeSpan {
  const year = new Date(wall).getUTCFullYear();
  const years = [inYear(year - 2), inYear(year - 1), inYear(year), inYear(year + 1)];
  const found = step < 0 ? years.findLast(({ to }) => to <= wall) : years.find(({ from }) => from > wall);
  return step === 0 || !found ? inYear(year) : found;
}

/** Monday is 1, Sunday 7. */
export function isoWeekday(wall: number): number {
  return new Date(wall).getUTCDay() || 7;
}

/** That weekday of the week that is so many weeks after the given one. */
export function weekdayAt(weekday: number, wall: number, weeks = 0): TimeSpan {
  return dayAt(weekAt(wall, weeks).from, weekday - 1);
}

/** The last such weekday, today included, and the next one. */
export function weekdaysAround(weekday: number, wall: number): TimeSpan[] {
  const back = (isoWeekday(wall) - weekday + 7) % 7;
  return [dayAt(wall, -back), dayAt(wall, 7 - back)];
}

/** A month or a date that no year was named for: the last one that has begun, and the next. */
export function withoutYear(wall: number, inYear: (year: number) => TimeSpan | undefined): TimeSpan[] {
  const year = new Date(wall).getUTCFullYear();
  // 29 February may be four years away, or eight around 1900.
  const years = Array.from({ length: 17 }, (_, index) => year - 8 + index);
  const all = years.flatMap((each) => inYear(each) ?? []);
  const last = all.findLast(({ from }) => from <= wall);
  const next = all.find(({ from }) => from > wall);
  return [last, next].filter((span) => span !== undefined);
}

/** A day of the month that no month was named for: the last one, today included, and the next. */
export function withoutMonth(wall: number, day: number): TimeSpan[] {
  const date = new Date(wall);
  // Two months in a row may lack a 31st only when one of them is February, so that three on each side are enough.
  const months = Array.from({ length: 7 }, (_, index) =>
    monthOf(date.getUTCFullYear(), date.getUTCMonth() + index - 2),
  );
  const all = months.flatMap((month) => dayOfMonth(month, day) ?? []);
  return [all.findLast(({ from }) => from <= wall), all.find(({ from }) => from > wall)].filter(
    (span) => span !== undefined,
  );
}

/** Undefined when the month has no such day. */
export function dayOfMonth(month: TimeSpan, day: number): TimeSpan | undefined {
  const span = dayAt(month.from, day - 1);
  return day >= 1 && span.from < month.to ? span : undefined;
}

/** The first day, and the last one where it is another: 2026-11-09/2026-11-15. */
export function isoDays({ from, to }: TimeSpan): string {
  const [first, last] = [from, to - DAY].map((wall) => new Date(wall).toISOString().slice(0, 10)) as [string, string];
  return first === last ? first : `${first}/${last}`;
}

function moved(wall: number, unit: Unit, count: number): number {
  if (unit === 'day') return wall + count * DAY;
  if (unit === 'week') return wall + count * 7 * DAY;
  const date = new Date(wall);
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + (unit === 'month' ? count : 12 * count);
  const { from, to } = monthOf(Math.floor(months / 12), (months % 12) + 1);
  return Math.min(from + (date.getUTCDate() - 1) * DAY, to - DAY);
}

/** Date.UTC takes the years 0…99 for those of the twentieth century. */
function utc(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
}
