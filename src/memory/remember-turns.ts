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

/** In the order they were said; empty ones are passed over. Resolves once they are durable. */
export function rememberTurns(
  memory: Pick<Memory, 'saveAll'>,
  { sessionKey, sessionId }: { sessionKey: string; sessionId: string },
  turns: readonly Turn[],
): Promise<Saved[]> {
  const notes = turns
    .filter(({ content }) => content.trim() !== '')
    .map(({ id, role, content, timestamp }) => ({
      content,
      source: `session:${sessionKey}`,
      session: sessionId,
      speaker: role,
      date: timestamp,
      identity: id,
    }));
  return notes.length > 0 ? memory.saveAll(notes) : Promise.resolve([]);
}
