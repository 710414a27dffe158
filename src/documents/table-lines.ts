/** A table as Markdown; cells are one line each. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(0, ...rows.map((row) => row.length));
  if (width === 0) return [];
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, index) => oneLine(cells[index] ?? '')).join(' | ')} |`;
  const [first = [], ...others] = rows;
  return [line(first), `|${' --- |'.repeat(width)}`, ...others.map(line)];
}

function oneLine(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
}
