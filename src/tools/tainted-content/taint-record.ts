// tainted-files.json: {version:1, files, trees, pending}, by absolute path. A workspace sees what is below its root, by paths relative to
// it. A file that cannot be read is never taken for an empty one.
import { join, relative } from 'node:path';
import { StorageError } from '../../storage/storage.ts';
import type { TaintSource } from '../../vocabulary/taint-source.ts';

const VERSION = 1;

export interface TaintRecord {
  /** By path relative to the root. */
  files: ReadonlyMap<string, { digest: string; from: readonly TaintSource[]; at: string }>;
  trees: ReadonlyMap<string, { from: readonly TaintSource[]; at: string }>;
  /** Commands that run in this workspace, or were killed. */
  pending: ReadonlyMap<string, PendingCommand>;
}

export interface PendingCommand {
  /** Milliseconds since the epoch. */
  at: number;
  pid: number;
  /** When that process was started, as `readStat` returns it: after a restart, another process may have its number. */
  started?: number;
  from: readonly TaintSource[];
  /** It runs in the background for as long as its process lives. */
  lasts?: boolean;
}

export const EMPTY_RECORD: TaintRecord = { files: new Map(), trees: new Map(), pending: new Map() };

interface Written {
  version: number;
  files: Record<string, unknown>;
  trees: Record<string, unknown>;
  pending: Record<string, unknown>;
}

/** What the workspace with this root sees. */
export function parseTaintRecord(text: string | undefined, root: string): TaintRecord {
  const { files, trees, pending } = parse(text);
  return {
    files: mapOf(files, (path, value) => (typeof value.digest === 'string' ? insideOf(root, path) : undefined)),
    // A tree around the workspace is all of it.
    trees: mapOf(trees, (path) => insideOf(root, path) ?? (insideOf(path, root) === undefined ? undefined : '.')),
    pending: mapOf(pending, (id, { at, pid, root: own }) =>
      typeof at === 'number' && typeof pid === 'number' && own === root ? id : undefined,
    ),
  };
}

/** The text with what one workspace sees changed; undefined when nothing has changed, null when nothing is left. */
export function withRecord(
  text: string | undefined,
  root: string,
  make: (record: TaintRecord) => TaintRecord,
): string | undefined | null {
  const whole = parse(text);
  const before = parseTaintRecord(text, root);
  const after = make(before);
  const absolute = (path: string): string => (path === '.' ? root : join(root, path));
  const files = changed(whole.files, before.files, after.files, absolute);
  const trees = changed(whole.trees, before.trees, after.trees, absolute);
  const pending = changed(whole.pending, before.pending, withRoot(after.pending, root), (id) => id);
  if ([files, trees, pending].every((each) => Object.keys(each).length === 0))
    return text === undefined ? undefined : null;
  const written = `${JSON.stringify({ version: VERSION, files, trees, pending }, undefined, 1)}\n`;
  return written === text ? undefined : written;
}

function withRoot<T extends object>(entries: ReadonlyMap<string, T>, root: string): Map<string, T & { root: string }> {
  return new Map([...entries].map(([id, entry]) => [id, { ...entry, root }]));
}

/** What the workspace does not see stays as it is. */
function changed(
  all: Record<string, unknown>,
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
  nameOf: (key: string) => string,
): Record<string, unknown> {
  const gone = new Set([...before.keys()].filter((key) => !after.has(key)).map(nameOf));
  const kept = Object.entries(all).filter(([name]) => !gone.has(name));
  const own = [...after]
    .filter(([key, value]) => before.get(key) !== value)
    .map(([key, value]) => [nameOf(key), value]);
  return Object.fromEntries([...kept, ...own]);
}

/** Relative to the root; undefined outside. */
function insideOf(root: string, path: string): string | undefined {
  const below = relative(root, path);
  if (below === '') return '.';
  return below === '..' || below.startsWith('../') ? undefined : below;
}

function parse(text: string | undefined): Written {
  const empty = { version: VERSION, files: {}, trees: {}, pending: {} };
  if (text === undefined) return empty;
  let value: Partial<Written> | null = null;
  try {
    value = JSON.parse(text);
  } catch {
    // Said below.
  }
  const isObject = (each: unknown): boolean => typeof each === 'object' && each !== null && !Array.isArray(each);
  if (!isObject(value) || ![value?.files, value?.trees, value?.pending].every(isObject))
    throw new StorageError(
      'STORAGE_FAILED',
      'tainted-files.json of the home is damaged: restore it from a backup, or remove it, and every file counts as yours',
    );
  return value as Written;
}

type Entry = Record<string, unknown>;

/** `keyOf`: undefined for an entry that is left out. */
function mapOf<T>(
  entries: Record<string, unknown>,
  keyOf: (name: string, entry: Entry) => string | undefined,
): Map<string, T> {
  const found = new Map<string, T>();
  for (const [name, value] of Object.entries(entries)) {
    const entry = value as Entry | null;
    if (typeof entry !== 'object' || entry === null || !Array.isArray(entry.from)) continue;
    const key = keyOf(name, entry);
    if (key !== undefined) found.set(key, entry as T);
  }
  return found;
}
