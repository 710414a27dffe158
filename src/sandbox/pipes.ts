// Real pipes for a command's output. Node gives a child socket pairs, on which `> /dev/stderr` and `tee /dev/stdout` fail
// with ENXIO; a FIFO, opened at both ends and unlinked at once, is a pipe like a shell's. It is read into one buffer
// that is used again and again: a gigabyte of output leaves no garbage.
import { execFile } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { OutputStream } from './sandbox.ts';

/** As much as a pipe holds. */
const CHUNK_BYTES = 65_536;
/** Commands for which pipes are made at once. */
const STOCK = 8;

export interface Pipe {
  /** For the child; closed by the caller once it is spawned. */
  readonly writer: number;
  /** Resolves once every writer is gone, or after `abandon`. Reads a chunk only after the previous one was handled. */
  drain(onChunk: (chunk: Buffer) => Promise<void> | undefined): Promise<void>;
  /** Stops reading, even while processes still write. */
  abandon(): void;
}

/** Where a command's output goes. */
export type OutputPipes = Readonly<Record<OutputStream, Pipe>>;

export interface PipeDependencies {
  /** A private directory; nothing is left in it. */
  temporary: string;
  /** The program. */
  mkfifo: string;
  /** Called with the pid of the process that makes the pipes. */
  onMaker?(pid: number): void;
}

export async function openOutputPipes(dependencies: PipeDependencies): Promise<OutputPipes> {
  const [pipes] = await openPairs(1, dependencies);
  return pipes as OutputPipes;
}

export interface PipeStock {
  take(onMaker?: (pid: number) => void): Promise<OutputPipes>;
  /** Closes those that nobody took. */
  close(): void;
}

/** Makes pipes for several commands at once, from the second on: starting the program that makes them costs more than they do. */
export function createPipeStock(dependencies: () => Promise<PipeDependencies>): PipeStock {
  const stock: OutputPipes[] = [];
  let size = 1;
  return {
    async take(onMaker) {
      const ready = stock.pop();
      if (ready) return ready;
      const [first, ...rest] = await openPairs(size, { ...(await dependencies()), onMaker });
      size = STOCK;
      stock.push(...rest);
      return first as OutputPipes;
    },
    close() {
      for (const pair of stock.splice(0)) {
        for (const pipe of Object.values(pair)) {
          closeSync(pipe.writer);
          pipe.abandon();
        }
      }
    },
  };
}

async function openPairs(count: number, { temporary, mkfifo, onMaker }: PipeDependencies): Promise<OutputPipes[]> {
  const directory = mkdtempSync(join(temporary, 'pipes-'));
  const paths = Array.from({ length: count * 2 }, (_, index) => join(directory, String(index)));
  try {
    const making = promisify(execFile)(mkfifo, ['-m', '600', ...paths], { env: {} });
    if (making.child.pid !== undefined) onMaker?.(making.child.pid);
    await making;
    const pipes = paths.map(openPipe);
    return Array.from({ length: count }, (_, index) => ({
      stdout: pipes[index * 2] as Pipe,
      stderr: pipes[index * 2 + 1] as Pipe,
    }));
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
