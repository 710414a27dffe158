// Waits until other processes let go of a SQLite file, without blocking this process: SQLite itself would wait on the main
// thread, and nothing else would be answered meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../lib/monotonic.ts';

/** SQLite's own wait, on the main thread: long enough for a commit of another process, short enough to be unnoticed. */
export const BLOCKING_WAIT_MS = 5;
const LONGEST_WAIT_MS = 60_000;
const FIRST_RETRY_MS = 5;
const LONGEST_RETRY_MS = 50;
const SQLITE_BUSY = 5;

/**
 * Calls `attempt` again while it fails because the file is locked, for a minute at most. An attempt that failed must have changed
 * nothing: it is one statement or one transaction.
 */
export async function whenFree<T>(attempt: () => T | Promise<T>): Promise<T> {
  const giveUp = monotonicMs() + LONGEST_WAIT_MS;
  for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LONGEST_RETRY_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error) || monotonicMs() > giveUp) throw error;
    }
    // By chance, so that many processes do not come back at once.
    await sleep(wait * Math.random());
  }
}

function isBusy(error: unknown): boolean {
  const { errcode } = (error ?? {}) as { errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === SQLITE_BUSY;
}
