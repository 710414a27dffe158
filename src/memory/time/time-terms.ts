// Time in the index of terms: a chunk has terms for the day, the month and the year in which it was said and which it is about,
// so that a time is found like a word. A mark that no word contains tells it from words.
// Days in the index are those of UTC, so that the same chunk always has the same terms; who asks adds a day on both sides and
// compares exactly afterwards.
import { MARK } from '../../storage/archive.ts';
import { DAY, dateOf, dayAt, monthAt, type TimeSpan, yearAt } from './calendar.ts';
import { tenseAround } from './tense.ts';
import { findTimeWords } from './time-words.ts';

/** A span of more days is indexed by its months alone, one of more months by its years. */
const MOST_DAYS = 14;
const MOST_MONTHS = 12;
const MOST_YEARS = 10;
const MOST_SPANS = 8;
const FARTHEST_ZONE = 14 * 60 * 60_000;
/** Nothing outside is looked for: open spans end here. */
const FIRST: number = dateOf(1900, 1, 1)?.from ?? 0;
const LAST: number = dateOf(2100, 1, 1)?.from ?? 0;

export interface About {
  span: TimeSpan;
  /** False for a weekday, which may be the last or the next. */
  isCertain: boolean;
}

/** What a text is about, where it tells: spans of wall time. `wall` is the wall time at which it was said. */
export function aboutOf(text: string, wall: number): About[] {
  const all = findTimeWords(text, wall).flatMap(({ spans, isRelative, index }): About[] => {
    if (isRelative) return spans.map((span) => ({ span, isCertain: spans.length === 1 }));
    // A date without a year is the nearest one, unless the sentence tells that it is over or to come.
    const tense = spans.length > 1 ? tenseAround(text, index) : undefined;
    const told = tense && spans.filter(({ from, to }) => (tense === 'past' ? from <= wall : to > wall));
    const possible = told && told.length > 0 ? told : spans;
    const [nearest] = possible.toSorted((a, b) => Math.abs(a.from - wall) - Math.abs(b.from - wall));
    return nearest ? [{ span: nearest, isCertain: true }] : [];
  });
  return all.filter(({ span }) => isInIndex(span)).slice(0, MOST_SPANS);
}

/** False for spans that are open at one end, and for those of other centuries: no text is known to be about them. */
export function isInIndex({ from, to }: TimeSpan): boolean {
  return from >= FIRST && to <= LAST;
}

/** The terms of a chunk that was said at an ISO date. */
export function timeTerms({ date, text }: { date: string; text: string }): string[] {
  const said = Date.parse(date);
  if (Number.isNaN(said)) return [];
  const terms = new Set<string>();
  const about = aboutOf(text, said);
  // Elsewhere it is a day earlier or later, which can be another year for a date without one.
  const elsewhere = about.length > 0 ? [aboutOf(text, said - FARTHEST_ZONE), aboutOf(text, said + FARTHEST_ZONE)] : [];
  const spans = [...about, ...elsewhere.flat()].map(({ span }) => span);
  for (const span of [dayAt(said), ...spans]) for (const term of termsOfSpan(span)) terms.add(term);
  return [...terms];
}

/** A chunk that was said in one of the spans, or is about it, has one of these terms. */
export function termsWithin(spans: readonly TimeSpan[]): string[] {
  const terms = new Set<string>();
  for (const { from, to } of spans) {
    const end = Math.min(to + DAY, LAST);
    for (let at = Math.max(from - DAY, FIRST); at < end; ) {
      const [year, month, day] = [yearAt(at), monthAt(at), dayAt(at)];
      const whole = year.from === at && year.to <= end ? year : month.from === at && month.to <= end ? month : day;
      terms.add(whole === year ? yearTerm(at) : whole === month ? monthTerm(at) : dayTerm(at));
      at = whole.to;
    }
  }
  return [...terms];
}

function termsOfSpan({ from, to }: TimeSpan): string[] {
  const terms: string[] = [];
  if (to - from <= MOST_DAYS * DAY) for (let at = from; at < to; at += DAY) terms.push(dayTerm(at));
  const months = each(from, to, (at) => monthAt(at).to);
  if (months.length <= MOST_MONTHS) terms.push(...months.map(monthTerm));
  return [
    ...terms,
    ...each(from, to, (at) => yearAt(at).to)
      .slice(0, MOST_YEARS)
      .map(yearTerm),
  ];
}

function each(from: number, to: number, next: (at: number) => number): number[] {
  const found: number[] = [];
  for (let at = from; at < to; at = next(at)) found.push(at);
  return found;
}

const isoOf = (at: number): string => new Date(at).toISOString().replaceAll('-', '');
const dayTerm = (at: number): string => MARK + isoOf(at).slice(0, 8);
const monthTerm = (at: number): string => MARK + isoOf(at).slice(0, 6);
const yearTerm = (at: number): string => MARK + isoOf(at).slice(0, 4);
