import { expect, it } from 'vitest';
import { counted } from './counted.ts';

it.each([
  [0, '0 files'],
  [1, '1 file'],
  [2, '2 files'],
])('the noun fits the count %i', (count, expected) => {
  expect(counted(count, 'file')).toBe(expected);
});

it.each([
  [1, '1 link is left out'],
  [2, '2 links are left out'],
])('the verb fits the count %i', (count, expected) => {
  expect(`${counted(count, 'link is', 'links are')} left out`).toBe(expected);
});
