// Every sentence the workspace says when it refuses. A failure outside the root always reads the same, so it
// cannot be used to learn what exists there.
import { WorkspaceError } from './workspace.ts';

const MAX_PATH = 4096;
/** Say nothing about the path, only about this process: told as they are, wherever they happen. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

export type Wanted = 'file' | 'directory';

export function checkSpelling(path: string): void {
  if (path === '') throw new WorkspaceError('invalid_path', 'Invalid path: it is empty');
  if (path.includes('\0')) throw new WorkspaceError('invalid_path', 'Invalid path: it contains a NUL character');
  if (path.length > MAX_PATH) {
    throw new WorkspaceError('invalid_path', `Invalid path: longer than ${MAX_PATH} characters`);
  }
}

export function outside(): WorkspaceError {
  return new WorkspaceError('outside', 'Access denied: path outside workspace');
}

export function isDirectory(path: string): WorkspaceError {
  return new WorkspaceError('not_a_file', `Is a directory: ${shown(path)} — use fs.list_dir`);
}

export function notRegular(path: string): WorkspaceError {
  return new WorkspaceError('not_a_file', `Not a regular file: ${shown(path)}`);
}

export function notDirectory(path: string): WorkspaceError {
  return new WorkspaceError('not_a_directory', `Not a directory: ${shown(path)}`);
}

export function tooManyLinks(path: string): WorkspaceError {
  return new WorkspaceError('too_many_links', `Too many symbolic links: ${shown(path)}`);
}

export function tooDeep(path: string): WorkspaceError {
  return new WorkspaceError('invalid_path', `Too many nested directories: ${shown(path)}`);
}

export function isExhausted(error: unknown): boolean {
  return EXHAUSTED.has(systemCode(error) ?? '');
}

/** Turns a system error that happened inside the root into a sentence; anything else is handed back as it is. */
export function explain(error: unknown, path: string, wanted: Wanted): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  const name = shown(path);
  switch (code) {
    case 'ENOENT':
      return new WorkspaceError('not_found', `No such ${wanted}: ${name}`, error);
    case 'ENOTDIR':
      return new WorkspaceError('not_a_directory', `Part of the path is not a directory: ${name}`, error);
    case 'EACCES':
    case 'EPERM':
      return new WorkspaceError('no_permission', `Permission denied: ${name}`, error);
    case 'ENAMETOOLONG':
      return new WorkspaceError('invalid_path', `File name too long: ${name}`, error);
    case 'ESTALE':
      return new WorkspaceError('io', `Changed while it was being opened: ${name}`, error);
    default:
      return new WorkspaceError('io', `Cannot open ${name}: ${code}`, error);
  }
}

export function systemCode(error: unknown): string | undefined {
  if (error instanceof WorkspaceError || !(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** Line breaks and control characters in a name are escaped, so a message stays one line. */
function shown(path: string): string {
  return path.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
