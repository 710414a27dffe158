/** A table as Markdown; cells are one line each. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const width = longestRow(rows);
  if (width === 0) return [];
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, index) => oneLine(cells[index] ?? '')).join(' | ')} |`;
  const [first = [], ...others] = rows;
  return [line(first), `|${' --- |'.repeat(width)}`, ...others.map(line)];
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
