// What of a home belongs into a backup. Everything does but what this machine alone needs (locks, the state of a running gateway,
// logs), what can be downloaded again, earlier backups, and what a restore set aside. The same names stay in place when a
// home is restored.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export const RESTORE_FOLDER = '.restore';
/** Where one conversation of a backup is unpacked. */
export const PARTS_FOLDER = '.restore-session';
export const SET_ASIDE = 'replaced-';
const DAMAGED = 'damaged-';

const STAYS: ReadonlyMap<string, string> = new Map([
  ['locks', 'locks of running processes'],
  ['service', 'state and log of the gateway that runs here'],
  ['logs', 'logs'],
  ['models', 'embedding models, which can be downloaded again'],
  ['browser', 'the browser, its profile and its screenshots'],
  ['backups', 'earlier backups'],
  [RESTORE_FOLDER, 'a restore that was cut short'],
  [PARTS_FOLDER, 'a restore that was cut short'],
  ['.repair', 'a repair that was cut short'],
]);
const LONGEST_PATH = 4_096;
const LONGEST_NAME = 255;
/** Made again from the transcripts. */
export const INDEXES: ReadonlySet<string> = new Set(['sessions/history.db']);
/** Of writers that replace a file; whole ones have another name. */
const TEMPORARY = /^\..*\.tmp$|\.probe$/;
const DATABASE = /^(?:(?:sessions|undo)\/)?[^/]+\.db$/;
const DATABASE_COMPANION = /^(?:(?:sessions|undo)\/)?[^/]+\.db-(?:wal|shm|journal)$/;

export interface HomeContents {
  /** Paths relative to the home, parents first. */
  folders: string[];
  files: string[];
  databases: string[];
  leftOut: { path: string; reason: string }[];
}

/** Why a name directly in the home is neither backed up nor replaced; undefined for what is. */
export function reasonToStay(name: string): string | undefined {
  if (name.startsWith(DAMAGED)) return 'what a repair set aside';
  return STAYS.get(name) ?? (name.startsWith(SET_ASIDE) ? 'what a restore set aside' : undefined);
}

/** `except` is a folder that is left out silently: where the backup is being written. */
export async function listHome(home: string, except: string): Promise<HomeContents> {
  const contents: HomeContents = { folders: [], files: [], databases: [], leftOut: [] };
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const name of (await namesIn(join(home, folder))).toSorted()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const reason = folder === '' ? reasonToStay(name) : undefined;
      if (reason !== undefined) contents.leftOut.push({ path, reason });
      else if (join(home, path) !== except && (await place(home, path, contents))) waiting.push(path);
    }
  }
  return contents;
}

/** True for a folder that has to be looked into. */
async function place(home: string, path: string, contents: HomeContents): Promise<boolean> {
  const found = await lstat(join(home, path)).catch(() => undefined);
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!found || DATABASE_COMPANION.test(path) || TEMPORARY.test(name) || INDEXES.has(path)) return false;
  const problem = pathProblem(path);
  if (problem !== undefined) contents.leftOut.push({ path, reason: problem });
  else if (found.isDirectory()) {
    contents.folders.push(path);
    return true;
  } else if (!found.isFile())
    contents.leftOut.push({ path, reason: found.isSymbolicLink() ? 'a link' : 'not a regular file' });
  else if (DATABASE.test(path)) contents.databases.push(path);
  else contents.files.push(path);
  return false;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

/** Why a path cannot be one of a backup; undefined when it can. A path never leaves the home. */
export function pathProblem(path: string): string | undefined {
  const names = path.split('/');
  const shown = JSON.stringify(path.slice(0, 100));
  if (Buffer.byteLength(path) > LONGEST_PATH || names.some((name) => Buffer.byteLength(name) > LONGEST_NAME))
    return `the path ${shown} is too long`;
  // A name that is not UTF-8 cannot be found again.
  if (path.includes('\0') || path.includes('\\') || path.includes('\uFFFD')) return `the path ${shown} cannot be used`;
  if (names.some((name) => name === '' || name === '.' || name === '..')) return `the path ${shown} leaves the home`;
  return reasonToStay(names[0] ?? '') === undefined ? undefined : `the path ${shown} is not part of a home`;
}
