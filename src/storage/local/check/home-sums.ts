// What the home looked like when the last automatic backup was made: `backups/home-sums.jsonl`, a line a file with its size, its time of change and its
// SHA-256. A file whose time is still the same must have the same bytes: a disk that loses a bit does not change the time, a program that
// writes does. The last line seals the record itself.
import { createHash, type Hash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '../../private-files.ts';

const PATH = 'backups/home-sums.jsonl';
const VERSION = 1;

export interface FileSum {
  path: string;
  /** Of a file of lines: up to its last newline. A line that was cut off is removed by the next writer. */
  size: number;
  /** In nanoseconds. */
  changedAt: string;
  sha256: string;
}

export interface HomeSums {
  createdAt: string;
  /** The name of the backup in `backups/`. */
  backup: string;
  files: ReadonlyMap<string, FileSum>;
}

/** Undefined where there is none. Throws when it was changed. */
export async function readSums(home: string): Promise<HomeSums | undefined> {
  const text = await readFile(join(home, PATH), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const end = text.lastIndexOf('\n', text.length - 2) + 1;
  const sealed = text.slice(0, end);
  try {
    const { sha256 } = JSON.parse(text.slice(end)) as { sha256?: unknown };
    if (sha256 !== createHash('sha256').update(sealed).digest('hex')) throw new Error('its seal does not fit');
    const [first = '', ...rest] = sealed.trimEnd().split('\n');
    const { version, createdAt, backup } = JSON.parse(first) as { version: number } & Omit<HomeSums, 'files'>;
    if (version !== VERSION) return undefined;
    const files = rest.map((line) => JSON.parse(line) as FileSum);
    return { createdAt, backup, files: new Map(files.map((file) => [file.path, file])) };
  } catch (error) {
    throw new DamagedSums((error as Error).message);
  }
}

export const SUMS_PATH = PATH;
export class DamagedSums extends Error {}

/** Files that change while they are read are left out. */
export async function writeSums(
  home: string,
  paths: readonly string[],
  { createdAt, backup, signal }: Omit<HomeSums, 'files'> & { signal: AbortSignal },
): Promise<void> {
  const files: FileSum[] = [];
  for (const path of paths) {
    signal.throwIfAborted();
    const sum = await sumOf(home, path);
    if (sum) files.push(sum);
  }
  await writeRecord(home, { createdAt, backup }, files);
}

/** The next check does not compare these. Nothing happens where there is no record, or a damaged one. */
export async function dropSums(home: string, paths: ReadonlySet<string>): Promise<void> {
  const sums = await readSums(home).catch(() => undefined);
  if (!sums || ![...paths].some((path) => sums.files.has(path))) return;
  await writeRecord(
    home,
    sums,
    [...sums.files.values()].filter(({ path }) => !paths.has(path)),
  );
}

async function writeRecord(
  home: string,
  { createdAt, backup }: Omit<HomeSums, 'files'>,
  files: readonly FileSum[],
): Promise<void> {
  const lines = [{ version: VERSION, createdAt, backup }, ...files].map((line) => JSON.stringify(line));
  const sealed = `${lines.join('\n')}\n`;
  const sha256 = createHash('sha256').update(sealed).digest('hex');
  await writeAtomically(join(home, PATH), `${sealed}${JSON.stringify({ sha256 })}\n`);
}

async function sumOf(home: string, path: string): Promise<FileSum | undefined> {
  const before = stateOf(join(home, path));
  if (!before) return undefined;
  const location = join(home, path);
  const sizeNow = path.endsWith('.jsonl') ? wholeLines(location, before.size) : Promise.resolve(before.size);
  const size = await sizeNow.catch(() => undefined);
  if (size === undefined) return undefined;
  const sha256 = await hashOf(location, size).catch(() => undefined);
  const after = stateOf(join(home, path));
  if (sha256 === undefined || after?.changedAt !== before.changedAt || after.size !== before.size) return undefined;
  return { path, ...before, size, sha256 };
}

const BLOCK_BYTES = 1 << 16;

/** The bytes up to the last newline. */
async function wholeLines(path: string, size: number): Promise<number> {
  const file = await open(path, 'r');
  try {
    for (let end = size; end > 0; end -= BLOCK_BYTES) {
      const start = Math.max(0, end - BLOCK_BYTES);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
      const newline = buffer.subarray(0, bytesRead).lastIndexOf(0x0a);
      if (newline >= 0) return start + newline + 1;
    }
    return 0;
  } finally {
    await file.close();
  }
}

export function stateOf(path: string): { size: number; changedAt: string } | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && { size: Number(stats.size), changedAt: String(stats.mtimeNs) };
}

/** Of the first `bytes` of a file. */
export async function hashOf(path: string, bytes: number): Promise<string> {
  const hash: Hash = createHash('sha256');
  if (bytes === 0) return hash.digest('hex');
  for await (const block of createReadStream(path, { highWaterMark: 1 << 20, end: bytes - 1 }))
    hash.update(block as Buffer);
  return hash.digest('hex');
}
