// A write under a lock: the row of the lease is locked for the length of the transaction, so nobody acquires the lock between this check and the commit.
import type { Fence } from '../locks.ts';
import { StorageError } from '../storage.ts';
import type { Query } from './database.ts';

/** Rejects with STORAGE_LOCK_LOST when the lock was acquired again since. Call it first in the transaction that writes. */
export async function requireFence(query: Query, fence: Fence | undefined): Promise<void> {
  if (fence === undefined) return;
  const rows = await query('SELECT 1 FROM lainclaw.leases WHERE name = $1 AND token = $2 FOR SHARE', [
    fence.name,
    fence.token,
  ]);
  if (rows.length === 0) throw lockLost(fence.name);
}

export function lockLost(name: string): StorageError {
  return new StorageError(
    'STORAGE_LOCK_LOST',
    `the lock "${name}" was lost: another process may be writing, so nothing more was written; ask again`,
  );
}
