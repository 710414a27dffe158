// What a turn needs first of its session: its entry and the end of its transcript. It is read behind the acquisition of the session's lock, in the same round
// trip. Nobody else writes under that lock afterwards, so it is true until the holder writes itself: each part is handed out once.
import type { Fence } from '../locks.ts';
import type { Statement } from './database.ts';

export interface FoundTranscript {
  generation: string;
  lines: number;
  first: string | null;
}

export interface SessionReads {
  /** Undefined for locks of other things. */
  statement(lockName: string): Statement | undefined;
  keep(lock: Fence, rows: readonly object[]): void;
  /** Undefined when nothing is kept of this session: read it. `entry` is JSON. */
  takeEntry(lock: Fence | undefined, sessionKey: string): { entry: string | undefined } | undefined;
  /** Undefined when nothing is kept of it, or when there is no such transcript. */
  takeTranscript(lock: Fence | undefined, sessionId: string): FoundTranscript | undefined;
}

interface Row {
  entry: string;
  id: string;
  generation: string | null;
  lines: number;
  first: string | null;
}

const LOCK = 'session:';

/** Of a transcript whose id is `id`. */
export const TRANSCRIPT_END = (id: string): string => `
  coalesce((SELECT max(number) FROM lainclaw.transcript_lines WHERE session_id = ${id}), 0) AS lines,
  (SELECT json FROM lainclaw.transcript_lines WHERE session_id = ${id} AND number = 1) AS first`;

const READ = `
  SELECT session.entry, session.session_id AS id, transcript.generation, ${TRANSCRIPT_END('session.session_id')}
  FROM lainclaw.sessions AS session LEFT JOIN lainclaw.transcripts AS transcript USING (session_id)
  WHERE session.session_key = $1`;

export function createSessionReads(): SessionReads {
  const entries = new WeakMap<Fence, Row | undefined>();
  const transcripts = new WeakMap<Fence, Row>();
  return {
    statement: (name) => (name.startsWith(LOCK) ? { text: READ, values: [name.slice(LOCK.length)] } : undefined),
    keep(lock, rows) {
      const [row] = rows as Row[];
      entries.set(lock, row);
      if (row?.generation) transcripts.set(lock, row);
    },
    takeEntry(lock, sessionKey) {
      if (lock?.name !== LOCK + sessionKey || !entries.has(lock)) return undefined;
      const entry = entries.get(lock)?.entry;
      entries.delete(lock);
      return { entry };
    },
    takeTranscript(lock, sessionId) {
      const row = lock && transcripts.get(lock);
      if (!lock || !row?.generation || row.id !== sessionId) return undefined;
      transcripts.delete(lock);
      const { generation, lines, first } = row;
      return { generation, lines, first };
    },
  };
}
