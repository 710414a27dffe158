// Past turns in the archive, so that "what did I tell you about…" finds them. For sessions whose owner switched memory on.
import type { Memory, Saved } from './memory.ts';

export interface Turn {
  /** Of the message: the same one is kept once, however often it is handed in. */
  id: string;
  role: 'user' | 'assistant';
  content: string;
  /** ISO 8601. */
  timestamp: string;
}

/** At the end of a source: others than the owner had a part in what was said. No session's name holds it. */
const OUTSIDE = '#outside';

export function isFromOutside(source: string): boolean {
  return source.endsWith(OUTSIDE);
}

export interface RememberedSession {
  sessionKey: string;
  sessionId: string;
  /** Content from outside was in it. */
  isOutside: boolean;
}

/** In the order they were said; empty ones are passed over. Resolves once they are durable. */
export function rememberTurns(
  memory: Pick<Memory, 'saveAll'>,
  { sessionKey, sessionId, isOutside }: RememberedSession,
  turns: readonly Turn[],
): Promise<Saved[]> {
  const notes = turns
    .filter(({ content }) => content.trim() !== '')
    .map(({ id, role, content, timestamp }) => ({
      content,
      source: `session:${sessionKey}${isOutside ? OUTSIDE : ''}`,
      session: sessionId,
      speaker: role,
      date: timestamp,
      identity: id,
    }));
  return notes.length > 0 ? memory.saveAll(notes) : Promise.resolve([]);
}
