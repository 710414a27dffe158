// Long polling. An offset tells Telegram what has arrived, so it moves on only after everything of a batch is stored: a
// process that is killed before gets the batch again. Chats are stored side by side, in order within each. Telegram can
// hand over only from the front of its queue, so a message that cannot be stored holds up what came after it.
import type { Update } from 'grammy/types';
import { ChannelError } from '../channel.ts';
import type { ConnectionStatus } from './connection-status.ts';
import { backOff, pause } from './pause.ts';

export interface PollingOptions {
  getUpdates(offset: number | undefined, wait: 'long' | 'none', signal: AbortSignal): Promise<Update[]>;
  /** Resolves when the update is stored. */
  deliver(update: Update): Promise<void>;
  status: ConnectionStatus;
  now: () => number;
}

const BETWEEN_POLLS = { first: 500, most: 30_000 };
const BETWEEN_DELIVERIES = { first: 100, most: 10_000 };
/** An empty answer that came sooner is not a long poll; without a pause it would be a busy loop. */
const QUICK_MS = 200;

/** Runs until the signal fires, and then tells Telegram what was stored. Never rejects. */
export async function pollUpdates(options: PollingOptions, signal: AbortSignal): Promise<void> {
  const { getUpdates, status, now } = options;
  let offset: number | undefined;
  let failures = 0;
  while (!signal.aborted) {
    const startedAt = now();
    let updates: Update[];
    try {
      updates = await getUpdates(offset, 'long', signal);
    } catch (error) {
      if (signal.aborted) break;
      status.lost(error instanceof Error ? error.message : String(error));
      const asked = error instanceof ChannelError ? (error.retryAfterMs ?? 0) : 0;
      await pause(Math.max(asked, backOff(failures, BETWEEN_POLLS)), signal);
      failures += 1;
      continue;
    }
    failures = 0;
    status.connected();
    if (updates.length === 0) {
      // All is confirmed. Without an offset the next poll starts at the front, also when ids begin again (after a week).
      offset = undefined;
      if (Math.abs(now() - startedAt) < QUICK_MS) await pause(QUICK_MS, signal);
      continue;
    }
    if (await deliverAll(updates, options, signal)) offset = Math.max(...updates.map((update) => update.update_id)) + 1;
  }
  if (offset !== undefined) await getUpdates(offset, 'none', AbortSignal.timeout(2_000)).catch(() => {});
}

/** False: it was given up before everything was stored. */
async function deliverAll(updates: Update[], options: PollingOptions, signal: AbortSignal): Promise<boolean> {
  const chats = Map.groupBy(
    updates.toSorted((a, b) => a.update_id - b.update_id),
    chatOf,
  );
  const stored = await Promise.all(
    Array.from(chats.values(), async (inOrder) => {
      for (const update of inOrder) if (!(await deliverUntilStored(update, options, signal))) return false;
      return true;
    }),
  );
  return stored.every(Boolean);
}

async function deliverUntilStored(
  update: Update,
  { deliver, status }: PollingOptions,
  signal: AbortSignal,
): Promise<boolean> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await deliver(update);
      return true;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      status.trouble(`A message could not be stored and is tried again: ${reason}`);
      await pause(backOff(failures, BETWEEN_DELIVERIES), signal);
    }
  }
  return false;
}

function chatOf(update: Update): number | undefined {
  return update.message?.chat.id ?? update.callback_query?.message?.chat.id;
}
