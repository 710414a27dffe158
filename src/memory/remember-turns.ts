// Past turns in the archive, so that "what did I tell you about…" finds them. For sessions whose owner switched memory on.
import type { Memory } from './memory.ts';
import type { Saved } from './note.ts';
import { taintedSource } from './tainted-source.ts';

export interface Turn {
  /** Id of the message: a message is saved once, however often it is passed in. */
  id: string;
  role: 'user' | 'assistant';
  content: string;
  /** ISO 8601. */
  timestamp: string;
}

export interface RememberedSession {
  sessionKey: string;
  sessionId: string;
  /** Content from outside was in it. */
  tainted: boolean;
}

/** Saves messages in order, without empty ones. Resolves once they are durable. */
export function rememberTurns(
  memory: Pick<Memory, 'saveAll'>,
  { sessionKey, sessionId, tainted }: RememberedSession,
  turns: readonly Turn[],
): Promise<Saved[]> {
  const notes = turns
    .filter(({ content }) => content.trim() !== '')
    .map(({ id, role, content, timestamp }) => ({
      content,
      source: tainted ? taintedSource(`session:${sessionKey}`) : `session:${sessionKey}`,
      session: sessionId,
      speaker: role,
      date: timestamp,
      identity: id,
    }));
  return notes.length > 0 ? memory.saveAll(notes) : Promise.resolve([]);
}
