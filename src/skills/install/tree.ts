// The files of a folder, a repository or a package, by path, before any of them is installed. Links and special files are
// named but never read.
import { SkillError } from '../skill-error.ts';
/** Limit of files in one skill. */
export const MAX_FILES = 500;
export const MAX_FILE_BYTES = 10 * 1_048_576;
export const MAX_TOTAL_BYTES = 20 * 1_048_576;
/** Limit of entries in the whole source. */
export const MAX_ENTRIES = 20_000;

const DEEPEST = 16;
const LONGEST_NAME = 255;

export interface TreeEntry {
  /** Relative, '/' between parts; checked by `safePath`. */
  path: string;
  kind: 'file' | 'link' | 'other';
  size: number;
  executable: boolean;
}

export interface Tree {
  entries: TreeEntry[];
  /** The bytes of files, in the given order; exactly as long as their entries say. */
  read(entries: readonly TreeEntry[], signal?: AbortSignal): Promise<Buffer[]>;
}

/** Returns the path unchanged when it leads downwards only; otherwise refuses the whole source. */
export function safePath(path: string): string {
  const parts = path.split('/');
  const isSafe =
    parts.length <= DEEPEST &&
    !/[\0\\]/.test(path) &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= LONGEST_NAME);
  if (!isSafe)
    throw new SkillError(
      'SKILL_SOURCE',
      `it holds the path ${JSON.stringify(path.slice(0, 200))}: nothing is taken from it`,
    );
  return path;
}

export function tooManyEntries(): SkillError {
  return new SkillError('SKILL_LIMIT', `it holds more than ${MAX_ENTRIES} files: install the skill's own folder`);
}
