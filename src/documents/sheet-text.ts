import type { CellRange } from './document.ts';
import { columnName } from './page-range.ts';

/** The last column that a workbook can have. */
const LAST_COLUMN = 16_383;
/** More of one sheet is read by naming cells. */
const MOST_CHARACTERS = 4_000_000;

export interface SheetRow {
  /** From 0. */
  row: number;
  /** By column, from 0. */
  cells: ReadonlyMap<number, string>;
}

export interface SheetText {
  /** False: no more rows are wanted. */
  add(row: SheetRow): boolean;
  text(): string;
}

/** Rows as lines: the number of the row, then the cells of its columns, with a tab between. Empty rows are left out. */
export function createSheetText(range: CellRange | undefined): SheetText {
  const lines: string[] = [];
  const firstColumn = range?.firstColumn ?? 0;
  let widest = -1;
  let characters = 0;
  return {
    add({ row, cells }) {
      if (range && row > range.lastRow) return false;
      if (range && row < range.firstRow) return true;
      const wanted = [...cells].filter(
        ([column, value]) =>
          value !== '' && column >= firstColumn && column <= Math.min(LAST_COLUMN, range?.lastColumn ?? LAST_COLUMN),
      );
      if (wanted.length === 0) return true;
      const last = wanted.reduce((most, [column]) => Math.max(most, column), 0);
      widest = Math.max(widest, last);
      const values = Array.from({ length: last - firstColumn + 1 }, (_, index) =>
        shown(cells.get(firstColumn + index)),
      );
      const line = [String(row + 1), ...values].join('\t');
      characters += line.length;
      if (characters > MOST_CHARACTERS) {
        lines.push(
          `(more rows follow: ask for cells from row ${row + 1} on, for example "A${row + 1}:Z${row + 1_000}")`,
        );
        return false;
      }
      lines.push(line);
      return true;
    },
    text() {
      if (widest < 0) return '(empty)';
      const names = Array.from({ length: widest - firstColumn + 1 }, (_, index) => columnName(firstColumn + index));
      return [['', ...names].join('\t'), ...lines].join('\n');
    },
  };
}

function shown(value = ''): string {
  return value.replace(/[\t\r\n]+/g, ' ');
}
