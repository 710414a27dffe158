// Waits for what another process, or something in the background, brings about. A busy machine only makes it take longer: the
// deadline is that of the test, and this gives up just before it, to say what was waited for.
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 10;
const GIVE_UP_MS = 170_000;

/** Resolves with what `check` returns once it no longer throws. */
export async function eventually<T>(check: () => T | Promise<T>, giveUpMs = GIVE_UP_MS): Promise<T> {
  const started = performance.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() - started > giveUpMs) throw error;
    }
    await pause(LOOK_EVERY_MS);
  }
}
