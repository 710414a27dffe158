/** Of a table that is drawn with as many cells in each row: a file can name a wide row and very many short ones. */
const MOST_CELLS = 1_000_000;

/** A table as Markdown; cells are one line each. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  return markdownRows(rows.map((cells) => cells.map(oneLine)));
}

/** Of cells that are one line each already. */
export function markdownRows(rows: readonly (readonly string[])[]): string[] {
  const width = longestRow(rows);
  if (width === 0) return [];
  const least = rows.length * width <= MOST_CELLS ? width : 0;
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: Math.max(cells.length, least) }, (_, index) => cells[index] ?? '').join(' | ')} |`;
  const [first = [], ...others] = rows;
  return [line(first), `|${' --- |'.repeat(width)}`, ...others.map(line)];
}

export interface SpanningCell {
  text: string;
  /** How many columns and rows it takes; absent: one. */
  columns?: number;
  rows?: number;
}

/** Of empty cells that are put into one table: a file may claim any number. */
const MOST_FILLED = 100_000;

/** Cells in the columns that they are seen in: the rest of a cell that spans several is empty. */
export function inColumns(rows: readonly (readonly SpanningCell[])[]): string[][] {
  let left = MOST_FILLED;
  /** By column: for how many more rows a cell above takes it. */
  const taken = new Map<number, number>();
  return rows.map((row) => {
    const line: string[] = [];
    const fill = (): void => {
      line.push('');
      left -= 1;
    };
    const passTaken = (): void => {
      for (let rest = taken.get(line.length) ?? 0; rest > 0 && left > 0; rest = taken.get(line.length) ?? 0) {
        taken.set(line.length, rest - 1);
        fill();
      }
    };
    for (const { text, columns = 1, rows: deep = 1 } of row) {
      passTaken();
      for (let column = 0; column < columns && (column === 0 || left > 0); column += 1) {
        if (deep > 1) taken.set(line.length, deep - 1);
        if (column === 0) line.push(text);
        else fill();
      }
    }
    passTaken();
    return line;
  });
}

/** How many cells it has. Not by spreading the rows: a table may have more of them than a call takes arguments. */
export function longestRow(rows: readonly (readonly string[])[]): number {
  return rows.reduce((most, { length }) => Math.max(most, length), 0);
}

function oneLine(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
}
