// Who asked for work in the background, and from where: what decides which chats its answer may go to. It is kept with the work
// and handed on to whatever the work starts, so it never grows on the way.

export type Asker =
  /** The owner at the command line, who named this chat. */
  | { kind: 'owner'; chat?: string }
  /** A turn of this chat, `channel:chatId`. */
  | { kind: 'chat'; chat: string }
  /** A turn that answers no chat, or HEARTBEAT.md. */
  | { kind: 'nobody' };

export const NOBODY: Asker = { kind: 'nobody' };

/** As it was stored; what says nothing clear is nobody. */
export function parseAsker(text: unknown): Asker {
  try {
    const { kind, chat } = JSON.parse(String(text)) as { kind?: unknown; chat?: unknown };
    if (kind === 'chat' && typeof chat === 'string') return { kind, chat };
    if (kind === 'owner') return { kind, ...(typeof chat === 'string' && { chat }) };
  } catch {
    // Neither is what is no JSON.
  }
  return NOBODY;
}
