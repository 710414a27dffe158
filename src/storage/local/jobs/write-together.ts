// Writes that are asked for at the same moment share one transaction: waiting for the disk is what a write costs. Each is
// still done whole or not at all, and fails alone.
import type { DatabaseSync } from 'node:sqlite';
import type { UseDatabase } from '../synced-database.ts';

interface Waiting {
  statements(db: DatabaseSync): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

type Outcome = { value: unknown } | { error: unknown };

export function createWriteTogether(use: UseDatabase): UseDatabase {
  let waiting: Waiting[] = [];

  async function flush(): Promise<void> {
    const together = waiting;
    waiting = [];
    try {
      const outcomes = await use((db) => inTransaction(db, together));
      for (const [index, { resolve, reject }] of together.entries()) {
        const outcome = outcomes[index] as Outcome;
        if ('error' in outcome) reject(outcome.error);
        else resolve(outcome.value);
      }
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  }

  return <T>(statements: (db: DatabaseSync) => T) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ statements, resolve: resolve as Waiting['resolve'], reject });
      if (waiting.length === 1) setImmediate(() => void flush());
    });
}

function inTransaction(db: DatabaseSync, together: readonly Waiting[]): Outcome[] {
  db.exec('BEGIN IMMEDIATE');
  try {
    const outcomes = together.map(({ statements }) => attempt(db, statements));
    db.exec('COMMIT');
    return outcomes;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function attempt(db: DatabaseSync, statements: (db: DatabaseSync) => unknown): Outcome {
  db.exec('SAVEPOINT one');
  try {
    const value = statements(db);
    db.exec('RELEASE one');
    return { value };
  } catch (error) {
    // A full disk ends the whole transaction.
    if (!db.isTransaction) throw error;
    db.exec('ROLLBACK TO one; RELEASE one');
    return { error };
  }
}
