// Placeholders that are used again and again: a command needs one for each protected path that is missing, and making a directory takes the
// longer the more were removed lately (`spare-directories.ts`). Removing one is safe by itself, because rmdir leaves what is not empty.
// Moving one is not: another process may take a lease in it at that very moment, and its mount would move too. So who leaves renames
// its lease to a mark, then looks for other leases, and only then moves the placeholder; who joins makes its lease, and then looks for marks
// (`hasJoined`). One of the two sees the other: who leaves and sees a lease stays, who joins and sees a mark takes its lease back and tries again.
import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { readStat } from './end-tree.ts';

const LEASE = /^\.lainclaw-(\d+)-(\d+)-/;
/** Of a lease whose run is about to move the placeholder away. */
export const LEAVING = '.leaving';
/** Of the name of a placeholder outside the workspace. */
const KEPT = '.placeholder';
const MOST = 64;

export interface SparePlaceholders {
  /**
   * Moves a placeholder out of its workspace when nothing but this lease is in it, to be used again. False where it stays as it was.
   * Nothing of this process comes between: it is synchronous.
   */
  keep(place: string, lease: string): boolean;
  /** Moves a kept one to a path where nothing is, with this lease in it. False where there is none. */
  reuse(path: string, lease: string): boolean;
  /** Removes the kept ones. */
  close(): void;
}

export interface SparePlaceholderDependencies {
  /** On the file system of the workspace, where directories can be moved between the two. */
  store: string;
  /** A name that the next process recognises when this one was killed. */
  newName(): string;
}

export function createSparePlaceholders({ store, newName }: SparePlaceholderDependencies): SparePlaceholders {
  const kept: { at: string; mark: string }[] = [];
  return {
    keep(place, lease) {
      const mark = lease + LEAVING;
      if (kept.length >= MOST || !isDone(() => renameSync(`${place}/${lease}`, `${place}/${mark}`))) return false;
      const at = `${store}/${newName()}${KEPT}`;
      const isAlone = list(place).every((entry) => entry === mark);
      if (!isAlone || !isDone(() => renameSync(place, at))) {
        isDone(() => renameSync(`${place}/${mark}`, `${place}/${lease}`));
        return false;
      }
      if (isOnly(at, mark, place)) kept.push({ at, mark });
      return true;
    },
    reuse(path, lease) {
      for (let next = kept.pop(); next; next = kept.pop()) {
        const { at, mark } = next;
        if (!isDone(() => renameSync(at, path))) continue;
        if (isDone(() => renameSync(`${path}/${mark}`, `${path}/${lease}`))) return true;
        isDone(() => rmdirSync(path));
      }
      return false;
    },
    close() {
      for (const { at } of kept.splice(0)) removeKept(at);
    },
  };
}

/** After making a lease: true when no run moves the placeholder away that has this lease in it. */
export function hasJoined(place: string, lease: string): boolean {
  const entries = list(place);
  return entries.includes(lease) && !entries.some(isLeaving);
}

export function isKept(name: string): boolean {
  return name.endsWith(KEPT);
}

/** Removes a kept placeholder with its marks; what a person has put in it stays. */
export function removeKept(path: string): void {
  for (const entry of list(path)) if (LEASE.test(entry)) isDone(() => rmdirSync(`${path}/${entry}`));
  isDone(() => rmdirSync(path));
}

/** The mark of another process, which is alive: a run of this one is not interrupted between its mark and its move. */
function isLeaving(entry: string): boolean {
  const [, pid, started] = LEASE.exec(entry) ?? [];
  if (pid === undefined || !entry.endsWith(LEAVING) || Number(pid) === process.pid) return false;
  return readStat(Number(pid))?.started === Number(started);
}

/** Whether the moved directory is the placeholder and nothing else. What somebody put there in the last moment goes back. */
function isOnly(at: string, mark: string, place: string): boolean {
  const entries = list(at);
  if (!entries.includes(mark)) {
    isDone(() => renameSync(at, place));
    return false;
  }
  const others = entries.filter((entry) => entry !== mark);
  for (const entry of others) {
    // Who made it has seen the mark, or that it is gone.
    if (LEASE.test(entry)) isDone(() => rmdirSync(`${at}/${entry}`));
    else {
      isDone(() => mkdirSync(place, { mode: 0o755 }));
      isDone(() => renameSync(`${at}/${entry}`, `${place}/${entry}`));
    }
  }
  return others.length === 0 || list(at).length === 1;
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function isDone(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
