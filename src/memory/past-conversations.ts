// Past conversations, searchable whether they were remembered or not: an index of the transcripts, which are the truth. Each use and the end
// of each turn wake it; it then reads what has changed, a few turns at a time, and keeps how far it came with each of them. So it can
// stop anywhere, continue in another process, and begin again when its file is gone. One process at a time reads.
import { setTimeout as sleep } from 'node:timers/promises';
import type { IndexProgress } from '../storage/archive.ts';
import type { ComparedIndex, HistoryIndex, IndexedSession } from '../storage/history-index.ts';
import type { Lock, Locks } from '../storage/locks.ts';
import { type MemoryReader, type MemoryScope, OWNER } from '../vocabulary/memory-scope.ts';
import { createAnalyser } from './analysis/analyser.ts';
import { createBackground } from './embeddings/background.ts';
import { createMemory, type Memory } from './memory.ts';
import { type PastQuestion, readPastQuestion, type TimeLimits } from './past-question.ts';
import { rememberTurns } from './remember-turns.ts';
import type { SearchOptions, SearchResult } from './search.ts';
import { createWallClock } from './time/wall-clock.ts';

const LOCK = 'history-index';
/** Messages that are saved at once: few enough that nothing else waits long. */
const BATCH_MESSAGES = 24;
/** Between batches in the background, so that turns come first. */
const PAUSE_MS = 15;
const NO_MODEL = { unavailable: 'conversations are searched by their words' };

export interface SaidTurn {
  turnEnds: number;
  messages: readonly { id: string; role: 'user' | 'assistant'; content: string; timestamp: string }[];
  scope: MemoryScope;
  tainted: boolean;
}

/** The transcripts, as far as the index needs them. */
export interface ConversationSource {
  list(): Promise<string[]>;
  /** Changes whenever the transcript does; undefined when there is none. */
  revision(sessionId: string): Promise<string | undefined>;
  /** True when what was said at the earlier revision is still there at the later one. */
  isContinued(earlier: string, later: string): boolean;
  identity(sessionId: string): Promise<{ sessionKey: string; replaces?: string; isUnlisted: boolean }>;
  turns(sessionId: string, afterTurnEnds: number): AsyncIterable<SaidTurn>;
}

export interface CatchUpOptions {
  signal?: AbortSignal;
  onProgress?: (progress: IndexProgress) => void;
  /** Stops after about this time; by default it reads everything. */
  milliseconds?: number;
  /** When another process reads: wait for it, or leave the work to it. */
  whenBusy?: 'wait' | 'leave';
  /** Rests between batches. */
  gently?: boolean;
}

export interface PastConversations {
  /** Brings the index up to date. Returns how many conversations are in it, and how many there are. */
  catchUp(options?: CatchUpOptions): Promise<IndexProgress>;
  /** What was said in the conversations that the reader may see. */
  search(reader: MemoryReader, query: string, options?: SearchOptions): Promise<SearchResult>;
  /** What a query asks for. Throws when a limit is not a time. */
  read(query: string, limits?: TimeLimits): PastQuestion;
  /** Forgets a session; when its transcript is still there, it is read again from its beginning. */
  forget(sessionId: string): Promise<void>;
  /** Another session took its place: it is forgotten, and not read again. */
  leaveOut(sessionId: string): Promise<void>;
  /** Something was said: the index is brought up to date in the background, in a process that lasts. */
  wake(): void;
  close(): void;
}

export interface PastConversationsDependencies {
  index: HistoryIndex;
  source: ConversationSource;
  locks: Locks;
  now(): number;
  timezone(): string;
  newId(prefix: string): string;
}

