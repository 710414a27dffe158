import { setTimeout as sleep } from 'node:timers/promises';
import type { Query } from './database.ts';

/**
 * Rejects when no answer comes in time, and at once while an earlier statement has no answer yet. An answer that has arrived while this process was busy is
 * not late.
 */
export function answerWithin(query: Query, ms: number): Query {
  let isWaiting = false;
  return async <Row extends object>(text: string, values?: readonly unknown[]) => {
    if (isWaiting) throw new Error('an earlier statement has no answer yet');
    isWaiting = true;
    const answer = query<Row>(text, values).finally(() => {
      isWaiting = false;
    });
    const timeout = new AbortController();
    const late = sleep(ms, undefined, { signal: timeout.signal, ref: false }).then(async () => {
      // After a pause of the process its timers come first, and then what has arrived meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('no answer came in time');
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      timeout.abort();
      // Nobody waits for the one that lost.
      for (const each of [answer, late]) each.catch(() => {});
    }
  };
}
