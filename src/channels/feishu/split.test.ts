import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cardOf, platformMarkdown } from './card.ts';
import { codeRanges } from './code-ranges.ts';
import { CARD_LIMITS, type CardLimits, costOf, splitMarkdown } from './split.ts';

const SMALL: CardLimits = { bytes: 400, characters: 160, tables: 2 };

/** What a person reads: no white space, no fences, no repeated heads. */
const words = (text: string) =>
  text
    .split('\n')
    .filter((line) => !/^[\s>]*(```|~~~)/.test(line))
    .join('')
    .replace(/\s+/g, '');

describe('the cost of a text', () => {
  test('is never less than the bytes it takes in a request', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes)),
          fc.string({ unit: fc.constantFrom(...'<>"\\\n\t`!a字😀[](') }),
        ),
        (text) => {
          const empty = Buffer.byteLength(JSON.stringify({ content: JSON.stringify({ content: '' }) }));
          const content = JSON.stringify({ content: platformMarkdown(text) });
          expect(Buffer.byteLength(JSON.stringify({ content })) - empty).toBeLessThanOrEqual(costOf(text));
        },
      ),
    );
  });
});

describe('parts', () => {
  const line = fc.string({ unit: fc.constantFrom(...'ab字😀 <"\\`|-#>'), maxLength: 80 });
  const markdown = fc
    .array(
      fc.oneof(
        line,
        line.map((text) => `> ${text}`),
        fc.constantFrom('```ts', '```', '~~~', '- ```js', '', '| a | b |', '|---|---|', '| 1 | 2 |'),
      ),
      { maxLength: 60 },
    )
    .map((lines) => lines.join('\n'));

  test('fit, are not empty and cut no character, whatever the text', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        for (const part of splitMarkdown(text, SMALL)) {
          expect(costOf(part)).toBeLessThanOrEqual(SMALL.bytes);
          expect(part.length).toBeLessThanOrEqual(SMALL.characters);
          expect(part.trim()).not.toBe('');
          expect(part.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('together hold every word, in order', () => {
    const block = fc.oneof(
      fc
        .array(fc.string({ unit: fc.constantFrom(...'ab字😀 '), minLength: 1, maxLength: 300 }), { minLength: 1 })
        .map((lines) => lines.join('\n')),
      fc
        .array(fc.string({ unit: fc.constantFrom(...'ab字 '), maxLength: 120 }))
        .map((lines) => `\`\`\`js\n${lines.join('\n')}\n\`\`\``),
    );
    fc.assert(
      fc.property(fc.array(block), (blocks) => {
        const text = blocks.join('\n\n');
        expect(splitMarkdown(text, SMALL).map(words).join('')).toBe(words(text));
      }),
      { numRuns: 300 },
    );
  });

  test('of a text that fits are the text', () => {
    const text = '# Title\n\nSome text.\n\n\n- one\n- two\n\n```ts\ncode\n\nmore\n```';
    expect(splitMarkdown(text)).toEqual([text]);
  });

  test('of nothing are none', () => {
    expect(splitMarkdown('')).toEqual([]);
    expect(splitMarkdown(' \n\n ')).toEqual([]);
  });

  test('are cut between paragraphs before they are cut within one', () => {
    const paragraph = 'word '.repeat(20).trim();
    const parts = splitMarkdown(Array(6).fill(paragraph).join('\n\n'), SMALL);
    expect(parts.every((part) => part.split('\n\n').every((each) => each === paragraph))).toBe(true);
  });

  test('of code within a list continue within the item', () => {
    const code = Array.from({ length: 30 }, (_, index) => `  line ${index}`).join('\n');
    const parts = splitMarkdown(`- \`\`\`sh\n${code}\n  \`\`\``, SMALL);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts[1]?.startsWith('  ```sh\n')).toBe(true);
    expect(parts.every((part) => part.endsWith('\n  ```'))).toBe(true);
  });

  test('of a long table each have its head', () => {
    const rows = Array.from({ length: 30 }, (_, index) => `| row ${index} | x |`);
    const parts = splitMarkdown(['| name | value |', '|---|---|', ...rows].join('\n'), SMALL);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.every((part) => part.startsWith('| name | value |\n|---|---|\n| row '))).toBe(true);
    expect(parts.join('\n').match(/row \d+/g)).toHaveLength(30);
  });

  test('hold no more tables than a card may, and a table in code is none', () => {
    const table = '| a | b |\n|:-:|---|\n| 1 | 2 |';
    const parts = splitMarkdown(Array(7).fill(table).join('\n\n'));
    expect(parts.map((part) => part.match(/\|:-:\|/g)?.length)).toEqual([3, 3, 1]);
    expect(splitMarkdown(`\`\`\`\n${Array(7).fill(table).join('\n\n')}\n\`\`\``)).toHaveLength(1);
  });

  test.each(['字 <b>"x"</b> \\ ', '> ', '| ', '` ``', '| a |\n', '|-', '```\n'])(
    'of a very long text take no more than linear time: %j',
    (unit) => {
      const parts = splitMarkdown(unit.repeat(70_000));
      expect(parts.every((part) => Buffer.byteLength(cardOf({ markdown: part })) < 30_000)).toBe(true);
      expect(parts.every((part) => part.length <= CARD_LIMITS.characters)).toBe(true);
    },
  );
});

describe('code in a text', () => {
  const codeOf = (text: string) => codeRanges(text).map(([from, to]) => text.slice(from, to));

  test.each([
    ['a `b` c ``d`e`` f', ['`b`', '``d`e``']],
    ['no `end here', []],
    ['\\`a` b`', ['` b`']],
    ['\\\\`a`', ['`a`']],
    ['\\``a`', ['`a`']],
    ['`a\n\nb`', []],
    ['x\n```js\na < b\n```\ny `z`', ['```js\na < b\n```\n', '`z`']],
    ['~~~\n```\n~~~', ['~~~\n```\n~~~']],
    ['````\n```\n````', ['````\n```\n````']],
    ['> ```\n> a\n> ```', ['> ```\n> a\n> ```']],
    ['```\nto the end', ['```\nto the end']],
    ['``` not `a` fence', ['`a`']],
  ])('%j', (text, expected) => {
    expect(codeOf(text)).toEqual(expected);
  });

  test('calls nobody either, should the platform see no code there', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('<at id=all></at>', '`', '\\', '\n', '```', 'a', ' ', '~~~') }),
        (text) => {
          expect(platformMarkdown(text)).not.toContain('<at');
          expect(platformMarkdown(text).length).toBeLessThanOrEqual(costOf(text));
        },
      ),
    );
  });

  test('is left as it is, around it nothing acts', () => {
    expect(platformMarkdown('<at id=all></at> `<b>`\n```\n<i>![x](y)\n```\n![x](y) <https://e.com>')).toBe(
      '&#60;at id=all>&#60;/at> `<b>`\n```\n<i>![x](y)\n```\n[x](y) https://e.com',
    );
  });
});
