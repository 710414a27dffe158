import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.ts';

const COMMANDS = ['ask', 'chat', 'tools', 'sessions', 'memory'];

describe('the nearest candidate', () => {
  it.each([
    ['aks', 'ask'],
    ['ASK', 'ask'],
    ['tool', 'tools'],
    ['tolos', 'tools'],
    ['sesions', 'sessions'],
    ['memroy', 'memory'],
    ['cht', 'chat'],
    ['sess', 'sessions'],
  ])('to %s is %s', (typed, expected) => {
    expect(nearest(typed, COMMANDS)).toBe(expected);
  });

  it.each(['', 'x', 'zzz', 'qqqqqqqq', 'x'.repeat(10_000)])('to %s is none', (typed) => {
    expect(nearest(typed, COMMANDS)).toBeUndefined();
  });

  it('is none where several begin so', () => {
    expect(nearest('st', ['status', 'starting'])).toBeUndefined();
  });

  it('of none is none', () => {
    expect(nearest('ask', [])).toBeUndefined();
  });

  it('is a candidate itself when it was typed right, or with one slip in a word long enough', () => {
    const word = fc.stringMatching(/^[a-z]{4,12}$/);
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1, maxLength: 6 }),
        fc.nat(),
        fc.nat(),
        (candidates, which, where) => {
          const candidate = candidates[which % candidates.length] ?? '';
          expect(nearest(candidate, candidates)).toBe(candidate);
          const at = where % candidate.length;
          const slipped = candidate.slice(0, at) + candidate.slice(at + 1);
          expect(nearest(slipped, [candidate])).toBe(candidate);
        },
      ),
    );
  });

  it('is always a candidate or nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (typed) => {
        expect([...COMMANDS, undefined]).toContain(nearest(typed, COMMANDS));
      }),
    );
  });
});
