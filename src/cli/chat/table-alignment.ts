// The library draws every column of a table to the left. Here the cells of drawn tables are moved to where the Markdown says: numbers to the right.
// What does not look like a row of the table is left as it is.

export type Alignment = 'left' | 'center' | 'right' | null;

const BORDER = '│';
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one.
const CELL = /^ ((?:\x1b\[[\d;]*m)*)(.*?)( *)((?:\x1b\[[\d;]*m)*) $/;

/** `tables`: the alignment of the columns of each table, in their order. */
export function alignTables(lines: readonly string[], tables: readonly (readonly Alignment[])[]): string[] {
  if (!tables.some((columns) => columns.some(isMoved))) return [...lines];
  let table = -1;
  let isInside = false;
  return lines.map((line) => {
    if (line.startsWith('┌')) {
      table += 1;
      isInside = true;
    }
    const columns = isInside ? tables[table] : undefined;
    if (line.startsWith('└')) isInside = false;
    return columns ? alignedRow(line, columns) : line;
  });
}

function isMoved(alignment: Alignment): boolean {
  return alignment === 'center' || alignment === 'right';
}

function alignedRow(line: string, columns: readonly Alignment[]): string {
  const [before, ...cells] = line.split(BORDER);
  // A cell may hold a border itself.
  if (before !== '' || cells.length !== columns.length + 1) return line;
  const moved = cells.map((cell, index) => alignedCell(cell, columns[index] ?? null));
  return [before, ...moved].join(BORDER);
}

function alignedCell(cell: string, alignment: Alignment): string {
  const [, opening = '', text = '', space = '', closing = ''] = CELL.exec(cell) ?? [];
  if (space === '' || !isMoved(alignment)) return cell;
  const ahead = alignment === 'right' ? space.length : Math.floor(space.length / 2);
  return ` ${opening}${space.slice(0, ahead)}${text}${space.slice(ahead)}${closing} `;
}
