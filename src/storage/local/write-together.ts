// Writes that are asked for at the same moment share one transaction: waiting for the disk is what a write costs. Each is
// still done whole or not at all: when one of them fails, all are done again one by one. Where none of them must survive a
// power cut by itself, the disk is not waited for: the next that must takes them along.
import type { DatabaseSync } from 'node:sqlite';
import type { UseDatabase } from './synced-database.ts';

type Statements = (database: DatabaseSync) => unknown;

export interface WriteTogether {
  /** Resolves when what the statements wrote is durable. */
  durably: UseDatabase;
  /** Resolves when it is written: a kill does not undo it, a power cut may. */
  soon: UseDatabase;
}

interface Waiting {
  isDurable: boolean;
  statements: Statements;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const MOST_TOGETHER = 1_000;

export function createWriteTogether(use: UseDatabase): WriteTogether {
  let waiting: Waiting[] = [];
  let flushing = false;

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const together = waiting.slice(0, MOST_TOGETHER);
      waiting = waiting.slice(MOST_TOGETHER);
      try {
        const isDurable = together.some((each) => each.isDurable);
        const all = (db: DatabaseSync): unknown[] => together.map(({ statements }) => statements(db));
        const values = await use((db) => (isDurable ? inTransaction : inQuickTransaction)(db, () => all(db)));
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

  const write =
    (isDurable: boolean): UseDatabase =>
    <T>(statements: (database: DatabaseSync) => T) =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ isDurable, statements, resolve: resolve as (value: unknown) => void, reject });
        if (flushing) return;
        flushing = true;
        setImmediate(() => void flush());
      });
  return { durably: write(true), soon: write(false) };
}

function inQuickTransaction<T>(database: DatabaseSync, run: () => T): T {
  database.exec('PRAGMA synchronous = NORMAL');
  try {
    return inTransaction(database, run);
  } finally {
    database.exec('PRAGMA synchronous = FULL');
  }
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
