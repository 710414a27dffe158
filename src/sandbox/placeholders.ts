// Mount points for protected paths that do not exist: a mount needs an existing path, and that path is on the host. A
// placeholder is an empty directory. It is removed after the run with rmdir, which never removes anything a person put
// there meanwhile. Runs that share a workspace share it: each keeps a lease in it (an empty directory, which git does not
// show), and the last run removes it, because removing a mount point unmounts it in every other sandbox. A lease names
// its process; the next run removes the leases of dead processes. A run that is alone in a placeholder may move it away instead, to use it
// again (`spare-placeholders.ts`).
//
// git fails on a directory named .git/commondir, so that placeholder is a file whose text changes nothing, and its leases
// are in a directory beside it.
import {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdir,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { readStat } from './end-tree.ts';
import { SandboxError } from './sandbox.ts';
import { quoted } from './shell-quote.ts';
import type { SpareDirectories } from './spare-directories.ts';
import { hasJoined, LEAVING, type SparePlaceholders } from './spare-placeholders.ts';

const LEASE = /^\.lainclaw-(\d+)-(\d+)-/;
const FILES: Readonly<Record<string, string>> = { commondir: '.\n' };
const ATTEMPTS = 100;
/** Where leases come from and go to; with `keep`, also the placeholders themselves. */
export type LeaseDirectories = Pick<SpareDirectories, 'make' | 'remove'> & Partial<Pick<SparePlaceholders, 'keep'>>;
/** Leases as directories of the file system. */
const PLAIN: LeaseDirectories = {
  make: (path) => mkdirSync(path, { mode: 0o755 }),
  remove: async (path) => void (await isRemoved(path)),
};

/** An open directory: it stays the same one, whatever happens to its path. */
export interface HeldDirectory {
  /** A path: joined with a name it leads to an entry of the directory. */
  readonly address: string;
  release(): void;
}

const O_PATH = 0o10000000;

/** Fails with ENOTDIR or ELOOP on anything but a directory; a link is never followed. */
export function holdDirectory(path: string): HeldDirectory {
  const descriptor = openSync(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  return { address: `/proc/self/fd/${descriptor}`, release: () => closeSync(descriptor) };
}

/** A missing path needs these entries in its parent, all of them covered. */
export interface PlaceholderEntries {
  /** The placeholder first. */
  readonly names: readonly string[];
  readonly isDirectory: boolean;
}

export interface Placeholder extends PlaceholderEntries {
  /** The directory of this run in the placeholder, relative to the parent. */
  readonly lease: string;
  /** What `release` does, for a shell in the parent directory at this path. */
  releaseScript(above: string): string;
  /** Off the main thread: on a busy disk removing a directory can wait for the journal. Never rejects. */
  release(): Promise<void>;
}

/** True when a sandbox run made this entry. */
export function isPlaceholder(parent: HeldDirectory, name: string): boolean {
  if (isFile(name) && readText(`${parent.address}/${name}`) !== FILES[name]) return false;
  const entries = list(`${parent.address}/${leasesOf(name)}`);
  return entries.length > 0 && entries.every((entry) => LEASE.test(entry));
}

export function entriesOf(name: string): PlaceholderEntries {
  return { names: isFile(name) ? [name, leasesOf(name)] : [name], isDirectory: !isFile(name) };
}

/** Makes names of leases: each tells which process made it. */
export function createLeaseNames(newId: (prefix: string) => string): () => string {
  let started: number | undefined;
  return () => {
    started ??= readStat(process.pid)?.started;
    return `.lainclaw-${process.pid}-${started}-${newId('lease')}`;
  };
}

/** Undefined when the parent cannot be written: then a command cannot create anything in it either. */
export function placeholderIn(
  parent: HeldDirectory,
  name: string,
  leaseName: string,
  leaseDirectories: LeaseDirectories = PLAIN,
): Placeholder | undefined {
  const text = isFile(name) ? FILES[name] : undefined;
  const place = `${parent.address}/${name}`;
  const leases = `${parent.address}/${leasesOf(name)}`;

  function take(): void {
    for (let attempt = 1; ; attempt += 1) {
      let directory: HeldDirectory | undefined;
      try {
        unless('EEXIST', () => mkdirSync(leases, { mode: 0o755 }));
        directory = holdDirectory(leases);
        const lease = `${directory.address}/${leaseName}`;
        leaseDirectories.make(lease);
        if (hasJoined(leases, leaseName)) return;
        // Another run moves it away, and may have done so.
        tryTo(() => rmdirSync(lease));
        if (attempt === ATTEMPTS) throw new SandboxError('setup-failed', `${leases} is being removed: try again`);
      } catch (error) {
        // Another run removed the directory between the two steps.
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === ATTEMPTS) throw error;
      } finally {
        directory?.release();
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
  return placedPlaceholder(parent, name, leaseName, leaseDirectories);
}

/** A placeholder that is already in its place. */
export function placedPlaceholder(
  parent: HeldDirectory,
  name: string,
  leaseName: string,
  leaseDirectories: LeaseDirectories = PLAIN,
): Placeholder {
  const text = isFile(name) ? FILES[name] : undefined;
  const place = `${parent.address}/${name}`;
  const leases = `${parent.address}/${leasesOf(name)}`;
  const lease = `${leasesOf(name)}/${leaseName}`;
  return {
    ...entriesOf(name),
    lease,
    releaseScript(above) {
      const names = [lease, lease + LEAVING, leasesOf(name), name];
      const [leaseAt, markAt, leasesAt, placeAt] = names.map((each) => quoted(`${above}/${each}`));
      // A release may have been interrupted after any of its steps.
      const remove = `rmdir ${leaseAt} ${markAt}; rmdir ${leasesAt}`;
      return text === undefined
        ? remove
        : `${remove}; [ -e ${leasesAt} ] || { [ "$(cat ${placeAt})" = ${quoted(text.trim())} ] && rm ${placeAt}; }`;
    },
    async release() {
      if (text === undefined && leaseDirectories.keep?.(leases, leaseName)) return;
      await leaseDirectories.remove(`${parent.address}/${lease}`);
      // Nearly always nobody else has a lease in it, which needs no look.
      if (text === undefined && (await isRemoved(leases))) return;
      for (const entry of staleIn(list(leases))) tryTo(() => rmSync(`${leases}/${entry}`, { recursive: true }));
      if (text !== undefined && list(leases).length === 0 && readText(place) === text) tryTo(() => unlinkSync(place));
      await isRemoved(leases);
    },
  };
}

function isFile(name: string): boolean {
  return Object.hasOwn(FILES, name);
}

function leasesOf(name: string): string {
  return isFile(name) ? `${name}.lainclaw` : name;
}

/** Those whose process has ended. Each process is looked for once. */
export function staleIn(entries: readonly string[]): string[] {
  const hasEnded = new Map<string, boolean>();
  return entries.filter((entry) => {
    const [owner, pid, started] = LEASE.exec(entry) ?? [];
    if (owner === undefined) return false;
    const known = hasEnded.get(owner) ?? readStat(Number(pid))?.started !== Number(started);
    hasEnded.set(owner, known);
    return known;
  });
}

function isRemoved(path: string): Promise<boolean> {
  return new Promise((resolve) => rmdir(path, (error) => resolve(error === null)));
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
    // It belongs to another run by now, or is gone.
  }
}
