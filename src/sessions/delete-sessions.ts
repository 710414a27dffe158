// Deletes conversations for good. What hangs on a session goes first (outputs, undo, cache, archived turns, notes), then the storage
// erases what was removed from its databases, and only then go the transcript and the entry in the index, by which it is found: killed
// anywhere in between, the same deletion finds the session again and finishes.
import type { Lock, Locks } from '../storage/locks.ts';
import type { Catalogue, Outputs, ResultCache, SessionNotes, Transcripts } from '../storage/storage.ts';
import type { KeptSession } from './kept.ts';
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
  /** Leaves nothing in the storage of what was removed. */
  erase(): Promise<void>;
}

export interface DeleteRequest {
  sessionKey: string;
  /** Only this session of the key; without it, every one that was ever kept under it. */
  sessionId?: string;
  /** Every session there is. */
  kept: readonly KeptSession[];
}

/** Returns the ids of what was deleted; none where there is nothing. Rejects with SESSION_BUSY while a turn is running. */
export async function deleteSessions(request: DeleteRequest, dependencies: DeleteDependencies): Promise<string[]> {
  const { sessionKey, sessionId, kept } = request;
  const own = kept.filter((each) =>
    sessionId === undefined ? each.sessionKey === sessionKey : each.sessionId === sessionId,
  );
  const subAgents = own.flatMap((each) => subAgentsOf(each, kept));
  const held = await lockAll([sessionKey, ...subAgents.flatMap((each) => each.sessionKey ?? [])], dependencies.locks);
  try {
    const [lock] = held;
    if (!lock || own.length === 0) return [];
    await removeAll([...subAgents, ...own], request, lock, dependencies);
    return own.map((each) => each.sessionId);
  } finally {
    for (const lock of held) await lock.release();
  }
}

async function removeAll(
  sessions: readonly KeptSession[],
  { sessionKey, sessionId }: DeleteRequest,
  lock: Lock,
  { catalogue, transcripts, notes, outputs, resultCache, forgetSession, erase }: DeleteDependencies,
): Promise<void> {
  for (const each of sessions) {
    await outputs.remove(each.sessionId);
    await resultCache.forget(each.sessionId);
    await forgetSession(each.sessionId);
  }
  if (sessionId === undefined) await notes.remove(sessionKey, lock);
  else await removeNotesOf(sessionId, sessionKey, notes, lock);
  const entry = await catalogue.get(sessionKey);
  const isCurrent = entry !== undefined && sessions.some((each) => each.sessionId === entry.sessionId);
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
