// The contract of the workspace: the only way any tool reaches a user's files.
import type { FileHandle } from 'node:fs/promises';

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
  /** Permission bits, 0o777 at most. */
  mode: number;
  /** Milliseconds since the epoch of the last change to content or attributes, as the file system reports it. */
  changedAt: number;
  /** Changes whenever the file's identity, size, mtime or ctime does. */
  fingerprint: string;
}

export interface WriteOptions {
  /** append: the file is replaced by its old content followed by the bytes, never by a part of them. */
  mode: 'overwrite' | 'append';
  /** Makes missing parent directories. */
  createParents: boolean;
  /** The expected fingerprint, or `ABSENT`: otherwise nothing is changed and the error code is `changed`. */
  expected?: string;
  /** Limit on the size of the whole new file. */
  maxBytes?: number;
  /** Permission bits; by default the old file's, and for a new file what the umask leaves of 0666. */
  permissions?: number;
  /**
   * The temporary file that the content is written to before it takes the name: for a caller that removes it after a kill. By
   * default a random name. When a file has this name already, nothing is changed.
   */
  temporaryName?: string;
  /** Runs while the new content is synced, before it replaces the old content; when it rejects, nothing is changed. */
  beforeReplacing?: (place: { path: string; madeDirectories: string[] }) => Promise<void>;
  signal?: AbortSignal;
}

/** For `expected`: the path does not exist. */
export const ABSENT = 'absent';

export interface Written {
  /** Relative to the root, links resolved. */
  path: string;
  created: boolean;
  /** The fingerprint of the new file. */
  fingerprint: string;
  /** The file that was replaced. Its other names, where it had any, keep the old content. */
  previous?: { size: number; mode: number; links: number };
  /** Directories that were made, outermost first. */
  madeDirectories: string[];
}

export interface RemoveOptions {
  /** empty-directory: fails with `changed` when something is in it. */
  kind: 'file' | 'empty-directory';
  /** As for writing. */
  expected?: string;
  signal?: AbortSignal;
}

/** Why a path may not be changed, or undefined. Called with resolved paths, existing or not. */
export type ProtectedPaths = (relative: string, absolute: string) => string | undefined;

/** A file or directory held open for a program that reads it: it stays the same one whatever happens to its path. */
export interface HeldPath {
  /** For a child to inherit; reading through it needs /proc. */
  fd: number;
  kind: 'file' | 'directory';
  /** Relative to the root, links resolved; '.' for the root itself. */
  path: string;
  release(): void;
}

export interface ListOptions {
  recursive: boolean;
  /** Levels below the listed directory; 1 = its own entries only. */
  maxDepth: number;
  /** The listing stops here and sets `truncated`. */
  maxEntries: number;
  signal?: AbortSignal;
}

export interface Listing {
  /** The listed directory, relative to the root ('.' for the root itself). */
  path: string;
  /** Sorted by path within each directory; a directory comes before its own entries. */
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
  /** Never holds anything but a regular file or a directory inside the root. The caller releases it. */
  hold(path: string, signal?: AbortSignal): Promise<HeldPath>;
  /** Never follows a link while walking down. */
  list(path: string, options: ListOptions): Promise<Listing>;
  /** Where a change at this path would happen, links resolved. Refuses every path that writing would refuse. */
  locate(path: string, signal?: AbortSignal): Promise<{ path: string; exists: boolean }>;
  /**
   * A reader sees the old file or the new one, whole; resolves once the new one is durable. Links that stay inside are
   * followed; nothing is ever created or changed outside, nothing but a regular file is replaced, and on any failure
   * (a full disk) the old content stays.
   */
  writeFile(path: string, bytes: Uint8Array, options: WriteOptions): Promise<Written>;
  /** Makes the directory and its missing parents, and returns the ones it made. An existing directory is not a failure. */
  makeDirectory(path: string, signal?: AbortSignal): Promise<{ path: string; madeDirectories: string[] }>;
  /** Never removes anything outside, nor the root itself. */
  remove(path: string, options: RemoveOptions): Promise<{ path: string }>;
}
