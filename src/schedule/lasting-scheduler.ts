// A scheduler that begins again when its lock was lost, as a lease can be: what ran is interrupted and reported, and the next one
// continues from what is on record.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scheduler } from './scheduler.ts';

export type RunningScheduler = Pick<Scheduler, 'start' | 'stop' | 'wake'>;

export interface LastingSchedulerDependencies {
  /** A new one; `onLost` is called when it has stopped because its lock was lost. */
  open(onLost: () => void): Promise<RunningScheduler>;
  log(text: string): void;
  retryMs?: number;
}

const RETRY_MS = 1_000;

export function createLastingScheduler(dependencies: LastingSchedulerDependencies): RunningScheduler {
  const { open, log, retryMs = RETRY_MS } = dependencies;
  const ended = new AbortController();
  let current: RunningScheduler | undefined;
  let beginningAgain: Promise<void> = Promise.resolve();

  async function begin(signal: AbortSignal): Promise<void> {
    const opened = await open(() => {
      beginningAgain = beginAgain(signal);
    });
    await opened.start(signal);
    current = opened;
  }

  async function beginAgain(signal: AbortSignal): Promise<void> {
    current = undefined;
    log('the lock of the scheduler was lost: it begins again');
    while (!ended.signal.aborted && !signal.aborted) {
      try {
        return await begin(signal);
      } catch (error) {
        log(`the scheduler could not begin again: ${(error as Error).message}`);
        await sleep(retryMs, undefined, { signal: ended.signal }).catch(() => {});
      }
    }
  }

  return {
    start: begin,
    wake: () => current?.wake(),
    async stop() {
      ended.abort();
      await beginningAgain;
      await current?.stop();
    },
  };
}
