// Saves that are asked for at the same moment share one transaction: waiting for the disk is what a save costs. Each is
// still kept whole or not at all: when one of them cannot be kept, they are done one by one.
import type { Prepared } from './add.ts';

type Answer = { id: string; added: boolean }[];
type Add = (documents: readonly Prepared[]) => Promise<Answer>;

interface Waiting {
  documents: readonly Prepared[];
  resolve(answer: Answer | Promise<Answer>): void;
}

const MOST_TOGETHER = 2_000;

export function createAddTogether(add: Add): Add {
  let waiting: Waiting[] = [];

  async function flush(): Promise<void> {
    const together = waiting;
    waiting = [];
    try {
      const answers = await add(together.flatMap(({ documents }) => documents));
      let from = 0;
      for (const { documents, resolve } of together) {
        resolve(answers.slice(from, from + documents.length));
        from += documents.length;
      }
    } catch (error) {
      for (const { documents, resolve } of together) {
        const again = together.length === 1 ? Promise.reject(error) : add(documents);
        // One after the other: a transaction cannot begin inside another.
        await again.catch(() => {});
        resolve(again);
      }
    }
  }

  return (documents) =>
    new Promise((resolve) => {
      waiting.push({ documents, resolve });
      if (waiting.length === 1) setImmediate(() => void flush());
      else if (waiting.length === MOST_TOGETHER) void flush();
    });
}
