// Decides which paths of the machine a command sees. The system is readable as it is: compilers, libraries and interpreters
// live all over it, and a list would never be complete. Homes are the reverse: secrets live all over them, so they are
// empty and only toolchains are shown. The rule for the deeper path wins, so parents come first.
import { accessSync, constants, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GuardMount } from './guards.ts';
import { HIDDEN_HOME_PATHS, HIDDEN_SYSTEM_PATHS } from './hidden.ts';
import { isInside, realPath } from './path-inside.ts';
import { type Profile, SandboxError } from './sandbox.ts';
import { SHARED_TOOLCHAINS, toolchainsOf } from './toolchains.ts';

export interface Mount {
  path: string;
  /** `empty`: nothing in it, not writable. `private`: nothing in it, writable, gone afterwards. */
  access: 'read-only' | 'read-write' | 'empty' | 'private';
  isDirectory: boolean;
}

export interface View {
  profile: Profile;
  userHome: string;
  /** Hidden in addition to the lists: first of all Lainclaw's home. */
  hidden: readonly string[];
  /** The command's PATH. */
  searchPath: string;
  /** Where programs of the machine keep temporary files: other people's secrets, and sockets. */
  systemTemporary: string;
}

const PRIVATE = ['/tmp', '/var/tmp'];
const SYSTEM = ['/bin', '/boot', '/dev', '/etc', '/lib', '/proc', '/run', '/sbin', '/sys', '/usr', '/var'];
const NEVER_WRITABLE = ['/dev', '/proc', '/sys'];

/** Parents before children. */
export function planMounts({ profile, userHome, hidden, searchPath, systemTemporary }: View): Mount[] {
  const mounts = new Map<string, Mount>();
  const home = realPath(userHome);
  const mayExist = entriesOf(home);

  function add(path: string, access: Mount['access']): void {
    const real = realPath(path);
    if (real && real !== '/') mounts.set(real, { path: real, access, isDirectory: isDirectory(real) });
  }
  function isShown(path: string): boolean {
    for (let at = path; at !== '/'; at = dirname(at)) {
      const access = mounts.get(at)?.access;
      if (access) return access === 'read-only' || access === 'read-write';
    }
    return true;
  }

  for (const [path] of HIDDEN_SYSTEM_PATHS)
    if (lstatSync(path, { throwIfNoEntry: false }) && isReachable(path)) add(path, 'empty');
  const workspace = profile.workspace && writableDirectory('workspace', profile.workspace.path);
  for (const path of [...PRIVATE, ...ownTemporary(systemTemporary, workspace)]) if (isShown(path)) add(path, 'private');
  const scratch = profile.scratch === undefined ? undefined : writableDirectory('scratch', profile.scratch);
  const hasOwnHome = home !== undefined && !SYSTEM.includes(home) && home !== '/';
  if (home && hasOwnHome && !(workspace && isInside(workspace, home))) {
    add(home, 'private');
    for (const path of toolchainsOf(home, searchPath, mayExist)) showAt(mounts, path);
  }
  for (const path of SHARED_TOOLCHAINS) showAt(mounts, path);
  for (const path of profile.readOnly ?? []) add(path, 'read-only');
  if (workspace) add(workspace, profile.workspace?.access ?? 'read-only');
  if (scratch) add(scratch, 'read-write');

  const asked = new Set([workspace, scratch, ...(profile.readOnly ?? []).map(realPath)]);
  for (const path of hidden) {
    if (workspace !== undefined && realPath(path) === workspace) {
      throw new SandboxError('invalid-profile', `${workspace} is Lainclaw's own directory: choose another workspace`);
    }
  }
  const secrets =
    home && hasOwnHome ? HIDDEN_HOME_PATHS.filter(([path]) => mayExist(path)).map(([path]) => join(home, path)) : [];
  for (const path of [...secrets, ...hidden]) {
    const real = realPath(path);
    if (real && !asked.has(real) && isShown(real)) add(real, 'empty');
  }
  return inOrder(mounts);
}

/** The system's directory for temporary files, where it is not one of those that every system has. */
function ownTemporary(systemTemporary: string, workspace: string | undefined): string[] {
  const real = realPath(systemTemporary);
  if (!real || !isDirectory(real) || NEVER_WRITABLE.some((system) => isInside(system, real))) return [];
  if (SYSTEM.some((system) => isInside(real, system))) return [];
  // What lies in the workspace belongs to it.
  return workspace !== undefined && isInside(workspace, real) ? [] : [real];
}

/** A hidden path stays hidden with all its content; elsewhere a guard replaces the rule for its path. */
export function withGuards(mounts: readonly Mount[], guards: readonly GuardMount[]): Mount[] {
  const byPath = new Map(mounts.map((mount) => [mount.path, mount]));
  const isHidden = (path: string): boolean => {
    for (let at = path; at !== '/'; at = dirname(at)) {
      const access = byPath.get(at)?.access;
      if (access) return access === 'empty';
    }
    return false;
  };
  for (const { path, access, isDirectory } of guards) {
    if (isHidden(path)) continue;
    byPath.set(path, { path, access: access === 'pinned' ? 'read-write' : access, isDirectory });
  }
  return inOrder(byPath);
}

function inOrder(mounts: Map<string, Mount>): Mount[] {
  const depth = (path: string): number => path.split('/').length;
  return [...mounts.values()].sort((a, b) => depth(a.path) - depth(b.path));
}

/** Mounts at the path itself, even when it is a link: programs refer to it by that name. */
function showAt(mounts: Map<string, Mount>, path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats) mounts.set(path, { path, access: 'read-only', isDirectory: stats.isDirectory() });
}

/** For paths below the home. Most that are looked for do not exist: one list of it tells that for nearly all of them. */
function entriesOf(home: string | undefined): (path: string) => boolean {
  let names: ReadonlySet<string>;
  try {
    names = new Set(readdirSync(home ?? ''));
  } catch {
    return () => true;
  }
  return (path) => names.has(path.split('/', 1)[0] ?? '');
}

function writableDirectory(what: string, path: string): string {
  const real = realPath(path);
  if (!real || !isDirectory(real)) throw new SandboxError('invalid-profile', `the ${what} ${path} is not a directory`);
  if (SYSTEM.some((system) => isInside(real, system)) || NEVER_WRITABLE.some((system) => isInside(system, real))) {
    throw new SandboxError(
      'invalid-profile',
      `${real} cannot be a ${what}: it holds the system; choose a directory below`,
    );
  }
  return real;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isReachable(path: string): boolean {
  return [constants.R_OK, constants.X_OK].some((mode) => {
    try {
      accessSync(path, mode);
      return true;
    } catch {
      return false;
    }
  });
}
