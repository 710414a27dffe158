// A zip archive: its list from the directory at its end, and entries unpacked one at a time. Nothing that the archive says of
// itself is trusted with memory: an entry is unpacked to at most what it declares, and that is limited, also over all entries.
import { crc32, inflateRawSync } from 'node:zlib';
import type { ByteSource } from './byte-source.ts';
import { DocumentProblem } from './document.ts';
import { charsetOf } from './text-charset.ts';

const LARGEST_ENTRY = 64 * 1024 * 1024;
const LARGEST_TOTAL = 160 * 1024 * 1024;
const LARGEST_DIRECTORY = 32 * 1024 * 1024;
const END_BYTES = 22;
const LONGEST_COMMENT = 65_535;
const END = 0x06054b50;
const END_64_LOCATOR = 0x07064b50;
const END_64 = 0x06064b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;
const NAMES_LOOKED_AT = 1_000;
const LINE_END = Buffer.from('\n');

export interface ZipEntry {
  name: string;
  /** As the archive declares it. */
  size: number;
  packedSize: number;
  isEncrypted: boolean;
  method: number;
  sum: number;
  at: number;
}

export interface Zip {
  entries: readonly ZipEntry[];
  has(name: string): boolean;
  /** Throws `DocumentProblem` where there is none. */
  read(name: string): Buffer;
}

export function openZip(source: ByteSource): Zip {
  const entries = readDirectory(source);
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  let total = 0;
  return {
    entries,
    has: (name) => byName.has(name),
    read(name) {
      const entry = byName.get(name);
      if (!entry) throw new DocumentProblem('damaged', `it is damaged: its part ${name} is missing`);
      total += entry.size;
      if (entry.size > LARGEST_ENTRY || entry.packedSize > LARGEST_ENTRY || total > LARGEST_TOTAL)
        throw new DocumentProblem(
          'too_large',
          `it unpacks to more than is read of a document (${entry.size} bytes in ${name})`,
        );
      return unpacked(source, entry);
    },
  };
}

function unpacked(source: ByteSource, entry: ZipEntry): Buffer {
  if (entry.isEncrypted) throw new DocumentProblem('locked', 'it is protected by a password: save a copy without one');
  const header = source.read(entry.at, 30);
  if (header.length < 30 || header.readUInt32LE(0) !== LOCAL) throw damaged(entry.name);
  const from = entry.at + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = source.read(from, entry.packedSize);
  const bytes = entry.method === STORED ? packed : inflated(packed, entry);
  if (bytes.length !== entry.size || crc32(bytes) !== entry.sum) throw damaged(entry.name);
  return bytes;
}

function inflated(packed: Buffer, { name, size, method }: ZipEntry): Buffer {
  if (method !== DEFLATED)
    throw new DocumentProblem('unsupported', `its part ${name} is packed in a way that is not read`);
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    throw damaged(name, error);
  }
}

function readDirectory(source: ByteSource): ZipEntry[] {
  const { at, length, count } = findDirectory(source);
  if (length > LARGEST_DIRECTORY)
    throw new DocumentProblem('too_large', `its list of ${count} entries is longer than what is read of one`);
  const bytes = source.read(at, length);
  const entries: ZipEntry[] = [];
  const names: Buffer[] = [];
  for (let from = 0; from + 46 <= bytes.length && bytes.readUInt32LE(from) === ENTRY; ) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((place) => bytes.readUInt16LE(from + place)) as [
      number,
      number,
      number,
    ];
    const flags = bytes.readUInt16LE(from + 8);
    const extra = bytes.subarray(from + 46 + nameLength, from + 46 + nameLength + extraLength);
    const sizes = {
      size: bytes.readUInt32LE(from + 24),
      packedSize: bytes.readUInt32LE(from + 20),
      at: bytes.readUInt32LE(from + 42),
    };
    names.push(bytes.subarray(from + 46, from + 46 + nameLength));
    entries.push({
      name: '',
      ...large(sizes, extra),
      isEncrypted: (flags & 1) !== 0,
      method: bytes.readUInt16LE(from + 10),
      sum: bytes.readUInt32LE(from + 16),
    });
    from += 46 + nameLength + extraLength + commentLength;
  }
  if (entries.length === 0 && count > 0) throw damaged();
  const decoder = nameDecoder(names);
  return entries.map((entry, index) => ({ ...entry, name: decoder.decode(names[index]) }));
}

/** Windows writes names in the charset of its language: all of them tell which. */
function nameDecoder(names: readonly Buffer[]): InstanceType<typeof TextDecoder> {
  const charset = charsetOf(Buffer.concat(names.slice(0, NAMES_LOOKED_AT).flatMap((name) => [name, LINE_END])));
  return new TextDecoder(charset.startsWith('utf-16') ? 'utf-8' : charset);
}

/** Numbers that do not fit are in the extra field, in this order. */
function large(sizes: Pick<ZipEntry, 'size' | 'packedSize' | 'at'>, extra: Buffer): typeof sizes {
  const found = { ...sizes };
  for (let from = 0; from + 4 <= extra.length; from += 4 + extra.readUInt16LE(from + 2)) {
    if (extra.readUInt16LE(from) !== 1) continue;
    let at = from + 4;
    for (const key of ['size', 'packedSize', 'at'] as const) {
      if (found[key] !== 0xffffffff || at + 8 > extra.length) continue;
      found[key] = Number(extra.readBigUInt64LE(at));
      at += 8;
    }
  }
  return found;
}

function findDirectory(source: ByteSource): { at: number; length: number; count: number } {
  const tailAt = Math.max(0, source.size - END_BYTES - LONGEST_COMMENT);
  const tail = source.read(tailAt, source.size - tailAt);
  for (let from = tail.length - END_BYTES; from >= 0; from -= 1) {
    if (tail.readUInt32LE(from) !== END) continue;
    const found = {
      count: tail.readUInt16LE(from + 10),
      length: tail.readUInt32LE(from + 12),
      at: tail.readUInt32LE(from + 16),
    };
    const isLarge = found.at === 0xffffffff || found.length === 0xffffffff || found.count === 0xffff;
    const locator =
      from >= 20 && tail.readUInt32LE(from - 20) === END_64_LOCATOR ? tail.subarray(from - 20, from) : undefined;
    if (!isLarge || !locator) return found;
    const end = source.read(Number(locator.readBigUInt64LE(8)), 56);
    if (end.length < 56 || end.readUInt32LE(0) !== END_64) throw damaged();
    const [count, length, at] = [32, 40, 48].map((place) => Number(end.readBigUInt64LE(place))) as [
      number,
      number,
      number,
    ];
    return { count, length, at };
  }
  throw damaged();
}

function damaged(name?: string, cause?: unknown): DocumentProblem {
  const where = name === undefined ? 'its list of entries' : `its part ${name}`;
  return new DocumentProblem('damaged', `it is damaged, or was cut: ${where} cannot be read`, cause);
}
