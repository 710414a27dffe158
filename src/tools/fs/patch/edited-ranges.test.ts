import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEditedRanges, type LineRange } from './edited-ranges.ts';

const range = fc.tuple(fc.nat(40), fc.nat(4)).map(([start, length]): LineRange => ({ start, end: start + length }));

it('finds the same overlaps as comparing with each range', () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 30 }), (ranges) => {
      const edited = createEditedRanges();
      const kept: LineRange[] = [];
      for (const one of ranges) {
        const expected = kept.some((other) => one.start < other.end && other.start < one.end);
        expect(edited.overlaps(one.start, one.end)).toBe(expected);
        // A hunk that only adds lines is placed without a comparison.
        if (expected && one.start < one.end) continue;
        edited.add([one]);
        kept.push(one);
      }
      expect(edited.isEmpty).toBe(kept.length === 0);
      expect(edited.end).toBe(Math.max(0, ...kept.map(({ end }) => end)));
    }),
  );
});
