// A table as lines of equal columns, for a fixed-width font. Wide characters (Chinese, emoji) count as two.
import type { Token, Tokens } from 'marked';

/** A longer cell does not push the whole column out. */
const WIDEST_COLUMN = 40;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;

export function tableText(table: Tokens.Table, cellText: (tokens: readonly Token[]) => string): string {
  const rows = [table.header, ...table.rows].map((cells) => cells.map(({ tokens }) => cellText(tokens).trim()));
  const widths = table.header.map((_, column) =>
    Math.min(WIDEST_COLUMN, Math.max(1, ...rows.map((cells) => widthOf(cells[column] ?? '')))),
  );
  const lines = rows.map((cells) =>
    widths
      .map((width, column) => aligned(cells[column] ?? '', width, table.align[column] ?? 'left'))
      .join(' │ ')
      .trimEnd(),
  );
  const rule = widths.map((width) => '─'.repeat(width)).join('─┼─');
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

function aligned(text: string, width: number, align: 'left' | 'center' | 'right'): string {
  const blank = Math.max(0, width - widthOf(text));
  const before = align === 'left' ? 0 : align === 'right' ? blank : Math.floor(blank / 2);
  return ' '.repeat(before) + text + ' '.repeat(blank - before);
}

function widthOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/\p{Mn}|\p{Me}|\p{Cf}/u.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}
