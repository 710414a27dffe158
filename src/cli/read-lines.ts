import { createInterface } from 'node:readline/promises';
import type { Terminal } from './terminal.ts';

/** Shows a prompt and reads a line; undefined after Ctrl-D, or when the terminal is gone. */
export type ReadLine = (shown: string) => Promise<string | undefined>;

/** Reads from the person at the terminal while `use` runs. Rejects when `signal` fires. */
export async function withLines<T>(
  { input, err, interrupt }: Terminal,
  signal: AbortSignal,
  use: (read: ReadLine) => Promise<T>,
): Promise<T> {
  const lines = createInterface({ input: input.stream(), output: err.stream() });
  let isClosed = false;
  const closed = new Promise<undefined>((resolve) =>
    lines.once('close', () => {
      isClosed = true;
      resolve(undefined);
    }),
  );
  // The line editor turns Ctrl-C into an event of its own: it means what it means everywhere.
  lines.on('SIGINT', () => interrupt());
  try {
    return await use(async (shown) => {
      if (isClosed) return undefined;
      return Promise.race([lines.question(shown, { signal }), closed]).catch((error: unknown) => {
        if (signal.aborted) throw error;
        err.write('\n');
        return undefined;
      });
    });
  } finally {
    lines.close();
  }
}
