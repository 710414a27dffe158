import type { HunkLine } from './patch.ts';

/** An empty line is taken for an empty line of context, whose space was left out. */
export function hunkLine(line: string): HunkLine | undefined {
  if (line === '') return { sign: ' ', text: '' };
  const sign = line[0];
  return sign === ' ' || sign === '-' || sign === '+' ? { sign, text: line.slice(1) } : undefined;
}

/** Empty lines before the next section belong to nothing. */
export function withoutEmptyEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}
