// Delivers the messages of scheduled jobs: one at a time, in order, each until it is sent or refused for good.
import type { Jobs } from '../storage/jobs.ts';
import type { Deliver } from '../vocabulary/delivery.ts';

/** Delivers the stored messages. Messages stored meanwhile are delivered too. Never rejects. */
export type FlushMessages = () => Promise<void>;

const AT_ONCE = 100;
const RETRY_MS = 60_000;

export interface FlushMessagesDependencies {
  jobs: Jobs;
  deliver: Deliver;
  now(): number;
  log(text: string): void;
}

export function createFlushMessages({ jobs, deliver, now, log }: FlushMessagesDependencies): FlushMessages {
  let flushing: Promise<void> | undefined;
  let isAsked = false;
  /** Keys of messages that could not be delivered, and when to try again. */
  const waiting = new Map<string, number>();

  async function deliverStored(): Promise<void> {
    // Those that wait are among the oldest: they must not keep the others from being read.
    const messages = await jobs.messages(AT_ONCE + waiting.size);
    const known = new Set(messages.map(({ key }) => key));
    for (const key of waiting.keys()) if (!known.has(key)) waiting.delete(key);
    for (const { key, chat, text, asker } of messages) {
      if ((waiting.get(key) ?? 0) > now()) continue;
      const outcome = await deliver({ key, chat, text, asker }).catch((error: Error) => {
        log(`${chat} could not be written to: ${error.message}`);
        return 'later' as const;
      });
      if (outcome === 'later') waiting.set(key, now() + RETRY_MS);
      else await jobs.settleMessage(key, outcome === 'sent' ? 'sent' : 'failed');
      if (typeof outcome === 'object') log(`an answer stays in the history: ${outcome.refused}`);
    }
  }

  async function deliverAll(): Promise<void> {
    while (isAsked) {
      isAsked = false;
      await deliverStored();
    }
  }

  return () => {
    isAsked = true;
    flushing ??= deliverAll()
      .catch((error: Error) => log(`messages of scheduled jobs wait: ${error.message}`))
      .finally(() => {
        flushing = undefined;
      });
    return flushing;
  };
}
