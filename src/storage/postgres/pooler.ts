// Finds a pooler that gives a connection to another client after each transaction. There LISTEN delivers nothing and settings of a session are lost, without
// an error. A direct connection is known by its process id, which a pooler invents. Behind a pooler two connections are compared: while the second is inside a
// transaction, the first must still have the server process that it had before.
import type { Pool, PoolClient } from 'pg';
import { StorageError } from '../storage.ts';
import { connectClient } from './connect-client.ts';

const ATTEMPTS = 3;
/** pgbouncer's words where connections are handed out by statement. */
const STATEMENT_MODE = /pooling mode/;

export async function refuseTransactionPooler(pool: Pool, address: string): Promise<void> {
  const first = await connectClient(pool, address);
  let isShared = false;
  try {
    // @types/pg leaves it out: what the server said when the connection was made.
    const { processID } = first as PoolClient & { processID?: number };
    if (processID === (await serverProcess(first))) return;
    for (let attempt = 0; attempt < ATTEMPTS && !isShared; attempt += 1)
      isShared = await shareProcess(first, pool, address);
  } finally {
    first.release();
  }
  if (!isShared) return;
  throw new StorageError(
    'STORAGE_FAILED',
    `${address} is a pooler in transaction or statement mode, where notifications and leases silently do nothing: set its pool_mode to session, or point "store" at PostgreSQL itself`,
  );
}

async function shareProcess(first: PoolClient, pool: Pool, address: string): Promise<boolean> {
  const before = await serverProcess(first);
  const second = await connectClient(pool, address);
  try {
    const isRefused = await second.query('BEGIN').then(
      () => false,
      (error: Error) => STATEMENT_MODE.test(error.message),
    );
    if (isRefused) return true;
    const taken = await serverProcess(second);
    return taken === before || (await serverProcess(first)) !== before;
  } finally {
    await second.query('ROLLBACK').catch(() => {});
    second.release();
  }
}

async function serverProcess(client: PoolClient): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid;
}
