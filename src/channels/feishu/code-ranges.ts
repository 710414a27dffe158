// Where the code in a Markdown text stands: fenced blocks by lines, then spans of backticks in the prose between them.

export interface Fence {
  indent: string;
  marker: string;
}

/** The line opens a fence. */
export function openingFence(line: string): Fence | undefined {
  const match = /^((?:[ \t]|> ?)*(?:[-*+] +|\d{1,9}[.)] +)?)(`{3,}(?=[^`]*$)|~{3,})/.exec(line);
  return match ? { indent: match[1] ?? '', marker: match[2] ?? '' } : undefined;
}

export function closes(line: string, { marker }: Fence): boolean {
  const match = /^(?:[ \t]|> ?)*(`{3,}|~{3,})[ \t]*$/.exec(line);
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

/** A span ends at the next run of as many backticks, within the same paragraph. */
function spansIn(markdown: string, from: number, to: number): [number, number][] {
  const spans: [number, number][] = [];
  for (const paragraph of markdown.slice(from, to).matchAll(/(?:[^\n]|\n(?![ \t]*\n))+/g)) {
    const base = from + paragraph.index;
    const runs = [...paragraph[0].matchAll(/`+/g)].map((run) => ({ at: base + run.index, length: run[0].length }));
    const next = new Map<number, number[]>();
    for (const [index, run] of runs.entries()) {
      const indexes = next.get(run.length);
      if (indexes) indexes.push(index);
      else next.set(run.length, [index]);
    }
    for (let index = 0; index < runs.length; index += 1) {
      const run = runs[index] as { at: number; length: number };
      const closing = next.get(run.length)?.find((candidate) => candidate > index);
      if (closing === undefined) continue;
      const last = runs[closing] as { at: number; length: number };
      spans.push([run.at, last.at + last.length]);
      index = closing;
    }
  }
  return spans;
}
