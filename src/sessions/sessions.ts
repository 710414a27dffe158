// Sessions: a key names a conversation, a transcript holds it. One turn at a time per key, across processes.
import type { Lock, Locks } from '../storage/locks.ts';
import {
  type Catalogue,
  type ListSessions,
  type SessionEntry,
  type SessionNotes,
  TRANSCRIPT_VERSION,
  type Transcript,
  type TranscriptLine,
  type Transcripts,
} from '../storage/storage.ts';
import { withoutQuestionOf } from './conversation.ts';
import { type FoundTurn, findLastTurn, findTurn, hasOrigin, hasOriginNow } from './find-turn.ts';
import { type HistoryItem, readHistory } from './history.ts';
import type { KeptSession } from './kept.ts';
import { asSessionLine, type JournalledPermission, type SessionMessage } from './lines.ts';
import { createConversations } from './resume.ts';
import type { FoundSession, SearchRequest } from './search-sessions.ts';
import { createTurn, type Turn } from './turn.ts';

const HISTORY_CHARACTERS = 200_000;

export interface SessionsDependencies {
  catalogue: Catalogue;
  locks: Locks;
  transcripts: Transcripts;
  notes: Pick<SessionNotes, 'read'>;
  now(): number;
  newId(prefix: string): string;
}

export interface BeginTurn {
  sessionKey: string;
  newSession: boolean;
  /** The session is not entered in the index, because nobody will continue it. */
  unlisted?: boolean;
  /** Becomes the session's state; absent fields stay as they were. */
  state: Pick<SessionEntry, 'provider' | 'profileId' | 'route' | 'memoryEnabled'>;
  /** Names the turn; a new id by default. */
  turnId?: string;
  /** Of a session that has none of its own yet. */
  defaults?: Pick<SessionEntry, 'memoryEnabled' | 'workspace'>;
  /** What the turn answers, for `findTurn`. */
  origin?: string;
  /** How far back the conversation is read; enough for a short one by default. */
  historyCharacters?: number;
  signal: AbortSignal;
  onWait?: () => void;
}

export interface ShownPermission extends Omit<JournalledPermission, 'preview'> {
  turnId: string;
  tool: string;
  /** The message that it stands after. */
  afterMessageId: string;
}

export interface ShownSession {
  entry: SessionEntry;
  messages: SessionMessage[];
  /** What a person allowed between those messages. */
  permissions: ShownPermission[];
  damagedLines: number[];
}

export interface Sessions {
  /** Waits for the session's turn, then opens it. The caller must `close` the turn, whatever happens. */
  begin(request: BeginTurn): Promise<Turn>;
  /** What became of the newest turn with this origin; undefined when there is none as far back as is looked. */
  findTurn(sessionKey: string, origin: string, signal: AbortSignal): Promise<FoundTurn | undefined>;
  /** The newest turn, when its process was killed in the middle of it; undefined also while a turn runs. */
  findCutShort(sessionKey: string): Promise<FoundTurn | undefined>;
  /** Whether what somebody wrote, by its origin, has joined a turn or was the question of one. Waits for the turn that runs. */
  isInConversation(sessionKey: string, origin: string, signal: AbortSignal): Promise<boolean>;
  /** The same of what is on record now: waits for no turn, and reads the whole transcript. */
  isOnRecord(sessionKey: string, origin: string): Promise<boolean>;
  /** Begins another conversation under this key, with the state of the one before; durable when it resolves. */
  renew(sessionKey: string, signal: AbortSignal): Promise<SessionEntry>;
  /** Drops what this process has in memory of a session that is deleted. */
  forget(sessionId: string): void;
  /** The current session of this key. */
  get(sessionKey: string): Promise<SessionEntry | undefined>;
  /** By its key, or by the id of a session that was ever kept. */
  find(name: string): Promise<SessionEntry | undefined>;
  /** The current session of each key, the last used first. */
  list(options?: ListSessions): Promise<SessionEntry[]>;
  /** How many keys there are. */
  count(): Promise<number>;
  /** The newest `last` messages, and which lines of the transcript cannot be read. */
  show(name: string, last: number): Promise<ShownSession | undefined>;
  /** What a session was begun with; undefined where its transcript does not tell within its first lines. */
  firstQuestion(sessionId: string): Promise<string | undefined>;
  /** Conversations with all of these words in one message or in the title, the newest first. */
  search(request: SearchRequest): Promise<FoundSession[]>;
  /** Every session that was ever kept, oldest first. */
  kept(): Promise<KeptSession[]>;
  /** A whole transcript turn by turn, oldest first. Needs no turn; one that is running is read as far as it is. */
  history(sessionId: string): AsyncIterable<HistoryItem>;
  /** What was summarised of a session, by the number of the last message each summary covers. */
  summaries(session: { sessionKey: string; sessionId: string }): Promise<ReadonlyMap<number, string>>;
}

