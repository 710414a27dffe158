// Where the code in a Markdown text stands: fenced blocks by lines, then spans of backticks in the prose between them.

export interface Fence {
  indent: string;
  marker: string;
}

/** The line opens a fence. */
export function openingFence(line: string): Fence | undefined {
  const match = /^([ \t>]*(?:[-*+] +|\d{1,9}[.)] +)?)(`{3,}(?=[^`]*$)|~{3,})/.exec(line);
  return match ? { indent: match[1] ?? '', marker: match[2] ?? '' } : undefined;
}

export function closes(line: string, { marker }: Fence): boolean {
  const match = /^[ \t>]*(`{3,}|~{3,})[ \t]*$/.exec(line);
  const closing = match?.[1] ?? '';
  return closing.length >= marker.length && closing[0] === marker[0];
}

/** From and to (exclusive), in order, never overlapping. */
export function codeRanges(markdown: string): [number, number][] {
  const ranges: [number, number][] = [];
  let offset = 0;
  let proseFrom = 0;
  let open: { fence: Fence; at: number } | undefined;
  for (const line of markdown.split('\n')) {
    const end = Math.min(offset + line.length + 1, markdown.length);
    if (open) {
      if (closes(line, open.fence)) {
        ranges.push([open.at, end]);
        proseFrom = end;
        open = undefined;
      }
    } else {
      const fence = openingFence(line);
      if (fence) {
        ranges.push(...spansIn(markdown, proseFrom, offset));
        open = { fence, at: offset };
      }
    }
    offset += line.length + 1;
  }
  if (open) ranges.push([open.at, markdown.length]);
  else ranges.push(...spansIn(markdown, proseFrom, markdown.length));
  return ranges;
}

interface Run {
  at: number;
  length: number;
}

/** A span ends at the next run of as many backticks, within the same paragraph. */
function spansIn(markdown: string, from: number, to: number): [number, number][] {
  const spans: [number, number][] = [];
  for (const paragraph of markdown.slice(from, to).matchAll(/(?:[^\n]|\n(?![ \t]*\n))+/g)) {
    const runs = [...paragraph[0].matchAll(/`+/g)].map(
      (run): Run => ({ at: from + paragraph.index + run.index, length: run[0].length }),
    );
    const byLength = Map.groupBy(runs.keys(), (index) => runs[index]?.length ?? 0);
    for (let index = 0; index < runs.length; index += 1) {
      const opening = withoutEscaped(markdown, runs[index] as Run);
      const closing = byLength.get(opening.length)?.find((candidate) => candidate > index);
      const last = closing === undefined ? undefined : runs[closing];
      if (closing === undefined || !last) continue;
      spans.push([opening.at, last.at + last.length]);
      index = closing;
    }
  }
  return spans;
}

/** After a backslash the first backtick is a character; within a span a backslash is nothing special. */
function withoutEscaped(markdown: string, run: Run): Run {
  const backslashes = /\\*$/.exec(markdown.slice(Math.max(0, run.at - 64), run.at))?.[0].length ?? 0;
  return backslashes % 2 === 0 ? run : { at: run.at + 1, length: run.length - 1 };
}
