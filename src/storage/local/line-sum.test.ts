import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkSum, correctLine, linesWithSums, withoutSum, withSum } from './line-sum.ts';

const line = fc.record({ type: fc.string(), content: fc.string({ unit: 'grapheme', maxLength: 300 }) });

describe('the sum of a line', () => {
  it('is the CRC-32 that every other program computes', () => {
    // Of `{"type":"x"`, by zlib.
    const { crc32 } = process.getBuiltinModule('node:zlib');
    const expected = crc32('{"type":"x"').toString(16).padStart(8, '0');
    expect(withSum('{"type":"x"}')).toBe(`{"type":"x","sum":"${expected}"}`);
  });

  it('is right for what was written, and absent in lines of earlier versions', () => {
    fc.assert(
      fc.property(line, (value) => {
        const json = JSON.stringify(value);
        expect(checkSum(Buffer.from(withSum(json)))).toBe('right');
        expect(JSON.parse(withSum(json))).toMatchObject(value);
        expect([withSum(json), json].map(withoutSum)).toEqual([json, json]);
        expect(checkSum(Buffer.from(json))).toBe('none');
      }),
    );
  });

  it('is the same where several lines are written at once', () => {
    fc.assert(
      fc.property(fc.array(line), (values) => {
        const jsons = values.map((value) => JSON.stringify(value));
        expect(linesWithSums(jsons).toString()).toBe(jsons.map((json) => `${withSum(json)}\n`).join(''));
      }),
    );
  });

  it('finds any changed byte, and tells what it was', () => {
    fc.assert(
      fc.property(line, fc.nat(), fc.integer({ min: 1, max: 255 }), (value, where, change) => {
        const written = Buffer.from(withSum(JSON.stringify(value)));
        const at = where % (written.length - 18);
        const damaged = Buffer.from(written);
        damaged[at] = (damaged[at] ?? 0) ^ change;
        expect(checkSum(damaged)).toBe('wrong');
        expect(correctLine(damaged)).toEqual(written);
      }),
      { numRuns: 500 },
    );
  });

  it('corrects nothing where two bytes have changed', () => {
    const damaged = Buffer.from(withSum(JSON.stringify({ type: 'message', content: 'abcdefgh' })));
    damaged.write('XX', 20);
    expect(checkSum(damaged)).toBe('wrong');
    expect(correctLine(damaged)).toBeUndefined();
  });
});