const SESSION_ID = /^session-[\w-]+$/;

export function createSessions(dependencies: SessionsDependencies): Sessions {
  const { catalogue, locks, transcripts, notes, now, newId } = dependencies;
  const conversations = createConversations();

  async function find(name: string): Promise<SessionEntry | undefined> {
    const entry = await catalogue.get(name);
    if (entry || !SESSION_ID.test(name)) return entry;
    const { identityOf } = await import('./kept.ts');
    const { sessionKey, createdAt } = await identityOf(name, transcripts);
    if (sessionKey === undefined || createdAt === undefined) return undefined;
    const current = await catalogue.get(sessionKey);
    return current?.sessionId === name ? current : { sessionKey, sessionId: name, createdAt, updatedAt: createdAt };
  }

  /** Undefined when the session has not begun. */
  async function betweenTurns<T>(
    sessionKey: string,
    signal: AbortSignal,
    look: (transcript: Transcript) => Promise<T>,
  ): Promise<T | undefined> {
    return lookUnder(await locks.acquire(`session:${sessionKey}`, { signal }), sessionKey, look);
  }

  async function lookUnder<T>(
    lock: Lock,
    sessionKey: string,
    look: (transcript: Transcript) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      const entry = await catalogue.get(sessionKey);
      if (!entry) return undefined;
      const transcript = await transcripts.open(entry.sessionId, lock);
      try {
        return await look(transcript);
      } finally {
        await transcript.close();
      }
    } finally {
      await lock.release();
    }
  }

  return {
    async begin(request) {
      const {
        sessionKey,
        newSession,
        unlisted = false,
        state,
        defaults = {},
        turnId,
        origin,
        signal,
        onWait,
      } = request;
      const lock = await locks.acquire(`session:${sessionKey}`, { signal, onWait, soon: true });
      try {
        const timestamp = new Date(now()).toISOString();
        const known = newSession ? undefined : await catalogue.get(sessionKey, lock);
        const base = known ?? {
          sessionKey,
          sessionId: newSessionId(now(), newId),
          createdAt: timestamp,
          updatedAt: timestamp,
        };
        const entry: SessionEntry = { ...definedOnly(defaults), ...base, updatedAt: timestamp, ...definedOnly(state) };
        // A profile belongs to its provider.
        if (state.provider !== undefined && state.profileId === undefined) delete entry.profileId;
        const opened = await transcripts.open(entry.sessionId, lock);
        try {
          const { conversation, transcript } = await conversations.resume(opened, {
            sessionId: entry.sessionId,
            characters: request.historyCharacters ?? HISTORY_CHARACTERS,
            isLast: unlisted,
            firstLine: firstLine(entry, { unlisted }),
            timestamp,
            newId,
          });
          const { summary, refusal, turns, hasOlder, taintedBy, messageCount } = conversation;
          return createTurn({
            entry,
            history: { summary, refusal, turns: withoutQuestionOf(origin, turns), hasOlder },
            taintedBy,
            messageCount,
            turnId,
            origin,
            transcript,
            enter: unlisted ? async () => {} : (changed) => catalogue.put(changed, lock),
            ...(!known && !unlisted && { announce: (added) => catalogue.putSoon(added, lock) }),
            lock,
            now,
            newId,
          });
        } catch (error) {
          await opened.close();
          throw error;
        }
      } catch (error) {
        await lock.release();
        throw error;
      }
    },

    findTurn: (sessionKey, origin, signal) =>
      betweenTurns(sessionKey, signal, (transcript) => findTurn(transcript, origin)),
    async findCutShort(sessionKey) {
      const lock = await locks.tryAcquire(`session:${sessionKey}`);
      const found = lock && (await lookUnder(lock, sessionKey, findLastTurn));
      return found?.outcome === 'interrupted' ? found : undefined;
    },
    isInConversation: async (sessionKey, origin, signal) =>
      (await betweenTurns(sessionKey, signal, (transcript) => hasOrigin(transcript, origin))) ?? false,
    async isOnRecord(sessionKey, origin) {
      const entry = await catalogue.get(sessionKey);
      return entry !== undefined && hasOriginNow(entry.sessionId, origin, transcripts);
    },

    async renew(sessionKey, signal) {
      const lock = await locks.acquire(`session:${sessionKey}`, { signal });
      try {
        const { compactedMessageCount: _summarised, title: _title, ...known } = (await catalogue.get(sessionKey)) ?? {};
        const timestamp = new Date(now()).toISOString();
        const sessionId = newSessionId(now(), newId);
        const entry: SessionEntry = { ...known, sessionKey, sessionId, createdAt: timestamp, updatedAt: timestamp };
        const transcript = await transcripts.open(sessionId, lock);
        try {
          await transcript.append([firstLine(entry)]);
          await transcript.sync();
        } finally {
          await transcript.close();
        }
        await catalogue.put(entry, lock);
        return entry;
      } finally {
        await lock.release();
      }
    },

    forget: conversations.forget,
    get: catalogue.get,
    find,
    list: catalogue.list,
    count: catalogue.count,

    async show(name, last) {
      const entry = await find(name);
      if (!entry) return undefined;
      const messages: SessionMessage[] = [];
      const permissions: ShownPermission[] = [];
      const tools = new Map<string, string>();
      const damagedLines: number[] = [];
      for await (const scanned of transcripts.scan(entry.sessionId)) {
        if ('damaged' in scanned) {
          damagedLines.push(scanned.number);
          continue;
        }
        const line = asSessionLine(scanned.line);
        if (line?.type === 'turn-start') tools.clear();
        if (line?.type === 'tool-call') tools.set(line.call.id, line.call.name);
        if (line?.type === 'permission') {
          const { turnId, callId, granted } = line;
          const { preview: _shown, ...facts } = granted;
          permissions.push({
            turnId,
            tool: tools.get(callId) ?? '',
            ...facts,
            afterMessageId: messages.at(-1)?.id ?? '',
          });
        }
        if (line?.type !== 'message') continue;
        messages.push(line.message);
        if (messages.length <= last * 2) continue;
        messages.splice(0, messages.length - last);
        keepShown(permissions, messages);
      }
      messages.splice(0, messages.length - last);
      keepShown(permissions, messages);
      return { entry, messages, permissions, damagedLines };
    },

    async firstQuestion(sessionId) {
      const { firstQuestionOf } = await import('./kept.ts');
      return firstQuestionOf(sessionId, transcripts);
    },

    async search(request) {
      const { searchSessions } = await import('./search-sessions.ts');
      return searchSessions(request, { transcripts, entries: await catalogue.list({ prefix: request.prefix }) });
    },

    async kept() {
      const { keptSessions } = await import('./kept.ts');
      return keptSessions(transcripts, await catalogue.list());
    },

    async *history(sessionId) {
      yield* readHistory(transcripts.scan(sessionId));
    },

    async summaries({ sessionKey, sessionId }) {
      const { summariesOf } = await import('./summaries.ts');
      return summariesOf((await notes.read(sessionKey)) ?? '', sessionId);
    },
  };
}

function keepShown(permissions: ShownPermission[], messages: readonly SessionMessage[]): void {
  const shown = new Set(messages.map(({ id }) => id));
  permissions.splice(0, permissions.length, ...permissions.filter(({ afterMessageId }) => shown.has(afterMessageId)));
}

export function firstLine(
  { sessionKey, sessionId, createdAt }: SessionEntry,
  { unlisted = false } = {},
): TranscriptLine {
  return {
    type: 'session',
    version: TRANSCRIPT_VERSION,
    sessionKey,
    sessionId,
    createdAt,
    ...(unlisted && { unlisted }),
  };
}

/** Sorts by time in a directory listing, and is unguessable enough never to collide. */
export function newSessionId(now: number, newId: (prefix: string) => string): string {
  const stamp = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '');
  return newId(`session-${stamp}`);
}

function definedOnly<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Partial<T>;
}
