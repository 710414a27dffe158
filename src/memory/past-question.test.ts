import { describe, expect, it } from 'vitest';
import { createAnalyser } from './analysis/analyser.ts';
import { readPastQuestion, type TimeLimits } from './past-question.ts';
import { createWallClock } from './time/wall-clock.ts';

const analyser = createAnalyser();
/** A Wednesday. */
const clock = createWallClock({ now: () => Date.parse('2026-11-18T12:00:00Z'), timezone: () => 'UTC' });
const read = (question: string, limits: TimeLimits = {}) => readPastQuestion(question, limits, { analyser, clock });
const on = (date: string, text = 'payments fail') => ({ date: `${date}T09:00:00.000Z`, text });

describe('a question about past conversations', () => {
  it.each([
    ['payments last week', ['payment'], '2026-11-11'],
    ['what did we say about payments last week', ['payment'], '2026-11-11'],
    ['вчера платежи', ['платеж'], '2026-11-17'],
    ['что мы вчера говорили про платежи?', ['платеж'], '2026-11-17'],
    ['上周 付款', ['付', '款', '付款'], '2026-11-11'],
    ['我们上周讨论了付款吗', ['付', '款', '付款'], '2026-11-11'],
  ])('"%s" asks for a subject, and for a time', (question, terms, day) => {
    const { terms: asked, isOfAskedTime } = read(question);
    expect([...asked].sort()).toEqual([...terms].sort());
    expect(isOfAskedTime?.(on(day))).toBe(true);
    expect(isOfAskedTime?.(on('2026-10-02'))).toBe(false);
  });

  it('of a time alone has no words', () => {
    const { words, terms, isOfAskedTime } = read('yesterday');
    expect([words, [...terms]]).toEqual([[], []]);
    expect(isOfAskedTime?.(on('2026-11-17'))).toBe(true);
  });

  it('without a time asks for its words, also for words for saying alone', () => {
    expect(read('payments retry').isOfAskedTime).toBeUndefined();
    expect([...read('payments retry').terms].sort()).toEqual(['payment', 'retri']);
    expect([...read('talk').terms]).toEqual(['talk']);
  });

  it('keeps to its limits, in words as well', () => {
    const { isAllowed } = read('payments', { since: 'last week', until: '2026-11-15' });
    expect(['2026-11-08', '2026-11-09', '2026-11-15', '2026-11-16'].map((day) => isAllowed(on(day)))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(() => read('payments', { since: 'soonish' })).toThrow('is not a date');
  });
});
