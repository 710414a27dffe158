// sessions.json as a person, an earlier version or we have written it.
import { readFile } from 'node:fs/promises';
import { storageError } from '../../private-files.ts';
import { newerVersion, type SessionEntry } from '../../storage.ts';
import { isSessionId } from '../transcripts.ts';

export const INDEX_VERSION = 1;

/** A Map, because a session may be called "__proto__". */
export type Entries = Map<string, SessionEntry>;

export type FoundIndex = { state: 'read'; entries: Entries } | { state: 'missing' } | { state: 'damaged' };

export async function parseIndex(path: string): Promise<FoundIndex> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { state: 'missing' };
    throw storageError(path, error);
  }
  return parseIndexText(text, path);
}

/** `path` is for messages. */
export function parseIndexText(text: string, path: string): FoundIndex {
  let value: { version?: unknown; sessions?: unknown };
  try {
    value = JSON.parse(text);
  } catch {
    return { state: 'damaged' };
  }
  if (typeof value?.version === 'number' && value.version > INDEX_VERSION)
    throw newerVersion(path, value.version, INDEX_VERSION);
  if (value?.version !== INDEX_VERSION) return { state: 'damaged' };
  const { sessions } = value;
  if (typeof sessions !== 'object' || sessions === null || Array.isArray(sessions)) return { state: 'damaged' };
  const entries = new Map(Object.entries(sessions as Record<string, SessionEntry>));
  const areSound = [...entries].every(([key, entry]) => isEntryOf(key, entry));
  return areSound ? { state: 'read', entries } : { state: 'damaged' };
}

/** Times are compared as texts, so one of another form would be later than all that follow. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

export function isEntryOf(key: string, entry: SessionEntry | null | undefined): boolean {
  return entry?.sessionKey === key && isSessionId(entry.sessionId) && TIME.test(String(entry.updatedAt));
}
