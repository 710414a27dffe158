// The lines of a file that the hunks placed so far change. Removed lines and places of insertion are kept apart: hunks remove each line
// once, so that the last range which begins before a line is the only one that can reach it. A question costs two binary searches.

/** Lines from `start` up to `end`; where both are equal, lines are added before that line. */
export interface LineRange {
  start: number;
  end: number;
}

export interface EditedRanges {
  overlaps(start: number, end: number): boolean;
  /** In the order of the file. */
  add(ranges: readonly LineRange[]): void;
  readonly isEmpty: boolean;
  /** Where the last of them ends; 0 when there are none. */
  readonly end: number;
}

export function createEditedRanges(): EditedRanges {
  const removed: LineRange[] = [];
  const insertions: LineRange[] = [];
  let end = 0;

  return {
    overlaps: (start, end) => reaches(removed, start, end) || reaches(insertions, start, end),
    add(ranges) {
      for (const range of ranges) end = Math.max(end, range.end);
      append(
        removed,
        ranges.filter((range) => range.start < range.end),
      );
      append(
        insertions,
        ranges.filter((range) => range.start === range.end),
      );
    },
    get isEmpty() {
      return removed.length + insertions.length === 0;
    },
    get end() {
      return end;
    },
  };
}

function reaches(sorted: readonly LineRange[], start: number, end: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as LineRange).start < end) low = middle + 1;
    else high = middle;
  }
  const last = sorted[low - 1];
  return last !== undefined && last.end > start;
}

/** Both are sorted. Hunks mostly come in the order of the file: then nothing moves. */
function append(sorted: LineRange[], added: readonly LineRange[]): void {
  const last = sorted.at(-1)?.start ?? 0;
  for (const range of added) sorted.push(range);
  if ((added[0]?.start ?? last) < last) sorted.sort((one, other) => one.start - other.start);
}
