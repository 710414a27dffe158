// Sessions: a key names a conversation, a transcript holds it. One turn at a time per key, across processes.
import type { Catalogue, Locks, SessionEntry, Transcripts } from '../storage/storage.ts';
import { asSessionLine, type SessionMessage } from './lines.ts';
import { readRecent } from './recent.ts';
import { recoverTurn } from './recover.ts';
import { createTurn, type Turn } from './turn.ts';

export interface SessionsDependencies {
  catalogue: Catalogue;
  locks: Locks;
  transcripts: Transcripts;
  now(): number;
  newId(prefix: string): string;
}

export interface BeginTurn {
  sessionKey: string;
  newSession: boolean;
  /** Becomes the session's state; absent fields stay as they were. */
  state: Pick<SessionEntry, 'provider' | 'profileId' | 'route' | 'memoryEnabled'>;
  signal: AbortSignal;
  onWait?: () => void;
}

export interface ShownSession {
  entry: SessionEntry;
  messages: SessionMessage[];
  damagedLines: number[];
}

export interface Sessions {
  /** Waits for the session's turn, then opens it. The caller must `close` the turn, whatever happens. */
  begin(request: BeginTurn): Promise<Turn>;
  list(): Promise<SessionEntry[]>;
  /** The newest `last` messages, and which lines of the transcript cannot be read. */
  show(sessionKey: string, last: number): Promise<ShownSession | undefined>;
}

export function createSessions(dependencies: SessionsDependencies): Sessions {
  const { catalogue, locks, transcripts, now, newId } = dependencies;

  return {
    async begin({ sessionKey, newSession, state, signal, onWait }) {
      const lock = await locks.acquire(`session:${sessionKey}`, { signal, onWait });
      try {
        const timestamp = new Date(now()).toISOString();
        const known = newSession ? undefined : await catalogue.get(sessionKey);
        const base = known ?? {
          sessionKey,
          sessionId: newSessionId(now(), newId),
          createdAt: timestamp,
          updatedAt: timestamp,
        };
        const entry: SessionEntry = { ...base, updatedAt: timestamp, ...definedOnly(state) };
        // A profile belongs to its provider.
        if (state.provider !== undefined && state.profileId === undefined) delete entry.profileId;
        const transcript = await transcripts.open(entry.sessionId);
        try {
          const recent = await readRecent(transcript);
          if (transcript.isEmpty)
            await transcript.append([
              { type: 'session', version: 1, sessionKey, sessionId: entry.sessionId, createdAt: entry.createdAt },
            ]);
          if (transcript.repairedBytes > 0)
            await transcript.append([{ type: 'repair', timestamp, droppedBytes: transcript.repairedBytes }]);
          const { lines, message } = recoverTurn({ ...recent, timestamp, newId });
          if (lines.length > 0) await transcript.append(lines);
          const messageCount = recent.messageCount + (message ? 1 : 0);
          const all = message ? [...recent.messages, message] : recent.messages;
          // What is summarised is told by the memory instead.
          const summarised = entry.memoryEnabled ? (entry.compactedMessageCount ?? 0) : 0;
          const history = all.slice(-Math.max(1, messageCount - summarised));
          return createTurn({
            entry,
            history,
            isMarked: recent.isMarked,
            messageCount,
            transcript,
            catalogue,
            lock,
            now,
            newId,
          });
        } catch (error) {
          await transcript.close();
          throw error;
        }
      } catch (error) {
        lock.release();
        throw error;
      }
    },

    async list() {
      const entries = await catalogue.list();
      return entries.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
    },

    async show(sessionKey, last) {
      const entry = await catalogue.get(sessionKey);
      if (!entry) return undefined;
      const messages: SessionMessage[] = [];
      const damagedLines: number[] = [];
      for await (const scanned of transcripts.scan(entry.sessionId)) {
        if ('damaged' in scanned) {
          damagedLines.push(scanned.number);
          continue;
        }
        const line = asSessionLine(scanned.line);
        if (line?.type !== 'message') continue;
        messages.push(line.message);
        if (messages.length > last * 2) messages.splice(0, messages.length - last);
      }
      return { entry, messages: messages.slice(-last), damagedLines };
    },
  };
}

/** Sorts by time in a directory listing, and is unguessable enough never to collide. */
function newSessionId(now: number, newId: (prefix: string) => string): string {
  const stamp = new Date(now).toISOString().slice(0, 19).replace(/[-:]/g, '');
  return newId(`session-${stamp}`);
}

function definedOnly<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Partial<T>;
}
