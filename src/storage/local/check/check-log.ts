// A write-ahead log of SQLite. Each frame has a checksum over itself and everything before it. SQLite takes a log up to the first frame that does
// not fit and ignores the rest silently; here that is reported. Frames of an earlier round of the log have another salt and are not a fault.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FileProblem, fileProblem } from '../../file-problems.ts';

const ATTEMPTS = 3;
const BETWEEN_ATTEMPTS_MS = 100;
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const BIG_ENDIAN_SUMS = 0x377f0683;
const LITTLE_ENDIAN_SUMS = 0x377f0682;

/** A frame that is being written does not fit yet: a fault counts when it stays. */
export async function checkLog(path: string): Promise<FileProblem[]> {
  for (let attempt = 1; ; attempt += 1) {
    const faults = await lookAtLog(path);
    if (faults.length === 0 || attempt === ATTEMPTS) return faults;
    await sleep(BETWEEN_ATTEMPTS_MS);
  }
}

async function lookAtLog(path: string): Promise<FileProblem[]> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
  if (bytes.length === 0) return [];
  if (bytes.length < HEADER_BYTES) return [fileProblem('log-cut')];
  const magic = bytes.readUInt32BE(0);
  if (magic !== BIG_ENDIAN_SUMS && magic !== LITTLE_ENDIAN_SUMS) return [fileProblem('log-without-header')];
  const isBigEndian = magic === BIG_ENDIAN_SUMS;
  const pageBytes = bytes.readUInt32BE(8);
  const salts = bytes.subarray(16, 24);
  let sums = addTo([0, 0], bytes.subarray(0, 24), isBigEndian);
  if (!isSum(bytes, 24, sums)) return [fileProblem('log-header')];
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const hasSalts = (at: number): boolean => bytes.subarray(at + 8, at + 16).equals(salts);
  const faultAt = (at: number): FileProblem =>
    fileProblem('log-frame', { frame: (at - HEADER_BYTES) / frameBytes + 1 });
  for (let at = HEADER_BYTES; at + frameBytes <= bytes.length; at += frameBytes) {
    if (!hasSalts(at)) {
      // The rest of an earlier round, unless frames of this one follow.
      for (let later = at + frameBytes; later + frameBytes <= bytes.length; later += frameBytes)
        if (hasSalts(later)) return [faultAt(at)];
      return [];
    }
    sums = addTo(sums, bytes.subarray(at, at + 8), isBigEndian);
    sums = addTo(sums, bytes.subarray(at + FRAME_HEADER_BYTES, at + frameBytes), isBigEndian);
    if (!isSum(bytes, at + 16, sums)) return [faultAt(at)];
  }
  return [];
}

type Sums = [number, number];

function addTo([one, other]: Sums, bytes: Buffer, isBigEndian: boolean): Sums {
  let first = one;
  let second = other;
  for (let at = 0; at < bytes.length; at += 8) {
    const [low, high] = isBigEndian
      ? [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
      : [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    first = (first + low + second) >>> 0;
    second = (second + high + first) >>> 0;
  }
  return [first, second];
}

function isSum(bytes: Buffer, at: number, [one, other]: Sums): boolean {
  return bytes.readUInt32BE(at) === one && bytes.readUInt32BE(at + 4) === other;
}
