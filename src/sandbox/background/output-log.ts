// What a command in the background has printed, in two files that take turns: when the newer one is full, it takes the place of the
// older one. So the end of the output is always there, and no command fills the disk.
import { closeSync, constants, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';

export interface OutputLog {
  /** Bytes printed so far, those that are gone included. */
  readonly total: number;
  /** Never throws: what cannot be written is counted and gone. */
  append(chunk: Buffer): void;
  /** From a number of bytes on, at most `maxBytes`, the newest of them. `skipped`: bytes between that are not in the text. */
  read(since: number, maxBytes: number): { text: string; skipped: number };
  close(): void;
}

const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

interface Part {
  fd: number;
  /** Where it begins in the whole output. */
  start: number;
  length: number;
}

/** `path` must not exist. The files are `path` and `path.1`, each half of `maxBytes`. */
export function createOutputLog(path: string, maxBytes: number): OutputLog {
  const half = Math.floor(maxBytes / 2);
  let total = 0;
  let newer: Part = { fd: openSync(path, FLAGS, 0o600), start: 0, length: 0 };
  let older: Part | undefined;
  let isClosed = false;

  function turn(): void {
    if (older) closeSync(older.fd);
    renameSync(path, `${path}.1`);
    older = newer;
    newer = { fd: openSync(path, FLAGS, 0o600), start: total, length: 0 };
  }

  function write(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (newer.length >= half) turn();
      const piece = chunk.subarray(at, at + half - newer.length);
      writeSync(newer.fd, piece, 0, piece.length, newer.length);
      newer.length += piece.length;
      total += piece.length;
      at += piece.length;
    }
  }

  function readPart({ fd, start, length }: Part, from: number): Buffer {
    const skip = Math.max(from - start, 0);
    const bytes = Buffer.alloc(Math.max(length - skip, 0));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, skip));
  }

  return {
    get total() {
      return total;
    },
    append(chunk) {
      if (isClosed) return;
      try {
        write(chunk);
      } catch {
        // A full disk must not end the command. The text after the gap begins a part of its own.
        total += chunk.length;
        older = undefined;
        newer = { ...newer, start: total, length: 0 };
      }
    },
    read(since, maxBytes) {
      const wanted = Math.max(since, total - maxBytes, 0);
      const parts = [...(older ? [older] : []), newer];
      const first = Math.max(wanted, parts[0]?.start ?? 0);
      const bytes = isClosed ? Buffer.alloc(0) : Buffer.concat(parts.map((part) => readPart(part, first)));
      // A cut character at either side reads as U+FFFD; at the beginning it is left out.
      const text = bytes.toString('utf8');
      return {
        text: first > since ? text.replace(/^\ufffd+/, '') : text,
        skipped: Math.max(first - Math.min(since, total), 0),
      };
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      closeSync(newer.fd);
      if (older) closeSync(older.fd);
    },
  };
}

/** Removes the files of a log that nobody reads any more. */
export function removeOutputLog(path: string): void {
  for (const each of [path, `${path}.1`]) rmSync(each, { force: true });
}
