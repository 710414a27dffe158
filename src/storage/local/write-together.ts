// Writes that are asked for at the same moment share one transaction: waiting for the disk is what a write costs. Each is
// still done whole or not at all: when one of them fails, all are done again one by one.
import type { DatabaseSync } from 'node:sqlite';
import type { UseDatabase } from './synced-database.ts';

type Statements = (database: DatabaseSync) => unknown;

interface Waiting {
  statements: Statements;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const MOST_TOGETHER = 1_000;

/** Resolves when what the statements wrote is durable. */
export function createWriteTogether(use: UseDatabase): UseDatabase {
  let waiting: Waiting[] = [];
  let flushing = false;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const together = waiting.slice(0, MOST_TOGETHER);
      waiting = waiting.slice(MOST_TOGETHER);
      try {
        const values = await use((db) => inTransaction(db, () => together.map(({ statements }) => statements(db))));
        together.forEach(({ resolve }, index) => {
          resolve(values[index]);
        });
      } catch (error) {
        for (const { statements, resolve, reject } of together) {
          if (together.length === 1) reject(error);
          else await use((db) => inTransaction(db, () => statements(db))).then(resolve, reject);
        }
      }
    }
    flushing = false;
  }

  return <T>(statements: (database: DatabaseSync) => T) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ statements, resolve: resolve as (value: unknown) => void, reject });
      if (flushing) return;
      flushing = true;
      setImmediate(() => void flush());
    });
}

function inTransaction<T>(database: DatabaseSync, run: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const value = run();
    database.exec('COMMIT');
    return value;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
