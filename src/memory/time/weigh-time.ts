// Ranks with the times that a question names: a chunk that was said then, or is about then, gains; one from close by gains a
// little. It is a weight and not a filter, because people err about dates.
import type { Ranked } from '../rank.ts';
import type { AskedTimes } from './asked-times.ts';
import { DAY, dayAt, type TimeSpan } from './calendar.ts';
import { type About, aboutOf, isInIndex } from './time-terms.ts';
import type { WallClock } from './wall-clock.ts';

/** What a time counts against words. */
const TIME_SHARE = 0.6;
/** Of a year or more by its number, which texts about it mostly contain. */
const YEAR_SHARE = 0.25;
const YEAR_DAYS = 360;
const YEAR_NUMBER = /^[12]\d{3}$/;
/** What another reading of the same words counts: "on Friday" is rather the last one than the next. */
const OTHER_READING = 0.7;
/** Of a text that is about a much longer time, a year for a day. */
const VAGUE = 0.3;
const VAGUE_FROM = 4;

export function weighTime(
  ranked: readonly Ranked[],
  { spans: asked, isRelative }: AskedTimes,
  clock: WallClock,
): Ranked[] {
  if (asked.length === 0) return [...ranked];
  const isYear = !isRelative && asked.every(isYearOrMore);
  const share = isYear ? YEAR_SHARE : TIME_SHARE;
  return ranked
    .map((entry) => ({
      ...entry,
      score: (entry.score + share * timeScore(entry, asked, clock)) / (1 + share),
    }))
    .sort((a, b) => b.score - a.score);
}

/**
 * What has nothing of a question but words of its date ("November"), and is of another time, does not answer it: it counts as if it
 * had no word. A birthday of another year answers a question that names the day without a year, a text with the number of an asked year is
 * about that year, and of times that are not in the index nothing is known.
 */
export function withoutOtherDates(
  ranked: readonly Ranked[],
  { spans, dateTerms }: { spans: readonly TimeSpan[]; dateTerms: ReadonlySet<string> },
  clock: WallClock,
): Ranked[] {
  if (dateTerms.size === 0 || !spans.every(isInIndex)) return [...ranked];
  const years = new Set(spans.every(isYearOrMore) ? [...dateTerms].filter((term) => YEAR_NUMBER.test(term)) : []);
  return ranked
    .map((entry) => {
      const hasOnlyDate = entry.matched.length > 0 && entry.matched.every((term) => dateTerms.has(term));
      const isOfThen = (): boolean =>
        spans.some((span) => isWithin(entry, span, clock)) ||
        isAboutSameDay(entry, spans, clock) ||
        entry.matched.some((term) => years.has(term));
      return hasOnlyDate && !isOfThen() ? { ...entry, score: 0 } : entry;
    })
    .sort((a, b) => b.score - a.score);
}

/** True when the chunk is about the day that was asked for, in whatever year. A question without a year has two readings: the last such day, and the next. */
function isAboutSameDay({ chunk }: Ranked, asked: readonly TimeSpan[], clock: WallClock): boolean {
  if (asked.length === 1) return false;
  const days = new Set(asked.flatMap((span) => dayOfYear(span) ?? []));
  return timesOf(chunk, clock).about.some(({ span }) => days.has(dayOfYear(span) ?? ''));
}

function isYearOrMore({ from, to }: TimeSpan): boolean {
  return to - from >= YEAR_DAYS * DAY;
}

/** "11-10"; undefined for a longer time. */
function dayOfYear({ from, to }: TimeSpan): string | undefined {
  return to - from === DAY ? new Date(from).toISOString().slice(5, 10) : undefined;
}

/** True when the chunk was said within the span or is about something within it. */
export function isWithin({ chunk: { document, text } }: Ranked, span: TimeSpan, clock: WallClock): boolean {
  return isSaidOrAbout({ date: document.date, text }, span, clock);
}

/** The same of any text. */
export function isSaidOrAbout(
  { date, text }: { date: string; text: string },
  span: TimeSpan,
  clock: WallClock,
): boolean {
  const { said, about } = timesOf({ document: { date }, text }, clock);
  const certain = about.filter(({ isCertain }) => isCertain).map((each) => each.span);
  return [said, ...certain].some(({ from, to }) => from < span.to && span.from < to);
}

/** When a chunk was said, and what it is about. */
export function timesOf(
  { document, text }: { document: { date: string }; text: string },
  clock: WallClock,
): { said: TimeSpan; about: About[] } {
  const wall = clock.wallAt(Date.parse(document.date));
  return { said: dayAt(wall), about: aboutOf(text, wall) };
}

function timeScore({ chunk }: Ranked, asked: readonly TimeSpan[], clock: WallClock): number {
  const { said, about } = timesOf(chunk, clock);
  return asked.reduce((best, span, reading) => {
    const closeness = about.reduce(
      (most, { span: time, isCertain }) => Math.max(most, (isCertain ? 1 : OTHER_READING) * closenessOf(time, span)),
      closenessOf(said, span),
    );
    return Math.max(best, (reading === 0 ? 1 : OTHER_READING) * closeness);
  }, 0);
}

function closenessOf(time: TimeSpan, asked: TimeSpan): number {
  const length = asked.to - asked.from;
  const gap = Math.max(0, asked.from - time.to, time.from - asked.to);
  if (gap === 0 && time.from < asked.to && asked.from < time.to)
    return time.to - time.from > VAGUE_FROM * length ? VAGUE : 1;
  return 0.5 * Math.exp(-gap / Math.max(2 * DAY, length / 2));
}
