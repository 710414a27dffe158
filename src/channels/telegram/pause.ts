import { setTimeout as sleep } from 'node:timers/promises';

/** Waits; ends at once, without an error, when the signal fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

/** Twice as long each time, up to a limit. */
export function backOff(failures: number, { first, most }: { first: number; most: number }): number {
  return Math.min(most, first * 2 ** Math.min(failures, 20));
}
