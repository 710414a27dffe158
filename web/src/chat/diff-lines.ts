// A unified diff as lines to show, also as two columns.

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'head';
  text: string;
  before?: number;
  after?: number;
}

export function isDiff(text: string): boolean {
  return /^@@ -\d+/m.test(text) || /^--- .*\n\+\+\+ /m.test(text);
}

export function diffLines(diff: string): DiffLine[] {
  let before = 0;
  let after = 0;
  let isInside = false;
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .flatMap((line): DiffLine[] => {
      const start = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
      if (start) {
        before = Number(start[1]);
        after = Number(start[2]);
        isInside = true;
        return [{ kind: 'head', text: line }];
      }
      if (!isInside)
        return /^(---|\+\+\+|diff |index )/.test(line) || line === '' ? [] : [{ kind: 'head', text: line }];
      if (line.startsWith('+')) return [{ kind: 'added', text: line.slice(1), after: after++ }];
      if (line.startsWith('-')) return [{ kind: 'removed', text: line.slice(1), before: before++ }];
      if (line.startsWith('\\')) return [];
      return [{ kind: 'same', text: line.slice(1), before: before++, after: after++ }];
    });
}

export interface DiffPair {
  left?: DiffLine;
  right?: DiffLine;
}

/** Removed lines beside those that replace them. */
export function sideBySide(lines: readonly DiffLine[]): DiffPair[] {
  const pairs: DiffPair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      pairs.push({ left: removed[index], right: added[index] });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === 'removed') removed.push(line);
    else if (line.kind === 'added') added.push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}
