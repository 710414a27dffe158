// Deletes conversations for good. What is to be deleted is on record first (`deletions.json`), so that the next command finishes a
// deletion that was killed. What hangs on a session goes before the rest (outputs, undo, cache, archived turns, messages, notes), then the
// storage erases what was removed from its databases, and only then go the transcript and the entry in the index, by which it is found.
import type { Lock, Locks } from '../storage/locks.ts';
import type { Catalogue, Outputs, ResultCache, SessionNotes, Transcripts } from '../storage/storage.ts';
import type { Deletions } from './deletions.ts';
import type { KeptSession } from './kept.ts';
import { asSessionLine } from './lines.ts';
import { SessionChangeError } from './session-change-error.ts';
import { notesUpTo } from './summaries.ts';

export interface DeleteDependencies {
  catalogue: Catalogue;
  locks: Locks;
  transcripts: Transcripts;
  notes: SessionNotes;
  outputs: Outputs;
  resultCache: ResultCache;
  /** Everything that other services keep of a session. */
  forgetSession(sessionId: string): Promise<void>;
  /** Everything that is kept of a key and not of one of its sessions: messages of its chat, answers of its job. */
  forgetKey(sessionKey: string): Promise<void>;
  deletions: Deletions;
  /** Leaves nothing in the storage of what was removed. */
  erase(): Promise<void>;
}

export interface DeleteRequest {
  sessionKey: string;
  /** Only these sessions of the key; without them, every one that was ever kept under it. */
  sessionIds?: readonly string[];
  /** Every session there is. */
  kept: readonly KeptSession[];
}

/** Returns the ids of what was deleted; none where there is nothing. Rejects with SESSION_BUSY while a turn is running. */
export async function deleteSessions(request: DeleteRequest, dependencies: DeleteDependencies): Promise<string[]> {
  const { sessionKey, sessionIds, kept } = request;
  const own = kept.filter((each) =>
    sessionIds === undefined ? each.sessionKey === sessionKey : sessionIds.includes(each.sessionId),
  );
  const subAgents = own.flatMap((each) => subAgentsOf(each, kept));
  const held = await lockAll([sessionKey, ...subAgents.flatMap((each) => each.sessionKey ?? [])], dependencies.locks);
  try {
    const [lock] = held;
    if (!lock || own.length === 0) return [];
    const deleted = own.map((each) => each.sessionId);
    await dependencies.deletions.begin({ sessionKey, sessionIds: deleted });
    await removeAll([...subAgents, ...own], request, lock, dependencies);
    await dependencies.deletions.end(deleted);
    return deleted;
  } finally {
    for (const lock of held) await lock.release();
  }
}

async function removeAll(
  sessions: readonly KeptSession[],
  { sessionKey, kept }: DeleteRequest,
  lock: Lock,
  { catalogue, transcripts, notes, outputs, resultCache, forgetSession, forgetKey, erase }: DeleteDependencies,
): Promise<void> {
  const isGone = ({ sessionId }: { sessionId: string }): boolean =>
    sessions.some((each) => each.sessionId === sessionId);
  for (const each of sessions) {
    for (const name of await filesOfEarlierVersions(each.sessionId, transcripts)) await outputs.remove('code', name);
    await outputs.remove(each.sessionId);
    await resultCache.forget(each.sessionId);
    await forgetSession(each.sessionId);
  }
  const isLast = kept.every((each) => each.sessionKey !== sessionKey || isGone(each));
  if (isLast) await notes.remove(sessionKey, lock);
  else for (const { sessionId } of sessions) await removeNotesOf(sessionId, sessionKey, notes, lock);
  const entry = await catalogue.get(sessionKey);
  const isCurrent = entry !== undefined && isGone(entry);
  if (isLast || isCurrent) await forgetKey(sessionKey);
  if (isCurrent) {
    const { createdAt, updatedAt } = entry;
    await catalogue.put({ sessionKey, sessionId: entry.sessionId, createdAt, updatedAt }, lock);
  }
  await erase();
  for (const each of sessions) await transcripts.remove(each.sessionId);
  if (isCurrent) await catalogue.remove(sessionKey);
}

async function removeNotesOf(sessionId: string, sessionKey: string, notes: SessionNotes, lock: Lock): Promise<void> {
  const known = await notes.read(sessionKey);
  if (known === undefined) return;
  const rest = notesUpTo(known, sessionId, -1);
  if (rest !== known) await notes.write(sessionKey, rest, lock);
}

/**
 * Earlier versions kept what `code_execute` left in a folder for all sessions; the last lines of its results name the files. Whatever else
 * a transcript says of that folder may be somebody else's words.
 */
async function filesOfEarlierVersions(sessionId: string, transcripts: Transcripts): Promise<Set<string>> {
  const names = new Set<string>();
  const calls = new Set<string>();
  for await (const scanned of transcripts.scan(sessionId)) {
    const line = 'line' in scanned ? asSessionLine(scanned.line) : undefined;
    if (line?.type === 'tool-call' && line.call?.name === 'code_execute') calls.add(line.call.id);
    if (line?.type === 'tool-result' && line.ok && calls.has(line.callId) && !isOfOwnFolder(line.meta))
      for (const left of filesLeft(String(line.text))) names.add(left);
  }
  return names;
}

/** Results say how many files they have left since these are kept in a folder of the conversation. */
function isOfOwnFolder(meta: unknown): boolean {
  return typeof meta === 'object' && meta !== null && 'leftFiles' in meta;
}

function filesLeft(text: string): string[] {
  const files: string[] = [];
  for (const line of text.split('\n').reverse()) {
    const [, name] = /^.+ \(\d+ bytes\) is in \/.*\/outputs\/code\/([\w.-]+)$/.exec(line) ?? [];
    if (name === undefined) return files;
    files.push(name);
  }
  return files;
}

/** The sub-agents that a session waited for, and theirs, the innermost first. */
function subAgentsOf({ sessionId }: KeptSession, kept: readonly KeptSession[]): KeptSession[] {
  const children = kept.filter(({ sessionKey }) => sessionKey?.startsWith(`task:${sessionId}:`));
  return children.flatMap((child) => [...subAgentsOf(child, kept), child]);
}

/** All of them at once, without waiting. */
async function lockAll(sessionKeys: readonly string[], locks: Locks): Promise<Lock[]> {
  const held: Lock[] = [];
  for (const sessionKey of sessionKeys) {
    const lock = await locks.tryAcquire(`session:${sessionKey}`);
    if (lock) held.push(lock);
    else {
      for (const each of held) await each.release();
      throw new SessionChangeError(
        'SESSION_BUSY',
        `nothing was deleted: a turn of "${sessionKey}" is running; wait for its end, or stop it, and delete again`,
      );
    }
  }
  return held;
}
