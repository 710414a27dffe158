// Real pipes for a command's output. Node gives a child socket pairs, on which `> /dev/stderr` and `tee /dev/stdout` fail
// with ENXIO; a FIFO, opened at both ends and unlinked at once, is a pipe like a shell's. It is read into one buffer
// that is used again and again: a gigabyte of output leaves no garbage.
import { execFile } from 'node:child_process';
import { closeSync, constants, fstatSync, mkdtempSync, openSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type OutputStream, SandboxError } from './sandbox.ts';

/** As much as a pipe holds. */
const CHUNK_BYTES = 65_536;
/** Pipes that are made at once, after the first few. */
const STOCK = 32;

/** Both ends of a pipe, as descriptors. */
export interface Fifo {
  readonly reader: number;
  readonly writer: number;
}

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

/** Makes a FIFO at each path, for its owner alone. */
export type MakeFifos = (paths: readonly string[]) => Promise<void>;

export async function openOutputPipes(temporary: string, make: MakeFifos): Promise<OutputPipes> {
  return outputPipes(await openFifos(2, temporary, make));
}

export function outputPipes([stdout, stderr]: readonly Fifo[]): OutputPipes {
  return { stdout: readFrom(stdout as Fifo), stderr: readFrom(stderr as Fifo) };
}

/** `onMaker` is called with the pid of the process that makes them. */
export function mkfifoWith(program: string, onMaker?: (pid: number) => void): MakeFifos {
  return async (paths) => {
    const making = promisify(execFile)(program, ['-m', '600', ...paths], { env: {} });
    if (making.child.pid !== undefined) onMaker?.(making.child.pid);
    await making;
  };
}

export interface FifoStock {
  take(count: number, make: MakeFifos): Promise<Fifo[]>;
  /** Closes those that nobody took. */
  close(): void;
}

/** Makes pipes for several commands at once, from the second time on: starting the program that makes them costs more than they do. */
export function createFifoStock(temporary: string): FifoStock {
  const stock: Fifo[] = [];
  let isFirst = true;
  return {
    async take(count, make) {
      if (stock.length < count) stock.push(...(await openFifos(isFirst ? count : STOCK, temporary, make)));
      isFirst = false;
      return stock.splice(0, count);
    },
    close() {
      for (const fifo of stock.splice(0)) closeFifo(fifo);
    },
  };
}

export function closeFifo({ reader, writer }: Fifo): void {
  closeSync(reader);
  closeSync(writer);
}

/** `temporary` is a private directory; nothing is left in it. */
async function openFifos(count: number, temporary: string, make: MakeFifos): Promise<Fifo[]> {
  const directory = mkdtempSync(join(temporary, 'pipes-'));
  const paths = Array.from({ length: count }, (_, index) => join(directory, String(index)));
  const fifos: Fifo[] = [];
  try {
    await make(paths);
    for (const path of paths) fifos.push(openFifo(path));
    return fifos;
  } catch (error) {
    for (const fifo of fifos) closeFifo(fifo);
    throw error;
  } finally {
    for (const path of paths) tryTo(() => unlinkSync(path));
    tryTo(() => rmdirSync(directory));
  }
}

/** Throws where the path leads to something else. */
export function openFifo(path: string): Fifo {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(reader).isFIFO()) throw new SandboxError('setup-failed', `${path} is not a pipe`);
    return { reader, writer: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(reader);
    throw error;
  }
}

/** A descriptor that reads the content from its start; the file behind it is already unlinked. */
export function openContent(content: string | Uint8Array, temporary: string): number {
  const directory = mkdtempSync(join(temporary, 'stdin-'));
  const path = join(directory, 'text');
  try {
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return openSync(path, constants.O_RDONLY);
  } finally {
    tryTo(() => unlinkSync(path));
    tryTo(() => rmdirSync(directory));
  }
}

function readFrom({ reader, writer }: Fifo): Pipe {
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
