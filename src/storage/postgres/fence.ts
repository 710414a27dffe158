// A write under a lock: the row of the lease is locked for the length of the transaction, so nobody acquires the lock between this check and the commit.
import type { Fence } from '../locks.ts';
import { lockLost } from '../storage.ts';
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
