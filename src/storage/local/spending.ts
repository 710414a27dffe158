// What models cost: a file a day, a line a call. Appending one takes a tenth of a millisecond; opening the database for it
// would take a one-shot command ten. A process that stays reads only what was added since it last looked.
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDirectory, openPrivateSync, storageError } from '../private-files.ts';
import type { Spending, Spent } from '../storage.ts';

interface Counted extends Spent {
  day: string;
  /** How far the day's file is counted. */
  bytes: number;
}

export function createSpending(directory: string): Spending {
  const pathOf = (day: string): string => join(directory, `${day}.jsonl`);
  let counted: Counted | undefined;

  return {
    add: (day, { tokens, costUsd }) => appendSpent(directory, day, { tokens, costUsd }),
    async on(day) {
      const before = counted?.day === day ? counted : { day, bytes: 0, tokens: 0, costUsd: 0 };
      const now = await countOn(pathOf(day), before);
      counted = now;
      return { tokens: now.tokens, costUsd: now.costUsd };
    },
  };
}

/** A line can say more than the sum, which `on` passes over. */
export async function appendSpent(directory: string, day: string, line: object): Promise<void> {
  const path = join(directory, `${day}.jsonl`);
  try {
    const file = await openForAppending(path, directory);
    try {
      writeSync(file, `${JSON.stringify(line)}\n`);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw storageError(path, error);
  }
}

/** Synchronous: it is one line, and handing it to another thread takes ten times as long. */
async function openForAppending(path: string, directory: string): Promise<number> {
  const flags = constants.O_WRONLY | constants.O_APPEND;
  try {
    return openSync(path, flags);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await ensureDirectory(directory);
    return openPrivateSync(path, flags | constants.O_CREAT);
  }
}

async function countOn(path: string, before: Counted): Promise<Counted> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { ...before, bytes: 0, tokens: 0, costUsd: 0 };
    throw storageError(path, error);
  }
  try {
    const { size } = await handle.stat();
    const from = size < before.bytes ? { ...before, bytes: 0, tokens: 0, costUsd: 0 } : before;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from.bytes), { position: from.bytes });
    // A line that is still being written is counted the next time.
    const end = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
    const sum = { ...from, bytes: from.bytes + end };
    for (const line of buffer.toString('utf8', 0, end).split('\n')) {
      const { tokens, costUsd } = spentIn(line);
      sum.tokens += tokens;
      sum.costUsd += costUsd;
    }
    return sum;
  } catch (error) {
    throw storageError(path, error);
  } finally {
    await handle.close();
  }
}

function spentIn(line: string): Spent {
  try {
    const { tokens, costUsd } = JSON.parse(line) as Partial<Spent>;
    return { tokens: Number(tokens) || 0, costUsd: Number(costUsd) || 0 };
  } catch {
    return { tokens: 0, costUsd: 0 };
  }
}
