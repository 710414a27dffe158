// Real pipes for a command's output. Node gives a child socket pairs, on which `> /dev/stderr` and `tee /dev/stdout` fail
// with ENXIO; a FIFO, opened at both ends and unlinked at once, is a pipe like a shell's. It is read into one buffer
// that is used again and again: a gigabyte of output leaves no garbage.
import { execFile } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** As much as a pipe holds. */
const CHUNK_BYTES = 65_536;

export interface Pipe {
  /** For the child; closed by the caller once it is spawned. */
  readonly writer: number;
  /** Resolves once every writer is gone, or after `abandon`. Reads a chunk only after the previous one was handled. */
  drain(onChunk: (chunk: Buffer) => Promise<void> | undefined): Promise<void>;
  /** Stops reading, even while processes still write. */
  abandon(): void;
}

/** `temporary` is a private directory; nothing is left in it. */
export async function openPipes<const Name extends string>(
  names: readonly Name[],
  { temporary, mkfifo, onMaker }: { temporary: string; mkfifo: string; onMaker?(pid: number): void },
): Promise<Record<Name, Pipe>> {
  const directory = mkdtempSync(join(temporary, 'pipes-'));
  const paths = names.map((name) => join(directory, name));
  try {
    const making = promisify(execFile)(mkfifo, ['-m', '600', ...paths], { env: {} });
    if (making.child.pid !== undefined) onMaker?.(making.child.pid);
    await making;
    return Object.fromEntries(names.map((name, index) => [name, openPipe(paths[index] as string)])) as never;
  } finally {
    for (const path of paths) tryTo(() => unlinkSync(path));
    tryTo(() => rmdirSync(directory));
  }
}

/** A descriptor that reads the text from its start; the file behind it is already unlinked. */
export function openText(text: string, temporary: string): number {
  const directory = mkdtempSync(join(temporary, 'stdin-'));
  const path = join(directory, 'text');
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
    return openSync(path, constants.O_RDONLY);
  } finally {
    tryTo(() => unlinkSync(path));
    tryTo(() => rmdirSync(directory));
  }
}

function openPipe(path: string): Pipe {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  let socket: Socket | undefined;
  let isAbandoned = false;

  return {
    writer,

    drain: (onChunk) =>
      new Promise((resolve) => {
        if (isAbandoned) return resolve();
        const opened = new Socket({
          fd: reader,
          readable: true,
          writable: false,
          onread: {
            buffer: Buffer.allocUnsafeSlow(CHUNK_BYTES),
            callback(length, buffer) {
              const done = onChunk((buffer as Buffer).subarray(0, length));
              if (!done) return true;
              void done.then(() => opened.resume());
              return false;
            },
          },
        });
        socket = opened;
        opened.once('close', () => resolve());
        // Reading a pipe fails only when its descriptor is gone; 'close' follows.
        opened.once('error', () => {});
        opened.resume();
      }),

    abandon() {
      if (isAbandoned) return;
      isAbandoned = true;
      if (socket) socket.destroy();
      else closeSync(reader);
    },
  };
}

function tryTo(action: () => void): void {
  try {
    action();
  } catch {
    // Never made, or already gone.
  }
}
