import type { Pool, PoolClient } from 'pg';
import { connectError } from './errors.ts';

/** A connection of the pool. Rejects with a connection loss, or with a StorageError that says why the database cannot be asked. */
export async function connectClient(pool: Pool, address: string): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw connectError(error, address);
  }
}
