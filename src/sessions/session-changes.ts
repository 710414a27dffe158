// What a person changes in conversations as a whole: their title, and another one made of the beginning of one.
import type { Lock } from '../storage/locks.ts';
import type { SessionEntry, TranscriptLine, Transcripts } from '../storage/storage.ts';
import { copyTranscript } from './copy-transcript.ts';
import type { DeleteDependencies } from './delete-sessions.ts';
import { keptSessions } from './kept.ts';
import { SessionChangeError } from './session-change-error.ts';
import { sessionKeyProblem } from './session-key.ts';
import { firstLine, newSessionId } from './sessions.ts';
import { notesOfCopy, notesUpTo } from './summaries.ts';
import { givenTitle } from './title.ts';

export interface SessionChangesDependencies extends DeleteDependencies {
  /** What these turns changed in files can be undone in the copy too. */
  copyUndo(from: string, to: string, turnIds: ReadonlySet<string>): Promise<void>;
  now(): number;
  newId(prefix: string): string;
}

export interface Waiting {
  signal: AbortSignal;
  /** Called when a turn of the session is running. */
  onWait?: () => void;
}

export interface Fork extends Waiting {
  from: SessionEntry;
  /** The last turn that is copied, by the beginning of its id; by default the last one that has ended. */
  turn?: string;
  /** The copy ends before that turn. */
  before?: boolean;
  /** The key of the copy. The key of `from` itself: the copy takes its place there, and the original is kept. */
  as: string;
  /** Where the conversation is read from, when that is not this storage; then `as` must be free, and nothing of it can be undone. */
  source?: { scan: Transcripts['scan']; notes: string | undefined };
}

export interface Forked {
  entry: SessionEntry;
  /** The last turn that was copied; undefined where no turn has ended yet. */
  lastTurn: string | undefined;
}

export interface SessionChanges {
  /** Undefined when there is no such session; durable when it resolves. `replaces`: only in place of this title. */
  rename(
    sessionKey: string,
    title: string,
    waiting: Waiting & { replaces?: string },
  ): Promise<SessionEntry | undefined>;
  /** Another conversation with the beginning of this one, under the same ids; durable when it resolves. */
  fork(request: Fork): Promise<Forked>;
  /** Removes a session with everything that was kept of it; returns the ids of what was deleted. Rejects with SessionChangeError. */
  remove(session: { sessionKey: string; sessionId?: string }): Promise<string[]>;
  /** Finishes deletions that were cut short; one whose session is in use is left for the next command. */
  finishDeletions(): Promise<void>;
}

export function createSessionChanges(dependencies: SessionChangesDependencies): SessionChanges {
  const { catalogue, locks, transcripts, notes, copyUndo, now, newId } = dependencies;

  async function underLock<T>(sessionKey: string, waiting: Waiting, change: (lock: Lock) => Promise<T>): Promise<T> {
    const lock = await locks.acquire(`session:${sessionKey}`, waiting);
    try {
      return await change(lock);
    } finally {
      await lock.release();
    }
  }

  /** Also in the transcript, so that an index that is made again knows it. */
  async function appendState(sessionId: string, entry: Partial<SessionEntry>, lock: Lock): Promise<void> {
    const transcript = await transcripts.open(sessionId, lock);
    try {
      await transcript.append([stateLine(entry, new Date(now()).toISOString())]);
      await transcript.sync();
    } finally {
      await transcript.close();
    }
  }

  async function removeSessions(sessionKey: string, sessionIds?: readonly string[]): Promise<string[]> {
    const { deleteSessions } = await import('./delete-sessions.ts');
    const kept = await keptSessions(transcripts, await catalogue.list());
    return deleteSessions({ sessionKey, sessionIds, kept }, dependencies);
  }

  /** What the copy remembers: the summaries of what it holds, and of nothing that came after. */
  async function copyNotes(from: SessionEntry, to: SessionEntry, lock: Lock, source: Fork['source']): Promise<void> {
    const known = source ? source.notes : await notes.read(from.sessionKey);
    if (known === undefined) return;
    const lastMessage = to.compactedMessageCount ?? 0;
    if (from.sessionKey === to.sessionKey && !source) {
      const kept = notesUpTo(known, from.sessionId, lastMessage);
      if (kept !== known) await notes.write(to.sessionKey, kept, lock);
    } else if (lastMessage > 0) {
      await notes.write(to.sessionKey, notesOfCopy(known, { from: from.sessionId, lastMessage, to }), lock);
    }
  }

  return {
    async rename(sessionKey, text, waiting) {
      const title = givenTitle(text);
      if (title === '') throw new SessionChangeError('INVALID_TITLE', 'the title is empty: give it some words');
      return underLock(sessionKey, waiting, async (lock) => {
        const entry = await catalogue.get(sessionKey);
        if (!entry) return undefined;
        if (waiting.replaces !== undefined && waiting.replaces !== entry.title) return entry;
        await appendState(entry.sessionId, { title }, lock);
        const renamed = { ...entry, title };
        await catalogue.put(renamed, lock);
        return renamed;
      });
    },

    remove: ({ sessionKey, sessionId }) =>
      removeSessions(sessionKey, sessionId === undefined ? undefined : [sessionId]),

    async finishDeletions() {
      const { deletions } = dependencies;
      for (const { sessionKey, sessionIds } of await deletions.open()) {
        try {
          await removeSessions(sessionKey, sessionIds);
          await deletions.end(sessionIds);
        } catch (error) {
          if (!(error instanceof SessionChangeError)) throw error;
        }
      }
    },

    async fork({ from, turn, before, as, source, ...waiting }) {
      const problem = sessionKeyProblem(as);
      if (problem) throw new SessionChangeError('INVALID_SESSION_KEY', `"${as}" cannot name a session: ${problem}`);
      return underLock(as, waiting, async (lock) => {
        if ((source || as !== from.sessionKey) && (await catalogue.get(as)))
          throw new SessionChangeError('SESSION_EXISTS', `there is a session "${as}" already: choose another key`);
        const timestamp = new Date(now()).toISOString();
        const sessionId = newSessionId(now(), newId);
        const { compactedMessageCount: _summarised, ...state } = from;
        const copy: SessionEntry = { ...state, sessionKey: as, sessionId, createdAt: timestamp, updatedAt: timestamp };
        const copied = await copyTranscript({
          transcripts: source ? { ...transcripts, scan: source.scan } : transcripts,
          from: from.sessionId,
          to: sessionId,
          turn,
          before,
          first: { ...firstLine(copy), forkedFrom: from.sessionId },
          lock,
        });
        const { compactedMessageCount, turnIds } = copied;
        const entry = { ...copy, ...(compactedMessageCount !== undefined && { compactedMessageCount }) };
        if (!source) await copyUndo(from.sessionId, sessionId, turnIds);
        await copyNotes(from, entry, lock, source);
        const { sessionKey: _key, sessionId: _id, createdAt: _created, ...known } = entry;
        await appendState(sessionId, known, lock);
        await catalogue.put(entry, lock);
        return { entry, lastTurn: [...turnIds].at(-1) };
      });
    },
  };
}

function stateLine(entry: Partial<SessionEntry>, timestamp: string): TranscriptLine {
  return { type: 'session-state', timestamp, entry };
}
