// Tries on this machine and this disk what everything else relies on. Works in a folder of its own in the home, which is removed.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { ensureDirectory, storageError } from '../../storage/private-files.ts';
import { messageOf, type SelftestCheck } from './check.ts';
import { checkClock } from './clock.ts';
import { checkDatabase, checkReplacing, checkRoom, checkSync } from './disk.ts';
import { checkLocks } from './locks.ts';
import { checkSandbox } from './sandbox.ts';

export interface SelftestOptions {
  home: string;
  sandbox(): Promise<Sandbox>;
  now(): number;
}

/** Rejects with StorageError where the home cannot be written at all. */
export async function runSelftest({ home, sandbox, now }: SelftestOptions): Promise<SelftestCheck[]> {
  await ensureDirectory(home);
  const directory = makeFolder(home);
  const attempt = async (name: string, check: () => SelftestCheck | Promise<SelftestCheck>): Promise<SelftestCheck> => {
    try {
      return await check();
    } catch (error) {
      return { name, state: 'problem', message: messageOf(error) };
    }
  };
  try {
    return [
      await attempt('room', () => checkRoom(directory)),
      await attempt('sync', () => checkSync(directory)),
      await attempt('replace', () => checkReplacing(directory)),
      await attempt('database', () => checkDatabase(directory)),
      await attempt('locks', () => checkLocks(directory)),
      await attempt('clock', () => checkClock(directory, now)),
      await attempt('sandbox', () => checkSandbox(directory, sandbox)),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
  }
}

function makeFolder(home: string): string {
  try {
    return mkdtempSync(join(home, '.selftest-'));
  } catch (error) {
    throw storageError(home, error);
  }
}
