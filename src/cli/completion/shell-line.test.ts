import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseShellLine } from './shell-line.ts';

const BREAKS = ' \t\n"\'@><=;|&(:';
const words = (line: string): string[] => parseShellLine(line, BREAKS).words;

describe('the words of a line', () => {
  it.each([
    ['lainclaw ask --se', ['lainclaw', 'ask', '--se']],
    ['lainclaw ask ', ['lainclaw', 'ask', '']],
    ['lainclaw  "a b" \'c d\' e\\ f', ['lainclaw', 'a b', 'c d', 'e f']],
    ['lainclaw --x="a b', ['lainclaw', '--x=a b']],
    ['lainclaw "a\\"b\\c"', ['lainclaw', 'a"b\\c']],
    ['', ['']],
  ])('of %j', (line, expected) => expect(words(line)).toEqual(expected));
});

describe('what bash inserts', () => {
  it.each([
    ['lainclaw ask --session feishu:ch', 'feishu:chat', 'chat'],
    ['lainclaw ask --approve=a', '--approve=auto', 'auto'],
    ['lainclaw ask --session=feishu:ch', '--session=feishu:chat', 'chat'],
    ['lainclaw ask --session "feishu:ch', 'feishu:chat', 'feishu:chat'],
    ['lainclaw ask --session="feishu:ch', '--session=feishu:chat', 'feishu:chat'],
    ['lainclaw ask --session feishu\\:ch', 'feishu:chat', 'feishu:chat'],
    ['lainclaw auth use my\\ k', 'my key $1', 'my\\ key\\ \\$1'],
    ['lainclaw auth use "my k', 'my key $1', 'my key \\$1'],
    ["lainclaw auth use 'my k", "my key's", "my key'\\''s"],
  ])('%s', (line, value, expected) => expect(parseShellLine(line, BREAKS).insertion(value)).toBe(expected));

  it('is read back as the value it means, wherever the cursor was and whatever was open', () => {
    const value = fc.string({ minLength: 1, unit: fc.constantFrom(...'ab:="\'\\ $`;é本@') });
    fc.assert(
      fc.property(value, fc.nat(), fc.constantFrom('', '"', "'"), (text, at, quote) => {
        const cut = at % (text.length + 1);
        const escapes = { '': /[^\w@:=é本]/g, '"': /["\\$`]/g, "'": /(?!)/g }[quote];
        const typed = text.slice(0, cut);
        // A single quote cannot be written inside single quotes.
        fc.pre(quote !== "'" || !text.includes("'"));
        const raw = quote + typed.replace(escapes, '\\$&');
        const line = `lainclaw use ${raw}`;
        const breaks =
          quote === '' ? Math.max(...[...typed].map((each, index) => (':=@'.includes(each) ? index : -1)), -1) : -1;
        const keptRaw = quote + (quote === '' ? typed.slice(0, breaks + 1).replace(escapes, '\\$&') : '');
        const inserted = parseShellLine(line, BREAKS).insertion(text);
        expect(words(`lainclaw use ${keptRaw}${inserted}${quote}`).at(-1)).toBe(text);
      }),
    );
  });
});
