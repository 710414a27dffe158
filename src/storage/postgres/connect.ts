// Connections to PostgreSQL: a pool whose every wait has an end. `query` sends a statement that may run twice (a read, or a write that is idempotent by its
// key), so it is sent again when the connection is lost. `transaction` is for the rest: it is repeated only while nothing can have been committed.
// Statements that recur are prepared, and LISTEN and the locks of a lease need a connection that stays: a pooler that hands out connections by transaction is
// refused. A connection sends a statement without waiting for the answer to the one before (pipeline), so those of a transaction that need no answer share a
// round trip.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient, PoolConfig } from 'pg';
import { createAskingClient } from './asking-client.ts';
import { connectClient } from './connect-client.ts';
import type { PostgresDatabase, Query, Statement, TransactionOptions } from './database.ts';
import { connectError, databaseError, isConflict, isConnectionLoss, isStalePlan } from './errors.ts';
import { requireVersion } from './migrations.ts';
import { refuseTransactionPooler } from './pooler.ts';
import { createStatementNames, type StatementNames } from './statement-names.ts';

export interface DatabaseOptions {
  url: string;
  /** The most connections of this process. */
  connections?: number;
  /** A statement that takes longer fails. */
  queryMs?: number;
  /** How long a database that cannot be reached is waited for. */
  waitMs?: number;
  /** False for what makes or changes the tables: no version is required of them. */
  requiresTables?: boolean;
  /** How often the version of the tables is read again: a migration may exclude a program that runs already. */
  versionMs?: number;
}

const CONNECTIONS = 10;
const CONNECT_MS = 5_000;
const QUERY_MS = 10_000;
const WAIT_MS = 15_000;
const VERSION_MS = 2_000;
/** The longest time that a timer takes. */
const UNLIMITED_MS = 2 ** 31 - 1;
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 1_000;
const IDLE_CONNECTION_MS = 30_000;
/** Below the shortest lease: a transaction of a frozen process does not hold a row for longer. */
const IDLE_TRANSACTION_MS = 2_000;
const INT8 = 20;

export function openDatabase({
  url,
  connections = CONNECTIONS,
  queryMs = QUERY_MS,
  waitMs = WAIT_MS,
  requiresTables = true,
  versionMs = VERSION_MS,
}: DatabaseOptions): PostgresDatabase {
  const address = addressOf(url);
  const names = createStatementNames();
  let opening: Promise<Pool> | undefined;
  let isClosed = false;
  let versionReadAt = Number.NEGATIVE_INFINITY;

  function pool(): Promise<Pool> {
    opening ??= openPool().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  }

  async function openPool(): Promise<Pool> {
    const config = await poolConfig(url, connections, queryMs);
    const { Pool } = (await import('pg')).default;
    const made = new Pool({ ...config, Client: await createAskingClient() });
    // A lost connection is noticed by the next statement; without a listener it would end the process.
    made.on('error', () => {});
    made.on('connect', (client) => client.on('error', () => {}));
    try {
      await refuseTransactionPooler(made, address);
      await checkVersion(made);
      return made;
    } catch (error) {
      await made.end();
      throw error;
    }
  }

  async function checkVersion(open: Pool): Promise<void> {
    const before = versionReadAt;
    if (!requiresTables || performance.now() - before < versionMs) return;
    versionReadAt = performance.now();
    try {
      await requireVersion(queryOn(open, address, names), address);
    } catch (error) {
      versionReadAt = before;
      throw error;
    }
  }

  /** Repeats `work` while the database cannot be reached, and after a conflict that PostgreSQL ended. */
  async function withRetries<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
    const deadline = performance.now() + waitMs;
    for (let pause = FIRST_RETRY_MS; ; pause = Math.min(pause * 2, LONGEST_RETRY_MS)) {
      try {
        const open = await pool();
        await checkVersion(open);
        return await work(open);
      } catch (error) {
        const isRepeatable = isConnectionLoss(error) || isConflict(error) || isStalePlan(error);
        if (!isRepeatable || isClosed || performance.now() + pause > deadline) throw databaseError(error, address);
      }
      await sleep(pause);
    }
  }

  return {
    address,
    query: (text, values) => withRetries((open) => queryOn(open, address, names)(text, values)),
    queries: (statements) => withRetries((open) => queriesOn(open, statements, { address, names })),
    transaction: (work, options) => withRetries((open) => runTransaction(open, work, { address, names, ...options })),
    async connectApart() {
      await pool();
      const Client = await createAskingClient();
      const client = new Client(await poolConfig(url, 1, queryMs));
      client.on('error', () => {});
      try {
        await client.connect();
      } catch (error) {
        throw databaseError(connectError(error, address), address);
      }
      return client;
    },
    async close() {
      isClosed = true;
      const open = await opening?.catch(() => undefined);
      if (open?.ending === false) await open.end();
    },
  };
}

