import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FACT_KINDS, FACT_RELATIONS } from '../vocabulary/fact.ts';
import { type DecideFact, decideFact, type ExtractedFact } from './decide-fact.ts';
import { createWallTime, wallDay } from './time/wall-clock.ts';

const KNOWN = {
  id: 'mem-1',
  text: 'Ada lives in Lisbon.',
  kind: 'fact' as const,
  saidAt: '2026-03-01T09:00:00.000Z',
  validFrom: '2026-03-01T09:00:00.000Z',
};
const fact = (given: Partial<ExtractedFact> = {}): ExtractedFact => ({
  text: 'Ada lives in Riga.',
  kind: 'fact',
  relation: 'update',
  of: KNOWN,
  turnId: 'turn-1',
  saidAt: '2026-11-16T15:00:00.000Z',
  ...given,
});
const context = (given: Partial<DecideFact> = {}): DecideFact => ({
  tainted: false,
  sameAs: () => undefined,
  replaced: new Set(),
  dayOf: (moment) => moment.slice(0, 10),
  document: ({ text }) => ({ id: 'mem-2', source: 'facts', date: '', hash: text, chunks: [] }),
  ...given,
});

describe('an extracted fact', () => {
  it('replaces what it updates, from the day that was said', () => {
    expect(decideFact(fact(), context())).toMatchObject({
      relation: 'update',
      other: 'mem-1',
      validFrom: fact().saidAt,
    });
    const since = '2026-10-01T00:00:00.000Z';
    expect(decideFact(fact({ since }), context())).toMatchObject({ validFrom: since });
  });

  it('that was said before what is known is past from the start', () => {
    expect(decideFact(fact({ saidAt: '2026-01-01T00:00:00.000Z' }), context())).toMatchObject({ isOlder: true });
  });

  it.each([
    { when: 'days before the known one was said', said: '2026-03-07T15:00:00.000Z', since: '2026-02-20T00:00:00.000Z' },
    { when: 'at the start of the same day', said: '2026-03-01T18:00:00.000Z', since: '2026-03-01T00:00:00.000Z' },
  ])('that was said later replaces what is known, also when it became true $when', ({ said: saidAt, since }) => {
    const change = decideFact(fact({ saidAt, since }), context());
    expect(change).toMatchObject({ relation: 'update', other: 'mem-1', validFrom: since });
    expect(change).not.toHaveProperty('isOlder');
  });

  it('that was said earlier is past, also when it says a later day', () => {
    const earlier = fact({ saidAt: '2026-02-01T09:00:00.000Z', since: '2026-03-05T00:00:00.000Z' });
    expect(decideFact(earlier, context())).toMatchObject({ isOlder: true });
  });

  it('that contradicts one of the same day where the person is goes to them, and one of another day decides', () => {
    const said = fact({ relation: 'contradicts', saidAt: '2026-03-01T20:00:00.000Z' });
    expect(decideFact(said, context())).toMatchObject({ relation: 'proposed', why: 'contradicts' });
    // In Shanghai it is the next morning.
    const inShanghai = createWallTime(() => 'Asia/Shanghai');
    const dayOf = (moment: string): string => wallDay(moment, inShanghai);
    expect(decideFact(said, context({ dayOf }))).toMatchObject({ relation: 'contradicts', other: 'mem-1' });
  });

  it('merges with the same words, whatever the model says', () => {
    const change = decideFact(fact({ relation: 'new', of: undefined }), context({ sameAs: () => KNOWN }));
    expect(change).toMatchObject({ relation: 'same', other: 'mem-1' });
  });

  it('that contradicts holds when it is later, and is asked about on the same day', () => {
    expect(decideFact(fact({ relation: 'contradicts' }), context())).toMatchObject({ relation: 'contradicts' });
    const same = fact({ relation: 'contradicts', saidAt: '2026-03-01T18:00:00.000Z' });
    expect(decideFact(same, context())).toMatchObject({ relation: 'proposed', why: 'contradicts', other: 'mem-1' });
  });

  it('adds itself where another one of the answer has replaced the fact already', () => {
    expect(decideFact(fact(), context({ replaced: new Set(['mem-1']) }))).toMatchObject({ relation: 'new' });
  });

  it('of a tainted conversation is never kept without a person', () => {
    const any = fc.record({
      relation: fc.constantFrom(...FACT_RELATIONS),
      kind: fc.constantFrom(...FACT_KINDS),
      of: fc.constantFrom(KNOWN, undefined),
      text: fc.string({ minLength: 1 }),
    });
    fc.assert(
      fc.property(any, fc.boolean(), (given, isSame) => {
        const change = decideFact(fact(given), context({ tainted: true, sameAs: () => (isSame ? KNOWN : undefined) }));
        expect(change === undefined || (change.relation === 'proposed' && change.why === 'tainted')).toBe(true);
      }),
    );
  });
});
