// The asker of background work decides which chats the answer may go to. It is stored with the work and inherited by all work
// that it starts, so rights never grow.

export type Asker =
  /** The owner at the command line, who named this chat. */
  | { kind: 'owner'; chat?: string }
  /** A turn of this chat, `channel:chatId`. */
  | { kind: 'chat'; chat: string }
  /** A turn that answers no chat, or HEARTBEAT.md. */
  | { kind: 'nobody' };

export const NOBODY: Asker = { kind: 'nobody' };

/** Parses a stored asker. Anything invalid means `nobody`. */
export function parseAsker(text: unknown): Asker {
  try {
    const { kind, chat } = JSON.parse(String(text)) as { kind?: unknown; chat?: unknown };
    if (kind === 'chat' && typeof chat === 'string') return { kind, chat };
    if (kind === 'owner') return { kind, ...(typeof chat === 'string' && { chat }) };
  } catch {
    // Invalid JSON means the asker is unknown.
  }
  return NOBODY;
}
