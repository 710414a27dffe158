import { visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import colors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { createAnswerBlock } from './answer-block.ts';
import { alignTables } from './table-alignment.ts';
import { markdownTheme } from './theme.ts';

function drawn(markdown: string, width: number, hasColors = false): string[] {
  const block = createAnswerBlock(markdownTheme(colors.createColors(hasColors)));
  block.setText(markdown);
  return block.render(width);
}

const TABLE = [
  '| 名称 | state | sum |',
  '|---|:---:|---:|',
  '| 支付服务 | ✅ | 7 |',
  '| cart 👩‍👩‍👧 | failed | 12,345.00 |',
].join('\n');

describe('a table', () => {
  it('keeps its columns under each other with Chinese and emoji, and its numbers to the right', () => {
    expect(drawn(TABLE, 60)).toEqual([
      '┌──────────┬────────┬───────────┐',
      '│ 名称     │ state  │       sum │',
      '├──────────┼────────┼───────────┤',
      '│ 支付服务 │   ✅   │         7 │',
      '├──────────┼────────┼───────────┤',
      '│ cart 👩‍👩‍👧  │ failed │ 12,345.00 │',
      '└──────────┴────────┴───────────┘',
    ]);
  });

  it.each([100, 40, 20])('has lines of one width on %i columns, in colour too', (width) => {
    const lines = drawn(`Before.\n\n${TABLE}\n\nAfter.`, width, true).slice(2, -2);
    expect(new Set(lines.map(visibleWidth)).size).toBe(1);
    expect(visibleWidth(lines[0] ?? '')).toBeLessThanOrEqual(width);
  });

  it('beside another has its own alignment', () => {
    const other = '| a | b |\n|---:|---|\n| 1 | 2 |\n| 300 | 4 |';
    const lines = drawn(`${other}\n\nand\n\n${TABLE}`, 60);
    expect(lines).toContain('│   1 │ 2 │');
    expect(lines).toContain('│ 支付服务 │   ✅   │         7 │');
  });

  it('never loses a character, whatever its lines hold', () => {
    const sorted = (lines: readonly string[]): string => [...lines.join('\n')].sort().join('');
    const line = fc.string({ unit: fc.constantFrom('│', '┌', '└', ' ', 'a', '\x1b[1m', '\x1b[22m'), maxLength: 20 });
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        expect(sorted(alignTables(lines, [['right', 'center'], ['right']]))).toBe(sorted(lines));
      }),
    );
  });
});
