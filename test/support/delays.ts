// Finds tests that take something for accepted because it was sent. With LAINCLAW_TEST_DELAYS=<seed> the fakes, and what is between the
// browser and the gateway, wait a random time before each step, as on a slow network and a busy machine; without it nobody waits.
import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from './random.ts';

const SEED = process.env.LAINCLAW_TEST_DELAYS;
const random = seededRandom(Number(SEED ?? 0));

export const ARE_DELAYED = SEED !== undefined;

/** Resolves after a time up to `mostMs`, more often a short one; without the switch it resolves at once. */
export async function delay(mostMs: number): Promise<void> {
  if (ARE_DELAYED) await pause(mostMs * random() ** 2);
}
