// Lists a held directory, depth first, each directory's entries in order. Every directory is entered through the
// one above it and never through a link, so a directory swapped for a link meanwhile is simply not entered. Stops
// at maxEntries, at maxDepth, and when aborted; entries that vanish meanwhile are left out.
import type { Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join, toSystem, toText } from './byte-path.ts';
import type { Grasp, Grip } from './grip.ts';
import { systemCode } from './refusal.ts';
import { MAX_DEPTH } from './walk.ts';
import type { EntryType, Listing, ListOptions, WorkspaceEntry } from './workspace.ts';

/** Entries read at the same time; more gains nothing on node's four file threads. */
const BATCH = 32;
const LATEST_DATE = 8.64e15;

export async function listDirectory(
  grasp: Grasp,
  start: Grip,
  { recursive, maxDepth, maxEntries, signal }: ListOptions,
): Promise<Omit<Listing, 'path'>> {
  const lowest = recursive ? Math.min(maxDepth, MAX_DEPTH) : 1;
  const entries: WorkspaceEntry[] = [];
  let truncated = false;

  await listInto(start, '', 1);
  return { entries, truncated };

  async function listInto(directory: Grip, prefix: string, depth: number): Promise<void> {
    const names = await firstNames(directory);
    for (let at = 0; at < names.length; at += BATCH) {
      signal?.throwIfAborted();
      const batch = names.slice(at, at + BATCH);
      const found = await Promise.all(batch.map((name) => lookAt(join(directory.address, name.bytes))));
      for (const [index, name] of batch.entries()) {
        const stats = found[index];
        if (stats === undefined) continue;
        if (entries.length >= maxEntries) {
          truncated = true;
          return;
        }
        const path = prefix + name.text;
        entries.push(toEntry(path, stats));
        if (recursive && stats.isDirectory()) await listBelow(join(directory.address, name.bytes), path, depth);
      }
    }
  }

  async function listBelow(address: string, path: string, depth: number): Promise<void> {
    if (depth >= lowest && truncated) return;
    const directory = await unlessUnavailable(grasp.directory(address));
    if (directory === undefined) return;
    try {
      if (depth < lowest) await unlessUnavailable(listInto(directory, `${path}/`, depth + 1));
      else if (await unlessUnavailable(hasEntries(directory))) truncated = true;
    } finally {
      directory.release();
    }
  }

  /** The first names in order, up to the remaining limit; memory does not grow with the directory. */
  async function firstNames(directory: Grip): Promise<Name[]> {
    const room = maxEntries - entries.length;
    let names: Name[] = [];
    for await (const bytes of readNames(directory)) {
      signal?.throwIfAborted();
      names.push({ bytes, text: toText(bytes) });
      if (names.length < 2 * room + BATCH) continue;
      names = names.sort(byCodeUnits).slice(0, room);
      truncated = true;
    }
    await grasp.confirm(directory);
    return names.sort(byCodeUnits);
  }
}

interface Name {
  bytes: string;
  text: string;
}

async function* readNames(directory: Grip): AsyncGenerator<string> {
  // Where the file system does not report an entry's type, node joins the path to the name: both must be bytes.
  const options = { encoding: 'buffer' as BufferEncoding, bufferSize: 256 };
  for await (const { name } of await opendir(toSystem(directory.address), options)) {
    yield (name as unknown as Buffer).toString('latin1');
  }
}

async function hasEntries(directory: Grip): Promise<boolean> {
  for await (const _ of readNames(directory)) return true;
  return false;
}

function lookAt(address: string): Promise<Stats | undefined> {
  return unlessUnavailable(lstat(toSystem(address)));
}

/** Undefined for an entry that is gone, replaced or unreadable: the listing leaves it out. */
async function unlessUnavailable<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (UNAVAILABLE.has(systemCode(error) ?? '')) return undefined;
    throw error;
  }
}

const UNAVAILABLE = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ESTALE', 'EACCES', 'EPERM']);

function toEntry(path: string, stats: Stats): WorkspaceEntry {
  const milliseconds = Math.max(-LATEST_DATE, Math.min(LATEST_DATE, stats.mtimeMs));
  return {
    path,
    type: typeOf(stats),
    size: stats.isFile() ? stats.size : 0,
    mtime: new Date(milliseconds).toISOString(),
  };
}

function typeOf(stats: Stats): EntryType {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}

function byCodeUnits(a: Name, b: Name): number {
  if (a.text !== b.text) return a.text < b.text ? -1 : 1;
  return a.bytes < b.bytes ? -1 : Number(a.bytes > b.bytes);
}
