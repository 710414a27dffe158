// Follows a file to which others append lines. A batch of whole lines is handed over, and only after all of it was taken is
// the place remembered: what a killed process had not finished is read again. An unfinished last line waits for its end.
// The file may be cut, replaced or renamed away meanwhile; a renamed one is read to its end first.
import { type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type InboxPosition, readPosition, TAIL_BYTES, writePosition } from './inbox-position.ts';

const BATCH_BYTES = 256 * 1024;
const LONGEST_LINE = 8 * 1024 * 1024;
/** The system reports changes; where it does not, they are found by looking. */
const LOOK_EVERY_MS = 1_000;
const NEWLINE = 0x0a;

export interface InboxReaderOptions {
  directory: string;
  name: string;
  /** Resolves when every line was taken. Lines carry their number, over all files. */
  take(lines: readonly { text: string; number: number }[]): Promise<void>;
  onProblem(problem: string): void;
}

/** Follows until the signal fires. `onReady` is called once the lines that are already there can be read. */
export async function followInbox(
  options: InboxReaderOptions,
  signal: AbortSignal,
  onReady: () => void,
): Promise<void> {
  const reader = createReader(options, signal);
  const changes = watchDirectory(options.directory, signal);
  try {
    await reader.open();
    onReady();
    while (!signal.aborted) {
      try {
        await reader.readAll();
      } catch (error) {
        if (signal.aborted) return;
        options.onProblem(`cannot read ${options.name}: ${(error as Error).message}`);
      }
      await changes.next();
    }
  } finally {
    changes.close();
    await reader.close();
  }
}

function createReader({ directory, name, take, onProblem }: InboxReaderOptions, signal: AbortSignal) {
  const path = join(directory, name);
  const positionPath = join(directory, `.${name}.position`);
  let handle: FileHandle | undefined;
  let position: InboxPosition = { file: '', offset: 0, before: '', lines: 0 };
  let isSaved = true;
  let saving: Promise<void> | undefined;

  /** Opens the file at a path; it is read on from the position, or from its start. */
  async function enter(target: string): Promise<boolean> {
    const opened = await open(target, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!opened) return false;
    await handle?.close();
    handle = opened;
    const file = String((await opened.stat({ bigint: true })).ino);
    if (file !== position.file) position = { ...position, file, offset: 0, before: '' };
    return true;
  }

  /**
   * Everything up to the last whole line of the open file. Each read includes what was before it: where that is no longer the
   * same, the file was cut or written again, and it is read from its start.
   */
  async function readOpened(opened: FileHandle): Promise<void> {
    for (let size = BATCH_BYTES; !signal.aborted; ) {
      const before = Buffer.from(position.before, 'base64');
      const buffer = Buffer.allocUnsafe(before.length + size);
      const { bytesRead } = await opened.read(buffer, 0, buffer.length, position.offset - before.length);
      if (!buffer.subarray(0, Math.min(bytesRead, before.length)).equals(before)) {
        position = { ...position, offset: 0, before: '' };
        continue;
      }
      const read = buffer.subarray(before.length, bytesRead);
      const end = read.lastIndexOf(NEWLINE) + 1;
      if (end > 0) {
        await takeBatch(read.subarray(0, end));
        size = BATCH_BYTES;
      } else if (read.length < size) return;
      else if (size < LONGEST_LINE) size *= 2;
      else {
        onProblem(`a line of ${name} is longer than ${LONGEST_LINE} bytes and was passed over`);
        advance(read, 0);
      }
    }
  }

  async function takeBatch(batch: Buffer): Promise<void> {
    const lines = batch.toString('utf8').split('\n').slice(0, -1);
    await take(lines.map((text, index) => ({ text, number: position.lines + index })));
    signal.throwIfAborted();
    advance(batch, lines.length);
  }

  function advance(batch: Buffer, lines: number): void {
    const before = Buffer.concat([Buffer.from(position.before, 'base64'), batch.subarray(-TAIL_BYTES)]);
    position = {
      ...position,
      offset: position.offset + batch.length,
      before: before.subarray(-TAIL_BYTES).toString('base64'),
      lines: position.lines + lines,
    };
    save();
  }

  /** Reading does not wait for it: what is read twice is known by its id. */
  function save(): void {
    isSaved = false;
    saving ??= keepSaving().finally(() => {
      saving = undefined;
    });
  }

  async function keepSaving(): Promise<void> {
    while (!isSaved) {
      isSaved = true;
      await writePosition(positionPath, position).catch((error: Error) => onProblem(error.message));
    }
  }

  /** Where the file of the position is now, when it was renamed while nobody looked. */
  async function renamedPath(): Promise<string | undefined> {
    for (const entry of await readdir(directory)) {
      const stats = await stat(join(directory, entry), { bigint: true }).catch(() => undefined);
      if (stats?.isFile() && String(stats.ino) === position.file) return join(directory, entry);
    }
    return undefined;
  }

  return {
    async open(): Promise<void> {
      const known = await readPosition(positionPath);
      if (!known) return;
      position = known;
      const renamed = await renamedPath();
      if (renamed) await enter(renamed);
    },
    async readAll(): Promise<void> {
      for (;;) {
        if (handle) await readOpened(handle);
        const current = await stat(path, { bigint: true }).catch(() => undefined);
        if (signal.aborted || !current?.isFile() || (handle && String(current.ino) === position.file)) return;
        if (!(await enter(path))) return;
      }
    },
    async close(): Promise<void> {
      await saving;
      await handle?.close();
    },
  };
}

/** Tells that something may have changed: when the system says so, and now and then. */
function watchDirectory(directory: string, signal: AbortSignal) {
  let wake = (): void => {};
  let changed = false;
  const tell = (): void => {
    changed = true;
    wake();
  };
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(directory, tell);
    watcher.on('error', () => {});
  } catch {
    // Looking now and then is enough.
  }
  const timer = setInterval(tell, LOOK_EVERY_MS);
  signal.addEventListener('abort', tell);
  return {
    async next(): Promise<void> {
      if (!changed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      changed = false;
    },
    close(): void {
      watcher?.close();
      clearInterval(timer);
      signal.removeEventListener('abort', tell);
    },
  };
}
