// A tar archive, packed with gzip or not, as the list of what is in it. A packed one is unpacked as a stream that nobody keeps, and
// no further than a limit. A gzip file that is not a tar archive is one text.
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  LONGEST_TAR_EXTENSION,
  parseTarExtension,
  parseTarHeader,
  TAR_BLOCK,
  TarError,
  type TarExtension,
} from '../lib/tar-header.ts';
import type { ByteSource } from './byte-source.ts';
import { DocumentProblem, type OpenDocument } from './document.ts';
import { listText } from './list-text.ts';

const MOST_ENTRIES = 50_000;
const MOST_UNPACKED = 1024 * 1024 * 1024;
const LONGEST_TEXT = 8 * 1024 * 1024;
const PIECE = 256 * 1024;

interface Listed {
  name: string;
  size: number;
}

/** Skips without reading where it can. */
interface TarInput {
  read(length: number): Promise<Buffer>;
  skip(length: number): Promise<void>;
}

export async function openTar(source: ByteSource): Promise<OpenDocument> {
  let at = 0;
  const input: TarInput = {
    async read(length) {
      const bytes = source.read(at, length);
      at += length;
      return bytes;
    },
    async skip(length) {
      at += length;
    },
  };
  return asList('tar archive', await listTar(input));
}

export async function openGzip(source: ByteSource): Promise<OpenDocument> {
  const input = gunzipped(source);
  try {
    const head = await input.peek(TAR_BLOCK);
    const isTar = head.subarray(257, 262).toString('latin1') === 'ustar';
    if (isTar) return asList('tar archive (gzip)', await listTar(input));
    const bytes = await input.peek(LONGEST_TEXT);
    if (bytes.subarray(0, 65_536).includes(0))
      throw new DocumentProblem('unsupported', 'it is a file packed with gzip that holds no text');
    const more = bytes.length === LONGEST_TEXT ? '\n(the text is longer than what is read of it)' : '';
    return { label: 'text packed with gzip', count: 1, read: () => ({ text: bytes.toString('utf8') + more }) };
  } finally {
    input.close();
  }
}

function asList(label: string, { entries, isCut }: { entries: Listed[]; isCut: boolean }): OpenDocument {
  const count = isCut ? `more than ${entries.length}` : String(entries.length);
  return { label: `${label} of ${count} entries`, count: 1, read: () => ({ text: listText(entries) }) };
}

async function listTar(input: TarInput): Promise<{ entries: Listed[]; isCut: boolean }> {
  const entries: Listed[] = [];
  let extension: TarExtension = {};
  try {
    while (entries.length < MOST_ENTRIES) {
      const block = await input.read(TAR_BLOCK);
      const header = block.length === TAR_BLOCK ? parseTarHeader(block, extension) : undefined;
      if (!header) return { entries, isCut: false };
      const padded = Math.ceil(header.size / TAR_BLOCK) * TAR_BLOCK;
      if (['x', 'g', 'L'].includes(header.type) && header.size <= LONGEST_TAR_EXTENSION) {
        const bytes = (await input.read(padded)).subarray(0, header.size);
        extension = header.type === 'g' ? extension : { ...extension, ...parseTarExtension(header.type, bytes) };
        continue;
      }
      extension = {};
      entries.push({ name: header.name, size: header.size });
      await input.skip(header.type === '0' ? padded : ['1', '2', '5'].includes(header.type) ? 0 : padded);
    }
  } catch (error) {
    if (error instanceof TarError && entries.length === 0)
      throw new DocumentProblem('damaged', `it is damaged: ${error.message}`, error);
    if (!(error instanceof TarError) && !(error instanceof UnpackedTooMuch)) throw error;
  }
  return { entries, isCut: true };
}

class UnpackedTooMuch extends Error {}

function gunzipped(source: ByteSource): TarInput & { peek(length: number): Promise<Buffer>; close(): void } {
  function* pieces(): Generator<Buffer> {
    for (let at = 0; at < source.size; at += PIECE) yield source.read(at, PIECE);
  }
  const stream = Readable.from(pieces()).pipe(createGunzip({ chunkSize: 1024 * 1024 }));
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let left: Buffer = Buffer.alloc(0);
  let unpacked = 0;
  let isEnded = false;

  async function more(): Promise<boolean> {
    if (unpacked > MOST_UNPACKED) throw new UnpackedTooMuch();
    try {
      const next = isEnded ? undefined : await chunks.next();
      isEnded = next?.done !== false;
      if (!next || next.done) return false;
      unpacked += next.value.length;
      left = left.length === 0 ? next.value : Buffer.concat([left, next.value]);
      return true;
    } catch (error) {
      throw new DocumentProblem('damaged', 'it is damaged, or was cut: it cannot be unpacked', error);
    }
  }

  return {
    async peek(length) {
      while (left.length < length && (await more()));
      return left.subarray(0, length);
    },
    async read(length) {
      while (left.length < length && (await more()));
      const bytes = left.subarray(0, length);
      left = left.subarray(bytes.length);
      return bytes;
    },
    async skip(length) {
      let toSkip = length;
      for (;;) {
        const step = Math.min(toSkip, left.length);
        left = left.subarray(step);
        toSkip -= step;
        if (toSkip === 0 || !(await more())) return;
      }
    },
    close: () => stream.destroy(),
  };
}
