import { readSync } from 'node:fs';
import { DocumentProblem, type DocumentSource } from './document.ts';

/** What a reader takes into memory of one file. */
const LARGEST_BYTES = 64 * 1024 * 1024;

export interface ByteSource {
  size: number;
  /** Fewer bytes only at the end. */
  read(position: number, length: number): Buffer;
  /** Refuses more than `LARGEST_BYTES`. */
  readAll(): Buffer;
}

export function byteSource(source: DocumentSource): ByteSource {
  if ('bytes' in source) {
    const bytes = Buffer.from(source.bytes.buffer, source.bytes.byteOffset, source.bytes.byteLength);
    return { size: bytes.length, read: (at, length) => bytes.subarray(at, at + length), readAll: () => bytes };
  }
  const { fd, size } = source;
  const read = (position: number, length: number): Buffer => {
    const wanted = Math.max(0, Math.min(length, size - position));
    const buffer = Buffer.allocUnsafe(wanted);
    let done = 0;
    while (done < wanted) {
      const count = readSync(fd, buffer, done, wanted - done, position + done);
      if (count === 0) break;
      done += count;
    }
    return buffer.subarray(0, done);
  };
  return {
    size,
    read,
    readAll() {
      if (size > LARGEST_BYTES)
        throw new DocumentProblem('too_large', `it has ${size} bytes, and up to ${LARGEST_BYTES} are read`);
      return read(0, size);
    },
  };
}
