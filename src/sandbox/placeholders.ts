// Mount points for protected paths that do not exist: a mount needs something to stand on, and what stands there is on the
// host. A placeholder is an empty directory, taken away after the run with rmdir, which never takes anything a person
// put there meanwhile. Runs that share a workspace share it: each keeps a lease in it (an empty directory, which git
// does not show), so it goes with the last, for removing a mount point unmounts it in every other sandbox. A lease
// names its process; a dead one's is swept by the next run.
//
// git stops at a directory named .git/commondir, so that one placeholder is a file, with a text that changes nothing,
// and its leases stand in a directory beside it.
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { readStat } from './end-tree.ts';

const LEASE = /^\.lainclaw-(\d+)-(\d+)-/;
const FILES: Readonly<Record<string, string>> = { commondir: '.\n' };
const ATTEMPTS = 100;

/** A directory that stays the same one, whatever happens to its path. */
export interface HeldDirectory {
  /** Joined with a name it leads to an entry of the directory. */
  readonly address: string;
  release(): void;
}

const O_PATH = 0o10000000;

/** Fails with ENOTDIR or ELOOP on anything but a directory; a link is never followed. */
export function holdDirectory(path: string): HeldDirectory {
  const descriptor = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  return { address: `/proc/self/fd/${descriptor}`, release: () => closeSync(descriptor) };
}

export interface Placeholder {
  /** Entries of the parent that now exist and have to be covered, the placeholder first. */
  readonly names: readonly string[];
  readonly isDirectory: boolean;
  /** Off the main thread: on a busy disk taking a directory away can wait for its journal. Never rejects. */
  release(): Promise<void>;
}

/** Whether what stands there was made by a run, and by nobody else. */
export function isPlaceholder(parent: HeldDirectory, name: string): boolean {
  if (isFile(name) && readText(`${parent.address}/${name}`) !== FILES[name]) return false;
  const entries = list(`${parent.address}/${leasesOf(name)}`);
  return entries.length > 0 && entries.every((entry) => LEASE.test(entry));
}

/** Undefined when the directory cannot be written: then nothing can be created in it from inside either. */
export function placeholderIn(parent: HeldDirectory, name: string, id: string): Placeholder | undefined {
  const text = isFile(name) ? FILES[name] : undefined;
  const place = `${parent.address}/${name}`;
  const leases = `${parent.address}/${leasesOf(name)}`;
  const lease = `${leases}/.lainclaw-${process.pid}-${readStat(process.pid)?.started}-${id}`;

  function take(): void {
    for (let attempt = 1; ; attempt += 1) {
      try {
        unless('EEXIST', () => mkdirSync(leases, { mode: 0o755 }));
        mkdirSync(lease, { mode: 0o755 });
        return;
      } catch (error) {
        // Another run took the directory away between the two steps.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === ATTEMPTS) throw error;
      }
    }
  }

  try {
    take();
    if (text !== undefined) unless('EEXIST', () => writeFileSync(place, text, { flag: 'wx', mode: 0o644 }));
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  return {
    names: text === undefined ? [name] : [name, leasesOf(name)],
    isDirectory: text === undefined,
    async release() {
      await rmdir(lease).catch(() => {});
      for (const entry of list(leases).filter(isStale)) tryTo(() => rmdirSync(`${leases}/${entry}`));
      if (text !== undefined && list(leases).length === 0 && readText(place) === text) tryTo(() => unlinkSync(place));
      await rmdir(leases).catch(() => {});
    },
  };
}

function isFile(name: string): boolean {
  return Object.hasOwn(FILES, name);
}

function leasesOf(name: string): string {
  return isFile(name) ? `${name}.lainclaw` : name;
}

function isStale(entry: string): boolean {
  const [, pid, started] = LEASE.exec(entry) ?? [];
  return pid !== undefined && readStat(Number(pid))?.started !== Number(started);
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function readText(path: string): string | undefined {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function unless(code: string, action: () => void): void {
  try {
    action();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
  }
}

function tryTo(action: () => void): void {
  try {
    action();
  } catch {
    // Somebody else's by now, or gone.
  }
}
