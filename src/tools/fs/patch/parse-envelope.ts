// The format between *** Begin Patch and *** End Patch: sections for files, each with hunks that begin at "@@".
import { hunkLine, withoutEmptyEnd } from './hunk-line.ts';
import { type FilePatch, type Hunk, type HunkLine, patchFailure, shortened } from './patch.ts';

const SECTION = /^\*\*\* (Add|Delete|Update) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;
const END = '*** End Patch';
const END_OF_FILE = '*** End of File';
/** The header of a unified diff, which models write here too. */
const NUMBERED = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/;

export function parseEnvelope(lines: readonly string[], start: number): FilePatch[] {
  const patches: FilePatch[] = [];
  let at = start;
  const next = (): string | undefined => lines[at];
  for (;;) {
    while (next()?.trim() === '') at += 1;
    const line = next();
    if (line === undefined) throw patchFailure(`it does not end with ${END}`);
    if (line.trim() === END) return patches;
    const [, verb, name = ''] = SECTION.exec(line.trimEnd()) ?? [];
    if (verb === undefined) {
      throw patchFailure(
        `"${shortened(line)}" is not *** Add File: path, *** Update File: path or *** Delete File: path`,
        at + 1,
      );
    }
    at += 1;
    const path = name.trim();
    const [, to] = (verb === 'Update' && MOVE.exec(next()?.trimEnd() ?? '')) || [];
    if (to !== undefined) at += 1;
    const first = at;
    while (next() !== undefined && !isHeader(next() ?? '')) at += 1;
    const body = lines.slice(first, at);
    if (verb === 'Add') patches.push({ kind: 'add', path, content: addedContent(body, first) });
    else if (verb === 'Delete') patches.push(checkedDelete(path, body, first));
    else {
      const hunks = parseHunks(body, first);
      if (hunks.length === 0 && to === undefined) throw patchFailure(`the section of ${path} changes nothing`, first);
      patches.push({ kind: 'update', path, ...(to !== undefined && { to: to.trim() }), hunks });
    }
  }
}

function isHeader(line: string): boolean {
  return line.trim() === END || SECTION.test(line.trimEnd());
}

function addedContent(body: readonly string[], first: number): string {
  const content = withoutEmptyEnd(body).map((line, index) => {
    if (line === '') return '';
    if (!line.startsWith('+')) throw patchFailure('every line of an added file begins with +', first + index + 1);
    return line.slice(1);
  });
  return content.length === 0 ? '' : `${content.join('\n')}\n`;
}

function checkedDelete(path: string, body: readonly string[], first: number): FilePatch {
  const rest = body.findIndex((line) => line.trim() !== '');
  if (rest >= 0) throw patchFailure(`nothing follows *** Delete File: ${path}`, first + rest + 1);
  return { kind: 'delete', path };
}

interface OpenHunk extends Hunk {
  anchors: string[];
  lines: HunkLine[];
}

function parseHunks(body: readonly string[], first: number): Hunk[] {
  const hunks: OpenHunk[] = [];
  const open = (patchLine: number, near?: number): OpenHunk => {
    const hunk = { patchLine, anchors: [], atEnd: false, lines: [], ...(near !== undefined && { near }) };
    hunks.push(hunk);
    return hunk;
  };
  let hunk: OpenHunk | undefined;
  for (const [index, line] of withoutEmptyEnd(body).entries()) {
    const patchLine = first + index + 1;
    if (line.trimEnd() === END_OF_FILE) {
      if (hunk) hunk.atEnd = true;
      continue;
    }
    if (line.startsWith('@@')) {
      const [, near] = NUMBERED.exec(line) ?? [];
      // Several headers in a row lead to one place.
      if (!hunk || hunk.lines.length > 0) hunk = open(patchLine, near === undefined ? undefined : Number(near));
      const anchor = near === undefined ? line.slice(2).trim() : '';
      if (anchor !== '') hunk.anchors.push(anchor);
      continue;
    }
    const parsed = hunkLine(line);
    if (!parsed) {
      throw patchFailure(`"${shortened(line)}" begins neither with a space, - or + nor with @@`, patchLine);
    }
    hunk ??= open(patchLine);
    hunk.lines.push(parsed);
  }
  return hunks.filter(({ lines }) => lines.length > 0);
}
