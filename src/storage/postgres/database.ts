// What the stores need of a database: statements and transactions. connect.ts opens one.
import type { Client } from 'pg';

/** Runs one statement and returns its rows. */
export type Query = <Row extends object = Record<string, unknown>>(
  text: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

export interface TransactionOptions {
  /** Its statements may take as long as they need: a change of a large table. */
  isLong?: boolean;
}

export interface Statement {
  text: string;
  values: readonly unknown[];
}

export interface PostgresDatabase {
  /** For reads, and for writes that may run twice. Waits for a database that restarts, for a while. */
  query: Query;
  /** The same for statements that share a round trip: each is a transaction of its own, and sees what the ones before it have written. Returns the rows of each. */
  queries(statements: readonly Statement[]): Promise<object[][]>;
  /**
   * Runs `work` in one transaction (READ COMMITTED). `work` is called again after a deadlock or when the connection is lost before the commit, so it must have
   * no effect but its statements. A statement is sent at once, behind the earlier ones, so what needs no answer is not awaited; the last of them share a round
   * trip with the commit, and one that fails fails the transaction. Rejects when it is not known whether the commit happened: the same write, repeated by the caller, must change nothing.
   */
  transaction<T>(work: (query: Query) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** A connection of its own, outside the pool, for LISTEN. The caller listens to its `error` and `end` and ends it. */
  connectApart(): Promise<Client>;
  /** Host, port and name of the database, without the password: for messages. */
  readonly address: string;
  /** Resolves when all connections are closed. */
  close(): Promise<void>;
}

/** For a statement of a transaction whose answer nobody needs: where it fails, the transaction fails with its reason. It must have been sent already. */
export function withoutAwaiting(statement: Promise<unknown>): void {
  statement.catch(() => {});
}
