// Forgets what ended long ago, a little at a time: between two pieces others write, and while turns run it waits for a
// quiet moment, though not for ever. A new round begins every few hours.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mailbox } from '../../storage/mailbox.ts';
import type { ChatLimits, ChatLog } from './chat.ts';

const EVERY_MS = 6 * 60 * 60_000;
const AT_ONCE = 200;
const BETWEEN_MS = 20;
const BUSY_MS = 500;
/** A gateway that is never quiet is pruned all the same. */
const BUSY_TIMES = 20;

export interface PruningOptions {
  mailbox: Pick<Mailbox, 'prune'>;
  limits: Pick<ChatLimits, 'rememberMs' | 'keepDeadLettersMs'>;
  isIdle(): boolean;
  now(): number;
  log: ChatLog;
}

export interface Pruning {
  /** Resolves when a round is over; another follows by itself. Never rejects. */
  begin(): Promise<void>;
  /** Resolves when nothing of it is under way. */
  stop(): Promise<void>;
}

export function createPruning({ mailbox, limits, isIdle, now, log }: PruningOptions): Pruning {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();

  async function round(): Promise<void> {
    try {
      for (;;) {
        for (let times = 0; !isIdle() && times < BUSY_TIMES; times += 1) await pause(BUSY_MS);
        if (signal.aborted) return;
        const ages = { handledMs: limits.rememberMs, deadMs: limits.keepDeadLettersMs };
        if ((await mailbox.prune(ages, AT_ONCE, now())) < AT_ONCE) return;
        await pause(BETWEEN_MS);
      }
    } catch (error) {
      log(`the mailbox could not be pruned: ${(error as Error).message}`, { level: 'warn' });
    }
  }

  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal, ref: false }).catch(() => {});

  function begin(): Promise<void> {
    underWay = round().then(() => {
      if (signal.aborted) return;
      timer = setTimeout(() => void begin(), EVERY_MS);
      timer.unref();
    });
    return underWay;
  }

  return {
    begin,
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await underWay;
    },
  };
}
