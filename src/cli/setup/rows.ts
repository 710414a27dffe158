const WIDE = /[\p{Script=Han}\u3000-\u303f\uff00-\uff60]/u;
const LEAST_COLUMNS = 9;

/** Lines of a label and its value, the values below each other. */
export function rowsOf(rows: readonly (readonly [label: string, value: string])[]): string[] {
  const widest = Math.max(LEAST_COLUMNS, ...rows.map(([label]) => columnsOf(label)));
  return rows.map(([label, value]) => `${label}${' '.repeat(widest - columnsOf(label) + 2)}${value}`);
}

function columnsOf(text: string): number {
  return [...text].reduce((sum, character) => sum + (WIDE.test(character) ? 2 : 1), 0);
}
