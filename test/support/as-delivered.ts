// What the people of a chat see of what was sent there.
import type { OutboxLine } from './local-gateway.ts';

/** How the key of a message ends that shows the progress of a turn. */
const PROGRESS = /-p\d+$/;

/** As a platform shows them that knows keys of messages: one that is sent again under its key is not shown again, and an edit replaces the text. */
export function asDelivered(outbox: readonly OutboxLine[]): OutboxLine[] {
  const shown = new Map<string, OutboxLine>();
  const byKey = new Map<string, string>();
  for (const line of outbox) {
    const { type, messageId, key } = line;
    if (type === 'edit') {
      const edited = shown.get(messageId);
      if (edited) shown.set(messageId, { ...edited, markdown: line.markdown });
      continue;
    }
    if (key !== undefined && byKey.has(key)) continue;
    if (key !== undefined) byKey.set(key, messageId);
    shown.set(messageId, line);
  }
  // A progress message that a lost gateway left behind shows the text so far; the answer follows as a message of its own.
  return [...shown.values()].filter(({ key = '' }) => !byKey.has(key.replace(PROGRESS, '-0')) || !PROGRESS.test(key));
}
