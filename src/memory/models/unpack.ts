// Unpacks the wanted files of a .tar.gz as it arrives, by default those that can belong to a model. Makes only plain files, each at a safe path below
// the given directory; their total size is limited.

import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  LONGEST_TAR_EXTENSION,
  parseTarExtension,
  parseTarHeader,
  TAR_BLOCK,
  TarError,
  type TarExtension,
} from '../../lib/tar-header.ts';
import { MemoryError } from '../memory-error.ts';
import { copyStream } from './copy-file.ts';

const MOST_ENTRIES = 20_000;
const MODEL_FILES = /(^|\/)[^/]+\.(json|onnx|onnx_data(_\d+)?|onnx\.data|safetensors)$/;

export interface UnpackOptions {
  directory: string;
  limit: number;
  from: string;
  signal?: AbortSignal;
  /** The paths that are unpacked; by default those that can belong to a model. */
  wanted?: RegExp;
}

/** Returns the paths of the unpacked files. */
export async function unpack(archive: AsyncIterable<Uint8Array>, options: UnpackOptions): Promise<string[]> {
  const { directory, from, signal, wanted = MODEL_FILES } = options;
  const unpacked = createGunzip();
  // The reader gets the error.
  pipeline(Readable.from(archive), unpacked, () => {});
  const reader = createReader(unpacked);
  const paths: string[] = [];
  let left = options.limit;
  let extension: TarExtension = {};
  try {
    for (let entries = 0; ; entries += 1) {
      signal?.throwIfAborted();
      if (entries > MOST_ENTRIES) throw new TarError(`it has more than ${MOST_ENTRIES} entries`);
      const block = await reader.exactly(TAR_BLOCK);
      const header = block && parseTarHeader(block, extension);
      if (!header) break;
      const padded = Math.ceil(header.size / TAR_BLOCK) * TAR_BLOCK;
      if ('xgL'.includes(header.type)) {
        if (header.size > LONGEST_TAR_EXTENSION) throw new TarError('a header is too long');
        const bytes = await reader.exactly(padded);
        if (!bytes) throw new TarError('it ends too early');
        extension = { ...extension, ...parseTarExtension(header.type, bytes.subarray(0, header.size)) };
        continue;
      }
      extension = {};
      const path = safePath(header.name);
      if (header.type !== '0' || path === undefined || !wanted.test(path) || paths.includes(path)) {
        for await (const _ of reader.stream(padded));
        continue;
      }
      const { bytes } = await copyStream(reader.stream(header.size), { directory, path, limit: left, from, signal });
      for await (const _ of reader.stream(padded - header.size));
      left -= bytes;
      paths.push(path);
    }
    return paths;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof MemoryError) throw error;
    const why = error instanceof TarError ? error.message : `it is not a .tar.gz (${(error as Error).message})`;
    throw new MemoryError('MEMORY_MODEL', `${from} cannot be unpacked: ${why}`, error);
  } finally {
    unpacked.destroy();
  }
}

/** Undefined for a path that could lead outside. */
function safePath(name: string): string | undefined {
  const path = name.replace(/^(\.\/)+/, '');
  const parts = path.split('/');
  return parts.some((part) => part === '' || part === '.' || part === '..' || /[\\:\0]/.test(part)) ? undefined : path;
}

function createReader(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  async function* stream(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (rest.length === 0) {
        const next = await chunks.next();
        if (next.done) throw new TarError('it ends too early');
        rest = next.value;
      }
      const part = rest.subarray(0, left);
      rest = rest.subarray(part.length);
      left -= part.length;
      if (part.length > 0) yield part;
    }
  }

  return {
    stream,
    /** Undefined at the end. */
    async exactly(length: number): Promise<Buffer | undefined> {
      if (rest.length === 0) {
        const next = await chunks.next();
        if (next.done) return undefined;
        rest = next.value;
      }
      return Buffer.concat(await Array.fromAsync(stream(length)));
    },
  };
}
