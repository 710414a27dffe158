// Writes that are asked for at the same moment share one transaction and one wait for the disk, which is what a write
// costs. Each is still done whole or not at all: when one of them fails, all are done again one by one. Where none of them
// must survive a power cut by itself, the disk is not waited for: the next that must takes them along.
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from './open-database.ts';
import type { UseDatabase } from './synced-database.ts';

export interface WriteTogether {
  /** Resolves when what the statements wrote is durable. */
  durably: UseDatabase;
  /** Resolves when it is written: a kill does not undo it, a power cut may. */
  soon: UseDatabase;
}

export interface WriteTogetherOptions {
  use: UseDatabase;
  /** Resolves when everything that is committed is durable. */
  sync(): Promise<void>;
}

interface Waiting {
  isDurable: boolean;
  statements: (database: DatabaseSync) => unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

const MOST_TOGETHER = 1_000;

export function createWriteTogether({ use, sync }: WriteTogetherOptions): WriteTogether {
  let waiting: Waiting[] = [];
  let isFlushing = false;

  const written = (together: readonly Waiting[]): Promise<unknown[]> =>
    use((db) => inTransaction(db, () => together.map(({ statements }) => statements(db))));

  /** What cannot be made durable is not done again: it is written, and the caller gets the failure. */
  async function settle(together: readonly Waiting[], values: readonly unknown[]): Promise<void> {
    try {
      if (together.some(({ isDurable }) => isDurable)) await sync();
      together.forEach(({ resolve }, index) => {
        resolve(values[index]);
      });
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  }

  async function oneByOne(together: readonly Waiting[], error: unknown): Promise<void> {
    if (together.length === 1) together[0]?.reject(error);
    else for (const one of together) await written([one]).then((values) => settle([one], values), one.reject);
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const together = waiting.slice(0, MOST_TOGETHER);
      waiting = waiting.slice(MOST_TOGETHER);
      await written(together).then(
        (values) => settle(together, values),
        (error: unknown) => oneByOne(together, error),
      );
    }
    isFlushing = false;
  }

  const write =
    (isDurable: boolean): UseDatabase =>
    <T>(statements: (database: DatabaseSync) => T) =>
      new Promise<T>((resolve, reject) => {
        waiting.push({ isDurable, statements, resolve: resolve as (value: unknown) => void, reject });
        if (isFlushing) return;
        isFlushing = true;
        setImmediate(() => void flush());
      });
  return { durably: write(true), soon: write(false) };
}
