import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import colors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { createAnswerBlock } from './answer-block.ts';
import { createBlock } from './block.ts';
import { markdownTheme } from './theme.ts';

const plain = colors.createColors(false);
const WIDTH = 60;

function drawn(text: string, splitFrom?: number): string {
  const block = createAnswerBlock(markdownTheme(plain), splitFrom);
  // As it arrives, piece by piece.
  for (let at = 7; at < text.length; at += 7) {
    block.setText(text.slice(0, at));
    block.render(WIDTH);
  }
  block.setText(text);
  return block.render(WIDTH).join('\n');
}

const ANSWER = [
  '# Title',
  'A paragraph with **bold** and `code`.',
  '- one\n- two\n  - three\n  - four\n- five\n- six words\n- seven',
  '```ts\nconst a = 1;\n\nconst b = 2;\n\n\n  const c = 3;\n// ~~~ no end\n```',
  '9. nine\n10. ten\n11. eleven\n    still eleven\n12. twelve\n13. thirteen',
  '> quoted',
  '~~~~\nfirst\n```\nin the block\n~~~~',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  '- loose\n\n- list\n\n- of four\n\n- items',
  'The end.',
].join('\n\n');

describe('an answer that grows', () => {
  it('begins no line with the blank it was broken at, also behind a coloured word', () => {
    const block = createAnswerBlock(markdownTheme(colors.createColors(true)));
    for (const text of ['some words and **bold** then more', 'some words and `bold` then more']) {
      block.setText(text);
      const lines = block.render('some words and bold'.length).map(stripTerminalSequences);
      expect(lines).toEqual(['some words and bold', 'then more']);
    }
  });

  it.each([1, 10, 40, 100])('looks the same when its beginning is kept from %d characters on', (splitFrom) => {
    expect(drawn(ANSWER, splitFrom)).toBe(drawn(ANSWER));
    expect(drawn(ANSWER)).toContain('const b = 2;');
  });

  it.each([
    ['a number', 'a &#27;[2J b &#x9b;31m c &#0027;]0;x&#7;'],
    ['itself', 'a \x1b[2J b \x9b31m \x1b]0;x\x07 \u202e'],
    ['both in a link', '[a&#27;\x1b](http://x/\x1b[2J&#27;)'],
    ['both in a table', '| a&#27; |\n|---|\n| \x1b[2J&#27;[2J |'],
  ])('shows a control character that is written as %s, and does not send it', (_how, text) => {
    const lines = createBlock({ kind: 'answer', id: 1, text, isPlain: false }, plain, () => false).render(WIDTH);
    expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(lines.join('\n')).toMatch(/\\x(1b|9b)/);
  });

  it('is harmless and fits at any width, whatever the model writes', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.constantFrom(
        '&#27;',
        '\x1b[',
        '| a |\n|---|\n',
        '```\n',
        '- ',
        '# ',
        '[x](',
        ')',
        '中文',
        '👩‍👩‍👧',
        '\t',
        '$',
        '<b>',
        '\r',
      ),
    );
    const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 90 }), fc.boolean(), (given, width, isPlain) => {
        const block = createBlock({ kind: 'answer', id: 1, text: given, isPlain }, plain, () => false);
        for (const line of block.render(width)) {
          // biome-ignore lint/suspicious/noControlCharactersInRegex: our own styles take no room.
          const bare = line.replace(/\x1b\[[\d;]*m/g, '');
          expect(bare).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
          expect(visibleWidth(line)).toBeLessThanOrEqual(width);
        }
      }),
      { numRuns: 50 },
    );
  });
});
