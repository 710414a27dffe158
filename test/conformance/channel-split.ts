// What every channel's `split` must do: parts that fit, nothing lost, no fence left open.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Channel } from '../../src/channels/channel.ts';

export function describeSplit(open: () => Channel, fits: (markdown: string) => boolean): void {
  describe('a text as parts', () => {
    test('is one when it is short', () => {
      const markdown = 'Two *words*.\n\n- a list';
      expect(open().split(markdown)).toEqual([markdown]);
    });

    test('all of which fit, with nothing lost and every fence closed', () => {
      const channel = open();
      fc.assert(
        fc.property(markdownTexts, (markdown) => {
          const parts = channel.split(markdown);
          for (const part of parts) {
            expect(fits(part)).toBe(true);
            expect(part.trim()).not.toBe('');
            expect(part.isWellFormed()).toBe(true);
            expect(part.split('\n').filter((line) => line.startsWith('```')).length % 2).toBe(0);
          }
          expect(parts.map(wordsOf).join('')).toBe(wordsOf(markdown));
        }),
        { numRuns: 40 },
      );
    });

    test('opens a fence again with its language', () => {
      const code = Array.from({ length: 3_000 }, (_, line) => `const line${line} = ${line};`).join('\n');
      const parts = open().split(`Look:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nThat was it.`);
      expect(parts.length).toBeGreaterThan(1);
      expect(parts.slice(1, -1).every((part) => part.startsWith('```ts\n') && part.endsWith('\n```'))).toBe(true);
      // Cut between lines, never within one.
      const lines = parts.join('\n').match(/^const line\d+ = \d+;$/gm);
      expect(lines).toHaveLength(3_000);
    });
  });
}

/** The text without white space and fences: what a person must not miss. */
function wordsOf(markdown: string): string {
  return markdown
    .split('\n')
    .filter((line) => !line.startsWith('```'))
    .join('')
    .replace(/\s+/gu, '');
}

const word = fc.oneof(
  { weight: 20, arbitrary: fc.string({ unit: fc.constantFrom(...'abcdefgh0123éß字😀'), minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 3_000 }).map((length) => '长w😀'.repeat(length)) },
);
const line = fc.array(word, { minLength: 1, maxLength: 60 }).map((words) => words.join(' '));
const lines = fc.array(line, { minLength: 1, maxLength: 30 }).map((each) => each.join('\n'));
const block = fc.oneof(
  lines,
  lines.map((code) => `\`\`\`js\n${code}\n\`\`\``),
  fc.array(line, { minLength: 1, maxLength: 20 }).map((items) => items.map((item) => `- ${item}`).join('\n')),
);
const markdownTexts = fc.array(block, { minLength: 1, maxLength: 12 }).map((blocks) => blocks.join('\n\n'));
