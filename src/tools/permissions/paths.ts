// Where a path leads, as text alone can tell, and where it must not lead without a question. Links are followed by the
// `resolveLinks` the caller hands in; without it a link inside the workspace is taken for what it looks like.
import { posix } from 'node:path';

export interface PathContext {
  /** The absolute real path of the workspace's root. */
  workspaceRoot: string;
  /** Where a relative path starts: the root, or the working directory of a command. */
  directory: string;
  userHome: string;
  lainclawHome: string;
  /** The real path, walking the given absolute path part by part; parts that do not exist stay as they are. */
  resolveLinks?(absolute: string): string;
  /** Why git would run or obey what is written at this absolute real path, because settings of the person name it. */
  obeyedByGit?(path: string): string | undefined;
  /** The turn has content from outside: more paths are protected from being written. */
  tainted?: boolean;
}

export interface Location {
  /** Absolute and normalised, links followed. */
  path: string;
  /** Relative to the workspace's root with '/', '.' for the root itself; undefined outside. */
  relative: string | undefined;
}

export function locate(path: string, context: PathContext): Location {
  const absolute = expandHome(path, context);
  // Links are followed before `..` is taken away: link/../x is not x.
  const real = posix.normalize(context.resolveLinks?.(absolute) ?? absolute);
  const clean = real.length > 1 ? real.replace(/\/$/, '') : real;
  return { path: clean, relative: isInside(clean, context.workspaceRoot) ? relativeTo(clean, context) : undefined };
}

/** `/workspace-evil` is not inside `/workspace`. */
export function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);
}

/** Within Lainclaw's own home; a workspace that lies in there (the gateway's default) is a workspace all the same. */
export function isInLainclawHome(path: string, { workspaceRoot, lainclawHome }: PathContext): boolean {
  if (!isInside(path, lainclawHome)) return false;
  return !(isInside(workspaceRoot, lainclawHome) && workspaceRoot !== lainclawHome && isInside(path, workspaceRoot));
}

function expandHome(path: string, { directory, userHome }: PathContext): string {
  if (path === '~' || path.startsWith('~/')) return `${userHome}${path.slice(1)}`;
  // Somebody else's home, or ~+ and ~-: certainly not a place known here.
  if (path.startsWith('~')) return `/${path}`;
  return path.startsWith('/') ? path : `${directory}/${path}`;
}

function relativeTo(path: string, { workspaceRoot }: PathContext): string {
  return path === workspaceRoot ? '.' : path.slice(workspaceRoot.length + (workspaceRoot.endsWith('/') ? 0 : 1));
}
