import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import colors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { wrappedByLine } from './shown-text.ts';

const { green, yellow } = colors.createColors(true);
const plainly = (text: string, width: number): string[] =>
  wrappedByLine(text, width).map((line) => stripTerminalSequences(line).trimEnd());

describe('lines that are broken', () => {
  it('stay as far in as they began, also in colour', () => {
    expect(plainly('? Run in /p?\n  npm install one two three\n  (npm: asks)', 16)).toEqual([
      '? Run in /p?',
      '  npm install',
      '  one two three',
      '  (npm: asks)',
    ]);
    const coloured = wrappedByLine(`  ${green('+one two three four')}`, 14);
    expect(coloured.map(stripTerminalSequences).map((line) => line.trimEnd())).toEqual(['  +one two', '  three four']);
    expect(coloured[1]).toContain('\x1b[32m');
    expect(plainly(yellow('  one two three'), 10)).toEqual(['  one two', '  three']);
  });

  it('of a command never begin where words of ours do, whatever the command says', () => {
    const command = fc.array(fc.constantFrom('rm', 'always:', '[y] once', '? Run', '→ yes', '苹果', 'a'.repeat(50)), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(command, fc.integer({ min: 8, max: 60 }), (words, width) => {
        for (const line of wrappedByLine(`  ${words.join(' ')}`, width)) {
          expect(stripTerminalSequences(line)).toMatch(/^ {2}/);
          expect(visibleWidth(line)).toBeLessThanOrEqual(width);
        }
      }),
    );
  });

  it('lose nothing, and an empty line stays one', () => {
    expect(plainly('one\n\n  two', 20)).toEqual(['one', '', '  two']);
    expect(plainly('  word', 3)).toEqual(expect.arrayContaining([expect.stringContaining('w')]));
  });
});
