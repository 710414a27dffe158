// The contract of the workspace: the only way any tool reaches a user's files.
import type { FileHandle } from 'node:fs/promises';

export type WorkspaceErrorCode =
  | 'outside' // the path ends outside the workspace, or leaves it through a link
  | 'not_found'
  | 'not_a_file' // a directory, FIFO, device or socket where a regular file is needed
  | 'not_a_directory'
  | 'too_many_links'
  | 'no_permission'
  | 'invalid_path' // empty, a NUL character, too long
  | 'io';

/** Every failure of the workspace. The message is fit for the model and the user; it never shows content from outside. */
export class WorkspaceError extends Error {
  readonly code: WorkspaceErrorCode;

  constructor(code: WorkspaceErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'WorkspaceError';
    this.code = code;
  }
}

export type EntryType = 'file' | 'directory' | 'symlink' | 'other';

export interface WorkspaceEntry {
  /** Relative to the listed directory, with forward slashes. */
  path: string;
  type: EntryType;
  /** Bytes; 0 for anything but a regular file. */
  size: number;
  /** ISO 8601. */
  mtime: string;
}

export interface OpenedFile {
  /** Positioned at the start; the caller closes it. */
  handle: FileHandle;
  /** Where the walk ended: relative to the root, links resolved, '/' between parts. */
  path: string;
  size: number;
  /** Changes whenever the file's identity, size, mtime or ctime does. */
  fingerprint: string;
}

export interface ListOptions {
  recursive: boolean;
  /** Levels below the listed directory; 1 = its own entries only. */
  maxDepth: number;
  /** The walk stops here and says so. */
  maxEntries: number;
  signal?: AbortSignal;
}

export interface Listing {
  /** The listed directory, relative to the root ('.' for the root itself). */
  path: string;
  /** Sorted by path within each directory; a directory stands before its own entries. */
  entries: WorkspaceEntry[];
  /** True when maxEntries or maxDepth left something out. */
  truncated: boolean;
}

/**
 * descriptor-walk: every component is held by a descriptor while the next is opened, so no path swapped meanwhile
 * leads out. checked-path: the system offers no such walk; paths are checked before and after opening, which a
 * determined swapper can sometimes beat.
 */
export type WorkspaceGuarantee = 'descriptor-walk' | 'checked-path';

export interface Workspace {
  /** The absolute real path of the root. */
  readonly root: string;
  readonly guarantee: WorkspaceGuarantee;
  /** Never blocks on a FIFO or device, never returns anything but a regular file that lies inside the root. */
  openFile(path: string, signal?: AbortSignal): Promise<OpenedFile>;
  /** Never follows a link while walking down. */
  list(path: string, options: ListOptions): Promise<Listing>;
}
