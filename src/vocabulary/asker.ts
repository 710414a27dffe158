// Who asked for work in the background, and from where. It decides which chats the answer may go to; it is kept with the work
// and handed on to whatever the work starts, so the right never grows on the way.

export type Asker =
  /** The owner at the command line, who named this chat. */
  | { kind: 'owner'; chat?: string }
  /** A turn of this chat, `channel:chatId`. */
  | { kind: 'chat'; chat: string }
  /** A turn that answers no chat, or HEARTBEAT.md. */
  | { kind: 'nobody' };

export const NOBODY: Asker = { kind: 'nobody' };

/** Reads what was stored. An unclear text means that nobody asked. */
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
