// Notices that a file was changed: by the system's word where there is one, by looking now and then otherwise. The directory
// is watched, because a file that is replaced is another file each time.
import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

const LOOK_EVERY_MS = 5_000;
const SETTLE_MS = 50;

/** Calls back after each change, one call at a time, until the signal fires. */
export async function watchFile(path: string, onChange: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let seen = await signatureOf(path);
  let looking: Promise<void> = Promise.resolve();
  const look = (): void => {
    looking = looking.then(async () => {
      const now = await signatureOf(path);
      if (now === seen || signal.aborted) return;
      seen = now;
      await onChange();
    });
  };
  let settling: NodeJS.Timeout | undefined;
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    clearTimeout(settling);
  });
  try {
    const watcher = watch(dirname(path), { persistent: false, signal }, (_, name) => {
      if (name !== null && name !== basename(path)) return;
      clearTimeout(settling);
      settling = setTimeout(look, SETTLE_MS).unref();
    });
    watcher.on('error', () => {});
  } catch {
    // The timer looks.
  }
}

async function signatureOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    return 'absent';
  }
}