async function poolConfig(url: string, connections: number, queryMs: number): Promise<PoolConfig> {
  const { types } = (await import('pg')).default;
  return {
    connectionString: url,
    application_name: 'lainclaw',
    max: connections,
    pipeline: true,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: queryMs,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    keepAlive: true,
    types: {
      // Counters, times in milliseconds and tokens: all are below 2^53.
      getTypeParser: ((id: number, format: 'text' | 'binary') =>
        id === INT8 ? Number : types.getTypeParser(id, format)) as typeof types.getTypeParser,
    },
  };
}

function queryOn(pool: Pool, address: string, names: StatementNames): Query {
  return (text, values) => withClient(pool, address, (client) => clientQuery(client, names)(text, values));
}

function queriesOn(
  pool: Pool,
  statements: readonly Statement[],
  { address, names }: Pick<TransactionRun, 'address' | 'names'>,
): Promise<object[][]> {
  return withClient(pool, address, async (client) => {
    const send = clientQuery(client, names);
    const sent = statements.map(({ text, values }) => send(text, values));
    // The connection is free when every answer is there.
    await Promise.allSettled(sent);
    return Promise.all(sent);
  });
}

/** Without `limitMs` a statement has the limit of its connection. */
function clientQuery(client: PoolClient, names: StatementNames, limitMs?: number): Query {
  const limit = limitMs === undefined ? {} : { query_timeout: limitMs };
  return async <Row extends object>(text: string, values: readonly unknown[] = []) => {
    // Without values it may be several statements in one text, which cannot be prepared.
    const name = values.length === 0 ? undefined : names.of(text);
    return (await client.query<Row>({ text, values: [...values], ...(name && { name }), ...limit })).rows;
  };
}

/** A connection on which something failed other than a statement is not used again: an answer may still be on its way. */
async function withClient<T>(pool: Pool, address: string, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await connectClient(pool, address);
  let failure: unknown;
  try {
    return await work(client);
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    client.release(failure !== undefined && (isConnectionLoss(failure) || isStalePlan(failure)));
  }
}

interface TransactionRun extends TransactionOptions {
  address: string;
  names: StatementNames;
}

function runTransaction<T>(
  pool: Pool,
  work: (query: Query) => Promise<T>,
  { address, names, isLong = false }: TransactionRun,
): Promise<T> {
  return withClient(pool, address, async (client) => {
    const send = clientQuery(client, names, isLong ? UNLIMITED_MS : undefined);
    const sent: Promise<unknown>[] = [];
    const query: Query = (text, values) => {
      const answer = send(text, values);
      // Each is looked at below, also one that nobody waits for.
      answer.catch(() => {});
      sent.push(answer);
      return answer as never;
    };
    void query(`BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_TRANSACTION_MS}`);
    let result: T;
    try {
      result = await work(query);
    } catch (error) {
      // After the first statement that failed, every later one fails for that reason alone.
      const failure = await firstFailure(sent);
      await send('ROLLBACK').catch(() => {});
      throw failure ?? error;
    }
    const committed = send('COMMIT');
    committed.catch(() => {});
    try {
      for (const answer of sent) await answer;
      await committed;
    } catch (error) {
      // The server rolls back what has a failed statement. Without an answer it was perhaps committed, so it is not repeated here: a StorageError is never a
      // connection loss.
      if (!isConnectionLoss(error)) await committed.catch(() => {});
      throw isConnectionLoss(error) ? databaseError(error, address) : error;
    }
    return result;
  });
}

async function firstFailure(sent: readonly Promise<unknown>[]): Promise<unknown> {
  for (const answer of await Promise.allSettled(sent)) if (answer.status === 'rejected') return answer.reason;
  return undefined;
}

function addressOf(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname || 'localhost'}:${port || 5432}${decodeURIComponent(pathname)}`;
  } catch {
    return 'the database';
  }
}
