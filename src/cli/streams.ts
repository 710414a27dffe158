// stdout and stderr without the cost of Node's stream classes (7 ms to load) when the other end is a pipe or a file.
import { fstatSync, writeSync } from 'node:fs';
import { CommandError } from './command-error.ts';
import type { Host, OutputStream } from './host.ts';

export const openStream: Host['openOutput'] = (fd, onClosed) => {
  if (isTerminal(fd)) return deviceStream(fd, onClosed);
  let closed = false;
  return {
    isTTY: false,
    columns: undefined,
    write(text) {
      if (closed) return;
      try {
        writeWhole(fd, Buffer.from(text));
      } catch (error) {
        closed = true;
        if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw outputFailed(error as Error);
        onClosed();
      }
    },
    stream: () => processStream(fd),
  };
};

function processStream(fd: 1 | 2): NodeJS.WriteStream {
  return fd === 1 ? process.stdout : process.stderr;
}

function outputFailed(error: Error): CommandError {
  return new CommandError('OUTPUT_FAILED', `the output could not be written: ${error.message}`);
}

/** A terminal: here the stream class knows best. */
function deviceStream(fd: 1 | 2, onClosed: () => void): OutputStream {
  const stream = processStream(fd);
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    onClosed();
  });
  return {
    isTTY: stream.isTTY ?? false,
    columns: stream.columns,
    write: (text) => void stream.write(text),
    stream: () => stream,
  };
}

/** A terminal, as far as can be known without loading anything. */
export function isTerminal(fd: number): boolean {
  try {
    const stats = fstatSync(fd);
    return stats.isCharacterDevice() && (process.platform !== 'linux' || isLinuxTerminal(stats.rdev));
  } catch {
    // Closed from the start (`>&-`): writing will say so.
    return false;
  }
}

/** By device number: consoles and serial lines, /dev/tty, and the pseudo-terminals. Not /dev/null or /dev/full. */
function isLinuxTerminal(rdev: number): boolean {
  const major = rdev >> 8;
  return major === 4 || major === 5 || (major >= 136 && major <= 143);
}

function writeWhole(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      // The reader shares a non-blocking pipe and is slow: wait for it a little.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
