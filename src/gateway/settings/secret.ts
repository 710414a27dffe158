// A secret from where the owner keeps it. The problem names the place, never the value.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import type { SecretSource } from '../../config/kinds.ts';

const LARGEST = 16_384;

export type ReadSecret = { ok: true; value: string } | { ok: false; problem: string };

export async function readSecret(
  source: SecretSource,
  { home, userHome, variables }: Environment,
): Promise<ReadSecret> {
  if (typeof source === 'string') return { ok: true, value: source };
  if ('env' in source) {
    const value = variables[source.env]?.trim();
    return value ? { ok: true, value } : { ok: false, problem: `the variable ${source.env} is not set` };
  }
  return readFile(source.file.startsWith('~/') ? join(userHome, source.file.slice(2)) : resolve(home, source.file));
}

async function readFile(path: string): Promise<ReadSecret> {
  try {
    // Non-blocking: a FIFO in its place must not hold up the start.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.size > LARGEST) return { ok: false, problem: `${path} is not a small file` };
      const value = (await file.readFile('utf8')).trim();
      return value ? { ok: true, value } : { ok: false, problem: `${path} is empty` };
    } finally {
      await file.close();
    }
  } catch (error) {
    return { ok: false, problem: `${path}: ${(error as NodeJS.ErrnoException).code ?? 'cannot be read'}` };
  }
}
