import { expect, it } from 'vitest';
import { matchScore } from './match-score.ts';

it('letters in their order match, beginnings of words and neighbours before the rest', () => {
  expect(matchScore('xyz', 'Schedules')).toBe(0);
  expect(matchScore('', 'Schedules')).toBeGreaterThan(0);
  expect(matchScore('sch', 'Schedules')).toBeGreaterThan(matchScore('sch', 'Search in chats'));
  expect(matchScore('nc', 'New conversation')).toBeGreaterThan(matchScore('nc', 'Once upon'));
  expect(matchScore('настр', 'Настройки')).toBeGreaterThan(0);
});
