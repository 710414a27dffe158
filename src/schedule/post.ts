// Hands letters over: one at a time, in order, each until it is taken or refused for good.
import type { Jobs } from '../storage/jobs.ts';
import type { Deliver } from '../vocabulary/delivery.ts';

export interface Post {
  flush(): Promise<void>;
}

const AT_ONCE = 100;
const RETRY_MS = 60_000;

export interface PostDependencies {
  jobs: Jobs;
  deliver: Deliver;
  now(): number;
  log(text: string): void;
}

export function createPost({ jobs, deliver, now, log }: PostDependencies): Post {
  let flushing: Promise<void> | undefined;
  let isAsked = false;
  /** Letters nobody took, and when to offer them again. */
  const waiting = new Map<string, number>();

  async function handOver(): Promise<void> {
    const letters = await jobs.letters(AT_ONCE);
    const known = new Set(letters.map(({ key }) => key));
    for (const key of waiting.keys()) if (!known.has(key)) waiting.delete(key);
    for (const { key, chat, text, asker } of letters) {
      if ((waiting.get(key) ?? 0) > now()) continue;
      const outcome = await deliver({ key, chat, text, asker }).catch((error: Error) => {
        log(`${chat} could not be written to: ${error.message}`);
        return 'later' as const;
      });
      if (outcome === 'later') waiting.set(key, now() + RETRY_MS);
      else await jobs.settleLetter(key, outcome === 'sent' ? 'sent' : 'failed');
      if (typeof outcome === 'object') log(`an answer stays in the history: ${outcome.refused}`);
    }
  }

  /** A letter written while others are handed over is handed over next. */
  async function handOverAll(): Promise<void> {
    while (isAsked) {
      isAsked = false;
      await handOver();
    }
  }

  return {
    flush() {
      isAsked = true;
      flushing ??= handOverAll()
        .catch((error: Error) => log(`letters of scheduled jobs wait: ${error.message}`))
        .finally(() => {
          flushing = undefined;
        });
      return flushing;
    },
  };
}
