// Writes under a lock. The row of its lease is locked in the same statement or transaction, so nobody acquires the lock between the check and the commit.
import type { Fence } from '../locks.ts';
import { lockLost } from '../storage.ts';
import type { PostgresDatabase, Query } from './database.ts';
import { requireFence } from './fence.ts';

export interface FencedWrite {
  /** An INSERT, UPDATE or DELETE that reads `FROM held`, ends with RETURNING, and counts its values from $3. It may run twice. */
  statement: string;
  values: readonly unknown[];
  fence?: Fence;
  /** Does not wait for the disk: a crash of the database may undo it. */
  soon?: boolean;
}

export interface Fencing {
  /** Resolves with the number of rows that RETURNING gave. Rejects with STORAGE_LOCK_LOST, writing nothing, when the lock was acquired again since. */
  write(write: FencedWrite): Promise<number>;
  /** First in the transaction that writes. */
  require(query: Query, fence: Fence | undefined): Promise<void>;
}

/** `lose` informs the holder in this process. */
export function createFencing(database: PostgresDatabase, lose: (fence: Fence) => void): Fencing {
  return {
    async write({ statement, values, fence, soon = false }) {
      const chosen = soon ? `set_config('synchronous_commit', 'off', true)` : '1';
      const held =
        fence === undefined
          ? `SELECT ${chosen} WHERE $1::text IS NULL AND $2::bigint IS NULL`
          : `SELECT ${chosen} FROM lainclaw.leases WHERE name = $1 AND token = $2 FOR SHARE`;
      const [row] = await database.query<{ written: number }>(
        `WITH held AS (${held}), written AS (${statement}) SELECT (SELECT count(*) FROM written) AS written FROM held`,
        [fence?.name ?? null, fence?.token ?? null, ...values],
      );
      if (row !== undefined) return row.written;
      if (fence !== undefined) lose(fence);
      throw lockLost(fence?.name ?? '');
    },
    async require(query, fence) {
      try {
        await requireFence(query, fence);
      } catch (error) {
        if (fence !== undefined && (error as { code?: unknown }).code === 'STORAGE_LOCK_LOST') lose(fence);
        throw error;
      }
    },
  };
}
