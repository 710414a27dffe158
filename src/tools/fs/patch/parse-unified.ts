// A unified diff, as diff -u and git write it. The counts in its headers are not relied on: models get them wrong.
import { hunkLine, withoutEmptyEnd } from './hunk-line.ts';
import { type FilePatch, type Hunk, type HunkLine, patchFailure, shortened } from './patch.ts';

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
const NOTHING = '/dev/null';
const NO_NEWLINE = '\\';

export function parseUnified(lines: readonly string[]): FilePatch[] {
  const patches: FilePatch[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (/^(?:GIT binary patch|Binary files )/.test(line)) throw patchFailure('it changes a binary file', at + 1);
    if (line.startsWith('rename from ') && lines[at + 1]?.startsWith('rename to ')) {
      const [path, to] = [line.slice('rename from '.length), (lines[at + 1] ?? '').slice('rename to '.length)];
      at += 2;
      while (/^(?:index |old mode|new mode)/.test(lines[at] ?? '')) at += 1;
      if (!isFileHeader(lines, at)) {
        patches.push({ kind: 'update', path, to, hunks: [] });
        continue;
      }
    }
    if (!isFileHeader(lines, at)) {
      at += 1;
      continue;
    }
    const [from, to] = [nameIn(lines[at], at), nameIn(lines[at + 1], at + 1)];
    const first = at + 2;
    at = endOfFile(lines, first);
    patches.push(filePatch(from, to, parseHunks(lines.slice(first, at), first), first));
  }
  return patches;
}

function filePatch(from: string, to: string, hunks: Hunk[], patchLine: number): FilePatch {
  const [path, target] = [withoutPrefix(from, 'a/'), withoutPrefix(to, 'b/')];
  if (from === NOTHING && to === NOTHING) throw patchFailure('both of its files are /dev/null', patchLine);
  if (to === NOTHING) return { kind: 'delete', path };
  if (from === NOTHING) return { kind: 'add', path: target, content: contentOf(hunks) };
  if (hunks.length === 0 && path === target) throw patchFailure(`the part of ${path} changes nothing`, patchLine);
  return { kind: 'update', path, ...(target !== path && { to: target }), hunks };
}

function contentOf(hunks: readonly Hunk[]): string {
  const added = hunks.flatMap(({ lines }) => lines.filter(({ sign }) => sign === '+'));
  return added.map(({ text, hasEnding }) => (hasEnding ? `${text}\n` : text)).join('');
}

function isFileHeader(lines: readonly string[], at: number): boolean {
  return Boolean(lines[at]?.startsWith('--- ') && lines[at + 1]?.startsWith('+++ '));
}

/**
 * Where the part of a file ends. A removed "-- x" above an added "++ y" looks like the header of the next file: it is one where the hunk
 * has all the lines that it says, or where another hunk follows it.
 */
function endOfFile(lines: readonly string[], first: number): number {
  let [removed, added] = [0, 0];
  for (let at = first; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (/^(?:diff --git |Index: )/.test(line)) return at;
    const isComplete = removed <= 0 && added <= 0;
    if (isFileHeader(lines, at) && (isComplete || ((removed <= 0 || added <= 0) && lines[at + 2]?.startsWith('@@'))))
      return at;
    const [header, , oldLines = '1', newLines = '1'] = HUNK.exec(line) ?? [];
    if (header !== undefined) [removed, added] = [Number(oldLines), Number(newLines)];
    else if (!line.startsWith(NO_NEWLINE)) {
      if (!line.startsWith('+')) removed -= 1;
      if (!line.startsWith('-')) added -= 1;
    }
  }
  return lines.length;
}

function nameIn(line = '', index: number): string {
  const name = line.slice(4).split('\t')[0]?.trimEnd() ?? '';
  if (name.startsWith('"')) throw patchFailure('write the path without quotation marks', index + 1);
  if (name === '') throw patchFailure('a path is missing', index + 1);
  return name;
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function parseHunks(body: readonly string[], first: number): Hunk[] {
  const hunks: (Hunk & { lines: HunkLine[] })[] = [];
  for (const [index, line] of withoutEmptyEnd(body).entries()) {
    const patchLine = first + index + 1;
    const [header, start, count] = HUNK.exec(line) ?? [];
    const hunk = hunks.at(-1);
    if (header !== undefined) {
      // Nothing is removed: what is added comes after the line that is named.
      const near = Number(start) + (count === '0' ? 1 : 0);
      hunks.push({ patchLine, anchors: [], near, atEnd: false, lines: [] });
    } else if (line.startsWith(NO_NEWLINE)) {
      const last = hunk?.lines.at(-1);
      if (last) last.hasEnding = false;
    } else if (!hunk) throw patchFailure(`"${shortened(line)}" comes before the first @@`, patchLine);
    else {
      const parsed = hunkLine(line);
      if (!parsed) throw patchFailure(`"${shortened(line)}" begins with neither a space, - nor +`, patchLine);
      hunk.lines.push({ ...parsed, hasEnding: true });
    }
  }
  return hunks;
}
