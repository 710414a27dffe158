// An ended turn waits for its facts to be extracted, until its conversation has rested.
import type { Config } from '../config/config.ts';
import type { Facts } from '../memory/facts.ts';
import type { WaitingTurn } from '../storage/facts.ts';

const REST_MINUTES = 5;
const MOST_LOOKED_AT = 50;

/** How long a conversation has to rest, in milliseconds. */
export function restOf({ memoryFactsRestMinutes = REST_MINUTES }: Pick<Config, 'memoryFactsRestMinutes'>): number {
  return memoryFactsRestMinutes * 60_000;
}

/**
 * Turns that have rested and were not extracted, because no process was there to do it, do not rest again with this one: somebody who asks once an hour would
 * never have facts.
 */
export async function waitForFacts(
  facts: Pick<Facts, 'due' | 'hurry' | 'wait'>,
  turn: WaitingTurn,
  { restMs }: { restMs: number },
): Promise<void> {
  const rested = await facts.due({ now: turn.endedAt, restMs, limit: MOST_LOOKED_AT });
  if (rested.some(({ sessionId }) => sessionId === turn.sessionId)) await facts.hurry(turn.sessionId);
  await facts.wait(turn);
}
