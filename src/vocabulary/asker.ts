// The asker of background work decides which chats the answer may go to. It is stored with the work and inherited by all work
// that it starts, so rights never grow.

import { type MemoryReader, type MemoryScope, OWNER, parseMemoryScope, readerWithin } from './memory-scope.ts';

export type Asker =
  /** The owner at the command line, who named this chat. */
  | { kind: 'owner'; chat?: string }
  /** A turn of this chat, `channel:chatId`. `scope`: whose memory it has; earlier versions did not keep it. */
  | { kind: 'chat'; chat: string; scope?: MemoryScope }
  /** A turn that answers no chat, or HEARTBEAT.md. */
  | { kind: 'nobody' };

export const NOBODY: Asker = { kind: 'nobody' };

/** Parses a stored asker. Anything invalid means `nobody`. */
export function parseAsker(text: unknown): Asker {
  try {
    const { kind, chat, ...rest } = JSON.parse(String(text)) as { kind?: unknown; chat?: unknown; scope?: unknown };
    const scope = parseMemoryScope(rest.scope);
    if (kind === 'chat' && typeof chat === 'string') return { kind, chat, ...(scope && { scope }) };
    if (kind === 'owner') return { kind, ...(typeof chat === 'string' && { chat }) };
  } catch {
    // Invalid JSON means the asker is unknown.
  }
  return NOBODY;
}

/**
 * The reader of a turn. Turns that answer no chat are the owner's. A chat whose record does not say who asked there counts as
 * other people's.
 */
export function readerOf(asker: Asker | undefined): MemoryReader {
  if (asker?.kind !== 'chat') return OWNER;
  const scope = asker.scope ?? (`chat:${asker.chat}` as const);
  return scope === 'owner' ? OWNER : readerWithin(scope);
}

/** For the audit log. */
export function nameOfAsker(asker: Asker | undefined): string {
  if (asker?.kind === 'chat') return asker.scope ? `${asker.chat} (${asker.scope})` : asker.chat;
  return asker?.kind === 'nobody' ? 'nobody' : 'owner';
}
