// What the disk under the home does: room, replacing files, syncing, and SQLite's log.
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { monotonicMs } from '../../lib/monotonic.ts';
import { messageOf, type SelftestCheck } from './check.ts';

const MEGABYTE = 1024 * 1024;
const LEAST_FREE = 100 * MEGABYTE;
const LEAST_INODES = 1_000;
const SYNCS = 20;
/** No disk answers sooner: only memory, or a layer that does not pass the sync on. */
const TOO_FAST_MS = 0.02;
const SLOW_MS = 50;
const REPLACEMENTS = 200;

/** `statfs` numbers of file systems that are not on a disk of this machine. */
const IN_MEMORY: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);
const OVER_NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9p'],
]);

export function checkRoom(directory: string): SelftestCheck {
  const name = 'room';
  const { bsize, bavail, files, ffree, type } = statfsSync(directory);
  const free = bsize * bavail;
  const told = `${Math.floor(free / MEGABYTE)} MB free${files > 0 ? `, room for ${ffree} files` : ''}`;
  if (free < LEAST_FREE || (files > 0 && ffree < LEAST_INODES))
    return { name, state: 'problem', message: `only ${told}` };
  if (IN_MEMORY.has(type))
    return { name, state: 'advice', message: `${told}; this is memory, not a disk: nothing survives a restart` };
  const network = OVER_NETWORK.get(type);
  if (network)
    return { name, state: 'advice', message: `${told}; it is a ${network} file system: locks depend on its server` };
  return { name, state: 'ok', message: told };
}

/** Syncs that return sooner than a disk can answer have not reached one. That they do arrive only a power cut can prove. */
export function checkSync(directory: string): SelftestCheck {
  const name = 'sync';
  const file = openSync(join(directory, 'sync'), 'w', 0o600);
  const folder = openSync(directory, 'r');
  try {
    const times: number[] = [];
    for (let count = 0; count < SYNCS; count += 1) {
      writeSync(file, `${count}\n`);
      const begun = monotonicMs();
      fdatasyncSync(file);
      times.push(monotonicMs() - begun);
    }
    fsyncSync(folder);
    const median = times.toSorted((one, other) => one - other)[SYNCS / 2] ?? 0;
    const told = `${median.toFixed(2)} ms for a sync`;
    if (median < TOO_FAST_MS)
      return {
        name,
        state: 'advice',
        message: `${told}: too fast for a disk, so a power cut may lose what was stored`,
      };
    if (median > SLOW_MS) return { name, state: 'advice', message: `${told}: every turn waits for several of them` };
    return { name, state: 'ok', message: told };
  } finally {
    closeSync(file);
    closeSync(folder);
  }
}

/** A reader must see the old or the new file, whole. */
export function checkReplacing(directory: string): SelftestCheck {
  const name = 'replace';
  const path = join(directory, 'replaced');
  const text = (number: number): string => `${number} `.repeat(2_000);
  writeFileSync(path, text(0), { mode: 0o600 });
  for (let number = 1; number <= REPLACEMENTS; number += 1) {
    const reader = openSync(path, 'r');
    try {
      writeFileSync(`${path}.new`, text(number), { mode: 0o600 });
      renameSync(`${path}.new`, path);
      if (readFileSync(reader, 'utf8') !== text(number - 1))
        return { name, state: 'problem', message: 'a reader lost the file that it had open when it was replaced' };
    } finally {
      closeSync(reader);
    }
    if (readFileSync(path, 'utf8') !== text(number))
      return { name, state: 'problem', message: 'a replaced file was not the new one' };
  }
  const mode = statSync(path).mode & 0o777;
  if (mode !== 0o600)
    return { name, state: 'advice', message: `files are whole, but not private: their mode is ${mode.toString(8)}` };
  return { name, state: 'ok', message: 'files are replaced whole, and are private' };
}

export function checkDatabase(directory: string): SelftestCheck {
  const name = 'database';
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const path = join(directory, 'test.db');
  try {
    const writer = new DatabaseSync(path);
    const mode = String(writer.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode);
    writer.exec(
      'PRAGMA synchronous = FULL; CREATE TABLE words (word TEXT); BEGIN IMMEDIATE; INSERT INTO words VALUES (1)',
    );
    const reader = new DatabaseSync(path, { readOnly: true });
    const before = reader.prepare('SELECT count(*) AS n FROM words').get()?.n;
    writer.exec('COMMIT');
    const after = reader.prepare('SELECT count(*) AS n FROM words').get()?.n;
    reader.close();
    writer.close();
    if (before !== 0 || after !== 1)
      return { name, state: 'problem', message: 'a reader saw a change before its commit' };
    if (mode !== 'wal')
      return {
        name,
        state: 'advice',
        message: `SQLite works without its write-ahead log (${mode}): writers wait for readers`,
      };
    return { name, state: 'ok', message: 'SQLite works, with its write-ahead log' };
  } catch (error) {
    return { name, state: 'problem', message: messageOf(error) };
  }
}
