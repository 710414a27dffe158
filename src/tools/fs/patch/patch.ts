// What a patch says, whichever of the two formats it is written in.
import { ToolFailure } from '../../tool.ts';

export type FilePatch =
  | { kind: 'add'; path: string; content: string }
  | { kind: 'delete'; path: string }
  /** `to`: the file is moved as well. */
  | { kind: 'update'; path: string; to?: string; hunks: readonly Hunk[] };

export interface Hunk {
  /** Where it begins in the patch, from 1. */
  patchLine: number;
  /** Lines that come before it in the file, outermost first: "@@ class A", "@@ def f". */
  anchors: readonly string[];
  /** The line of the file that a unified diff names, from 1. */
  near?: number;
  /** Its last line is the last one of the file. */
  atEnd: boolean;
  lines: readonly HunkLine[];
}

export interface HunkLine {
  sign: ' ' | '-' | '+';
  text: string;
  /** Whether a line ending follows, where the patch says so; otherwise the file decides. */
  hasEnding?: boolean;
}

export function patchFailure(why: string, patchLine?: number): ToolFailure {
  const where = patchLine === undefined ? '' : ` at its line ${patchLine}`;
  return new ToolFailure(`The patch cannot be used${where}: ${why}. Nothing was changed.`, { code: 'invalid_args' });
}

export function shortened(line: string): string {
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