export function createPastConversations(dependencies: PastConversationsDependencies): PastConversations {
  const { index, source, locks, now, timezone, newId } = dependencies;
  const shared = createMemory({
    archive: index.archive,
    embeddings: {
      embedQuery: async () => NO_MODEL,
      embedQueryIfLoaded: async () => NO_MODEL,
      embedTexts: async () => undefined,
      embedPending: async () => undefined,
      close() {},
    },
    now,
    timezone,
    newId,
  });
  const analyser = createAnalyser();
  const clock = createWallClock({ now, timezone });
  const as = (scope: MemoryScope): Memory => shared.as({ ...OWNER, scope });
  const background = createBackground((options) => catchUp({ ...options, whenBusy: 'leave', gently: true }));

  async function catchUp(options: CatchUpOptions = {}): Promise<IndexProgress> {
    const { stale, total: all } = await findStale();
    const total = stale.length;
    const countOf = (missing: number): IndexProgress => ({ done: Math.max(0, all - missing), total: all });
    if (total === 0) return countOf(0);
    const lock = await acquire(locks, options);
    if (!lock) return countOf(total);
    try {
      const end = performance.now() + (options.milliseconds ?? Number.POSITIVE_INFINITY);
      let done = 0;
      for (const sessionId of stale) {
        options.signal?.throwIfAborted();
        if (performance.now() >= end) break;
        if (await read(sessionId, end, options)) done += 1;
        options.onProgress?.({ done, total });
      }
      return countOf(total - done);
    } finally {
      await lock.release();
    }
  }

  /** The newest conversations first; what was deleted meanwhile is forgotten. */
  async function findStale(): Promise<ComparedIndex> {
    const found = await (index.compare?.() ?? compareEach());
    for (const sessionId of found.gone) await forget(sessionId);
    return found;
  }

  async function compareEach(): Promise<ComparedIndex> {
    const [known, there] = await Promise.all([index.sessions(), source.list()]);
    const stale: string[] = [];
    for (const sessionId of there.toSorted().reverse()) {
      const before = known.get(sessionId);
      known.delete(sessionId);
      if (before?.isLeftOut) continue;
      const isCurrent = before?.isWhole && before.revision === (await source.revision(sessionId));
      if (!isCurrent) stale.push(sessionId);
    }
    return { stale, gone: [...known.keys()], total: there.length };
  }

  /** True when it was read to its end. */
  async function read(sessionId: string, end: number, { signal, gently }: CatchUpOptions): Promise<boolean> {
    const [identity, revision] = [await source.identity(sessionId), await source.revision(sessionId)];
    if (revision === undefined) return true;
    if (identity.isUnlisted) {
      await leaveOut(sessionId);
      return true;
    }
    if (identity.replaces !== undefined) await leaveOut(identity.replaces);
    const before = await index.get(sessionId);
    const isContinued = before !== undefined && source.isContinued(before.revision, revision);
    // Somebody has changed what was said: what was read of it may no longer be there.
    if (before && !isContinued) await forget(sessionId);
    const turnEnds = isContinued ? before.turnEnds : 0;
    const state: IndexedSession = { sessionId, revision, isWhole: false, turnEnds, isLeftOut: false };
    let waiting: SaidTurn[] = [];
    for await (const turn of source.turns(sessionId, turnEnds)) {
      waiting.push(turn);
      if (countMessages(waiting) < BATCH_MESSAGES) continue;
      await save(identity.sessionKey, state, waiting);
      waiting = [];
      if (!(await isStillSaid(sessionId, revision))) return false;
      signal?.throwIfAborted();
      if (performance.now() >= end) return false;
      if (gently) await sleep(PAUSE_MS, undefined, { ref: false });
    }
    await save(identity.sessionKey, state, waiting);
    await index.put({ ...state, isWhole: true });
    return isStillSaid(sessionId, revision);
  }

  /** Somebody may have changed or deleted the conversation while it was read, and forgotten it here before the last of it was saved. */
  async function isStillSaid(sessionId: string, revision: string): Promise<boolean> {
    const now = await source.revision(sessionId);
    if (now !== undefined && source.isContinued(revision, now)) return true;
    await forget(sessionId);
    return now === undefined;
  }

  async function save(sessionKey: string, state: IndexedSession, turns: readonly SaidTurn[]): Promise<void> {
    const { sessionId } = state;
    const parts = Map.groupBy(turns, ({ scope, tainted }) => `${tainted ? 'tainted' : 'own'} ${scope}`);
    for (const [first, ...rest] of parts.values()) {
      if (!first) continue;
      const { scope, tainted } = first;
      const messages = [first, ...rest].flatMap((turn) => turn.messages);
      await rememberTurns(as(scope), { sessionKey, sessionId, tainted }, messages);
    }
    const last = turns.at(-1);
    if (!last) return;
    state.turnEnds = last.turnEnds;
    await index.put(state);
  }

  async function leaveOut(sessionId: string): Promise<void> {
    if ((await index.get(sessionId))?.isLeftOut) return;
    await shared.as(OWNER).forgetSession(sessionId);
    await index.put({ sessionId, revision: '', isWhole: true, turnEnds: 0, isLeftOut: true });
  }

  async function forget(sessionId: string): Promise<void> {
    await shared.as(OWNER).forgetSession(sessionId);
    await index.remove(sessionId);
  }

  return {
    catchUp,
    search: (reader, query, options) => shared.as(reader).search(query, options),
    read: (query, limits = {}) => readPastQuestion(query, limits, { analyser, clock }),
    forget: async (sessionId) => {
      if (!index.isUnused()) await forget(sessionId);
    },
    leaveOut,
    wake: background.wake,
    close() {
      background.close();
      shared.close();
    },
  };
}

function countMessages(turns: readonly SaidTurn[]): number {
  return turns.reduce((sum, { messages }) => sum + messages.length, 0);
}

/** Undefined when another process holds the lock and the caller leaves the work to it. */
function acquire(locks: Locks, { signal, whenBusy = 'wait' }: CatchUpOptions): Promise<Lock | undefined> {
  return whenBusy === 'wait' ? locks.acquire(LOCK, { signal }) : locks.tryAcquire(LOCK);
}
