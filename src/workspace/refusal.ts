// Every error message of the workspace. A failure outside the root always reads the same, so it cannot be used to learn
// what exists there.
import { WorkspaceError } from '../vocabulary/workspace-error.ts';

const MAX_PATH = 4096;
/** These errors say nothing about the path, only about this process: they are reported unchanged everywhere. */
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

export function isProtected(path: string, reason: string): WorkspaceError {
  return new WorkspaceError('protected', `Access denied: ${shown(path)} is protected: ${reason}`);
}

export function hasChanged(path: string): WorkspaceError {
  return new WorkspaceError('changed', `Changed meanwhile: ${shown(path)} is not what it was`);
}

export function existsAlready(path: string): WorkspaceError {
  return new WorkspaceError('changed', `Exists already: ${shown(path)}`);
}

export function tooLarge(path: string, size: number, maxBytes: number, verb = 'has'): WorkspaceError {
  return new WorkspaceError('too_large', `${shown(path)} ${verb} ${size} bytes, over the limit of ${maxBytes}`);
}

export function leadsElsewhere(path: string): WorkspaceError {
  return new WorkspaceError('changed', `${shown(path)} is a link by now, or lies behind one`);
}

export function isExhausted(error: unknown): boolean {
  return EXHAUSTED.has(systemCode(error) ?? '');
}

/** Turns a system error inside the root into a message; returns anything else unchanged. */
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

/** The same for a change: the message says that nothing was changed, where that is not obvious. */
export function explainChange(error: unknown, path: string, wanted: Wanted): unknown {
  const name = shown(path);
  switch (systemCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new WorkspaceError('no_space', `No space left on the disk: ${name} was not changed`, error);
    case 'EROFS':
      return new WorkspaceError('no_permission', `The file system is read-only: ${name} was not changed`, error);
    case 'EEXIST':
      return existsAlready(path);
    case 'ENOTEMPTY':
      return new WorkspaceError('changed', `Not empty: ${name}`, error);
    case 'EBUSY':
      return new WorkspaceError('no_permission', `In use by the system (a mount): ${name} was not changed`, error);
    default:
      return explain(error, path, wanted);
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
