// Tells other processes that jobs changed: an empty file whose time is renewed, watched through its directory.
import { watch } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ensureDirectory, ensurePrivateFile } from '../../private-files.ts';

export interface ChangeFile {
  touch(): Promise<void>;
  watch(onChange: () => void, signal: AbortSignal): Promise<void>;
}

/** Best effort on both sides: a watcher also looks by itself now and then. */
export function createChangeFile(path: string, now: () => number): ChangeFile {
  return {
    async touch() {
      try {
        await ensurePrivateFile(path);
        const seconds = now() / 1_000;
        await utimes(path, seconds, seconds);
      } catch {
        // The change itself is on disk; it is noticed later.
      }
    },
    async watch(onChange, signal) {
      try {
        await ensureDirectory(dirname(path));
        if (signal.aborted) return;
        const watcher = watch(dirname(path), { persistent: false, signal }, onChange);
        watcher.on('error', () => watcher.close());
      } catch {
        // No more watches to be had: changes are noticed later.
      }
    },
  };
}
