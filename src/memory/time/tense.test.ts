import { expect, it } from 'vitest';
import { tenseAround } from './tense.ts';
import { aboutOf, timeTerms } from './time-terms.ts';

/** A November. */
const NOW = Date.UTC(2026, 10, 16, 12);
const monthsOf = (text: string): string[] =>
  aboutOf(text, NOW).map(({ span }) => new Date(span.from).toISOString().slice(0, 7));

it.each([
  ['Anna bought a red bicycle in March.', '2026-03'],
  ['We moved in March, and it rained.', '2026-03'],
  ['We will move in March.', '2027-03'],
  ["I'll see the children in September.", '2027-09'],
  ['Сестра купила машину в марте.', '2026-03'],
  ['Мы будем в отпуске в сентябре.', '2027-09'],
  ['我们三月搬家了', '2026-03'],
  ['我们打算九月搬家', '2027-09'],
  ['Я купил машину в марте.', '2026-03'],
  ['We will go to Paris in November.', '2026-11'],
  ['We went to Paris in November.', '2026-11'],
])('a sentence tells which one a month without a year is: %s', (text, month) => {
  expect(monthsOf(text)).toEqual([month]);
});

it.each([
  ['The bill of March is red.', '2027-03'],
  ['The exam is in March.', '2027-03'],
  ["I'm so excited about the concert in March.", '2027-03'],
  ['I am invited to a wedding in March.', '2027-03'],
  ['We booked a house by the sea in March.', '2027-03'],
  ['我们三月要搬家了', '2027-03'],
  ['Отдел в марте на выставке.', '2027-03'],
  ['The fair is in September.', '2026-09'],
  ['九月的会议在北京。', '2026-09'],
])('where it does not tell, the nearest one is meant: %s', (text, month) => {
  expect(monthsOf(text)).toEqual([month]);
});

it('only the sentence of the time counts', () => {
  const text = 'We met. The exam is in March. She left.';
  expect(tenseAround(text, text.indexOf('in March'))).toBeUndefined();
});

it('what will be on the day of the sentence is not a year later', () => {
  const [about] = aboutOf('We will meet on 16 November.', NOW);
  expect(new Date(about?.span.from ?? 0).toISOString().slice(0, 10)).toBe('2026-11-16');
});

it('a date without a year is in the index as the person means it, in every time zone', () => {
  // In Tokyo the 17th has begun, in Honolulu it is still the 16th.
  const early = timeTerms({ date: '2026-11-16T23:00:00Z', text: 'We met on 17 November.' });
  const late = timeTerms({ date: '2026-11-17T02:00:00Z', text: 'We will meet on 16 November.' });
  for (const [terms, day] of [
    [early, '20261117'],
    [late, '20261116'],
  ] as const)
    expect(terms.some((term) => term.endsWith(day))).toBe(true);
});
