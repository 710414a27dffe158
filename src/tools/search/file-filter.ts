// A glob that says which files to search. ripgrep's own --glob beats the ignore files: `*.log` would find the logs that
// .gitignore leaves out, and `**` everything in .git. So the glob goes to ripgrep upside down, as one more ignore file,
// which those of the directory beat; what they include by name (`!keep.log`) must match the glob as well.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { ToolFailure } from '../tool.ts';

export interface FileFilter {
  /** A path relative to the directory that is searched. */
  fits(path: string): boolean;
  /** Flags by which ripgrep leaves out most of what does not fit, and nothing that does. */
  readonly preselection: readonly string[];
  /** The file exists while `use` runs. */
  asIgnoreFile(use: (path: string) => Promise<void>): Promise<void>;
}

/** As in an ignore file: without a `/` a name at any depth, with one a path from the directory that is searched. */
export function createFileFilter(glob: string): FileFilter {
  if (/[\n\r\0]/.test(glob)) throw new ToolFailure('a glob is one line', { code: 'invalid_args' });
  const fitting = compile(glob.includes('/') ? glob.replace(/^\//, '') : `**/${glob}`);
  return {
    fits: (path) => fitting(path),
    preselection: preselect(glob),
    async asIgnoreFile(use) {
      const directory = await mkdtemp(join(tmpdir(), 'lainclaw-glob-'));
      try {
        const path = join(directory, 'only');
        await writeFile(path, `*\n!*/\n!${glob}\n`, { flag: 'wx' });
        await use(path);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
  };
}

/**
 * A file type is a glob on the name alone, and ripgrep asks for it only after the ignore files. Told so are names made of
 * letters and stars, which all readers of globs read the same; the path in front of them is left to `fits`.
 */
function preselect(glob: string): string[] {
  const name = glob.slice(glob.lastIndexOf('/') + 1);
  const isPlain = /^[\w.*-]+$/.test(name) && !name.includes('**') && name !== '*';
  return isPlain ? [`--type-add=lainclaw:${name}`, '--type=lainclaw'] : [];
}

function compile(glob: string): (path: string) => boolean {
  try {
    const pattern = picomatch.makeRe(glob, { dot: true, nonegate: true, noextglob: true, strictBrackets: true });
    return (path) => pattern.test(path);
  } catch (error) {
    throw new ToolFailure(`the glob cannot be read: ${(error as Error).message}`, {
      code: 'invalid_args',
      cause: error,
    });
  }
}
