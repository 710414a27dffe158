// A restore that was killed while it switched to the restored home: every process that opens the home finishes it first.
import { join } from 'node:path';
import { createLocks } from '../locks.ts';
import { finishSwitch } from './restore-home.ts';

/** Resolves when the home is the restored one. Does nothing when another process has finished it. */
export async function finishRestore(home: string): Promise<void> {
  const locks = createLocks(join(home, 'locks'));
  try {
    await finishSwitch(home, locks);
  } finally {
    await locks.close();
  }
}
