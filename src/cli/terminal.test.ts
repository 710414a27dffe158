import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable } from './terminal.ts';

describe('printable text', () => {
  it.each([
    ['plain', 'plain'],
    ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
    ['windows\r\nlines', 'windows\nlines'],
    ['over\rwritten', 'over\\x0dwritten'],
    ['\u001b[31mred\u001b[0m', '\\x1b[31mred\\x1b[0m'],
    ['\u009b31m', '\\x9b31m'],
    ['bell\u0007 back\u0008 delete\u007f nul\0', 'bell\\x07 back\\x08 delete\\x7f nul\\x00'],
    ['abc\u202edef\u2066', 'abc\\x202edef\\x2066'],
    ['ж中😀👩‍👩‍👧é', 'ж中😀👩‍👩‍👧é'],
  ])('%j is %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it('holds nothing that could command a terminal, and leaves the rest alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
        expect(printable(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        expect(printable(printable(text))).toBe(printable(text));
      }),
    );
  });
});
