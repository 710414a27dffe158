import { expect, it } from 'vitest';
import { tenseAround } from './tense.ts';
import { aboutOf } from './time-terms.ts';

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
])('a sentence tells which one a month without a year is: %s', (text, month) => {
  expect(monthsOf(text)).toEqual([month]);
});

it.each([
  ['The bill of March is red.', '2027-03'],
  ['The exam is in March.', '2027-03'],
  ['The fair is in September.', '2026-09'],
  ['九月的会议在北京。', '2026-09'],
])('where it does not tell, the nearest one is meant: %s', (text, month) => {
  expect(monthsOf(text)).toEqual([month]);
});

it('only the sentence of the time counts', () => {
  const text = 'We met. The exam is in March. She left.';
  expect(tenseAround(text, text.indexOf('in March'))).toBeUndefined();
});
