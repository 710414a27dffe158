import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedaction, REPLACEMENT } from './redaction.ts';

const LONG = Array.from({ length: 12_000 }, (_, index) => `word${index}.(é)`).join(' ');

describe('a text that is forgotten', () => {
  it('is found whatever its case and the blanks between its words', () => {
    const redaction = createRedaction('  The Bridge (old)\nof Riga ');
    expect(redaction.replaced('x the  bridge\n(OLD) of riga, The Bridge (old) of Riga')).toBe(
      `x ${REPLACEMENT}, ${REPLACEMENT}`,
    );
    expect(redaction.holds('the bridge old of riga')).toBe(false);
  });

  it('may be very long', () => {
    const redaction = createRedaction(LONG);
    expect(LONG.length).toBeGreaterThan(100_000);
    const other = LONG.toUpperCase().replaceAll(' ', '\n  ');
    expect(redaction.replaced(`before ${other} after`)).toBe(`before ${REPLACEMENT} after`);
    const cut = LONG.slice(0, -1);
    expect(redaction.holds(cut)).toBe(false);
    // It begins twice, and is whole once.
    expect(redaction.replaced(`${cut} ${LONG}`)).toBe(`${cut} ${REPLACEMENT}`);
  });

  it('may be one very long word', () => {
    const word = '\u{1f600}a'.repeat(50_000);
    expect(createRedaction(word).replaced(`x${word}y`)).toBe(`x${REPLACEMENT}y`);
  });

  it('is found where it was put, and nothing else changes', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), {
      minLength: 1,
      maxLength: 400,
    });
    fc.assert(
      fc.property(texts, texts, (words, around) => {
        const text = words.join(' ').normalize('NFC').trim();
        fc.pre(text !== '');
        const given = `${around.join('')}${text}${around.join('')}`.normalize('NFC');
        fc.pre(given.includes(text));
        const redaction = createRedaction(text);
        expect(redaction.holds(given)).toBe(true);
        expect(redaction.replaced(given, (found) => found)).toBe(given);
      }),
    );
  });
});
