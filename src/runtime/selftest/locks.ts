// Locks between processes: another process must not get a lock that is held, and must get it once its holder was killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf, type SelftestCheck } from './check.ts';

const HOLDER = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'); console.log('held'); setInterval(() => {}, 1000);`;
const PATIENCE_MS = 10_000;

export async function checkLocks(directory: string): Promise<SelftestCheck> {
  const name = 'locks';
  const path = join(directory, 'test.lock');
  const holder = spawn(process.execPath, ['-e', HOLDER, path], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    await once(holder.stdout, 'data', { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (isFree(path))
      return { name, state: 'problem', message: 'two processes got the same lock: do not use this disk' };
    const gone = once(holder, 'exit');
    holder.kill('SIGKILL');
    await gone;
    if (!isFree(path)) return { name, state: 'problem', message: 'the lock of a killed process is still held' };
    return { name, state: 'ok', message: 'one process at a time, and a killed one lets go' };
  } catch (error) {
    return { name, state: 'problem', message: `a lock could not be tried: ${messageOf(error)}` };
  } finally {
    holder.kill('SIGKILL');
  }
}

function isFree(path: string): boolean {
  const { DatabaseSync: Database } = process.getBuiltinModule('node:sqlite');
  const database: DatabaseSync = new Database(path);
  try {
    database.exec('BEGIN EXCLUSIVE');
    database.exec('ROLLBACK');
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}
