// Every session that was ever kept, also those that another one under the same key has followed. Only the beginning of each
// transcript is read: its first line tells whose it is.
import type { SessionEntry, Transcripts } from '../storage/storage.ts';
import { asSessionLine } from './lines.ts';

/** A first line that is damaged is passed over; farther down nobody says whose the transcript is. */
export const FARTHEST_LINES = 5;

export interface KeptSession {
  /** Absent when its transcript no longer tells. */
  sessionKey?: string;
  sessionId: string;
  createdAt?: string;
  /** The one that its key's next turn continues. */
  isCurrent: boolean;
}

/** Oldest first. */
export async function keptSessions(transcripts: Transcripts, current: readonly SessionEntry[]): Promise<KeptSession[]> {
  const known = new Map(current.map((entry) => [entry.sessionId, entry]));
  const ids = new Set([...known.keys(), ...(await transcripts.list())]);
  const kept: KeptSession[] = [];
  for (const sessionId of ids) {
    const entry = known.get(sessionId);
    if (entry) {
      kept.push({ sessionKey: entry.sessionKey, sessionId, createdAt: entry.createdAt, isCurrent: true });
    } else {
      kept.push({ ...(await identityOf(sessionId, transcripts)), sessionId, isCurrent: false });
    }
  }
  const order = ({ createdAt = '', sessionId }: KeptSession): string => `${createdAt} ${sessionId}`;
  return kept.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** What the transcript says of itself; nothing when there is none. */
export async function identityOf(
  sessionId: string,
  transcripts: Transcripts,
): Promise<Pick<KeptSession, 'sessionKey' | 'createdAt'>> {
  for await (const scanned of transcripts.scan(sessionId)) {
    if (scanned.number > FARTHEST_LINES) break;
    if (!('line' in scanned) || scanned.line.type !== 'session') continue;
    const { sessionKey, createdAt } = scanned.line;
    if (typeof sessionKey === 'string' && typeof createdAt === 'string') return { sessionKey, createdAt };
  }
  return {};
}

/** Looked for near the beginning only. */
export async function firstQuestionOf(sessionId: string, transcripts: Transcripts): Promise<string | undefined> {
  for await (const scanned of transcripts.scan(sessionId)) {
    if (scanned.number > FARTHEST_LINES * 2) break;
    if (!('line' in scanned)) continue;
    const line = asSessionLine(scanned.line);
    if (line?.type === 'message' && line.message.role === 'user') return line.message.content;
  }
  return undefined;
}
