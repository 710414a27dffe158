// sessions.json, kept true beside the database at a cost that does not depend on its size: each entry has a slot of its own in
// the file with some room to grow, which is overwritten in place; a new entry, or one that has outgrown its slot, is added at
// the end; a removed one is blanked. Blank space is legal between the parts of a JSON document, so the file is whole JSON at
// any time. All of this runs inside a write transaction of the database, which knows the slots: one writer at a time. The
// database also keeps the fingerprint of the file after our last write; any other says that somebody else has written. It names the start of the
// machine too: after a power cut the file can have the size and time of our last write, and content from before it.
import {
  type BigIntStats,
  closeSync,
  fchmodSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { storageError } from '../../private-files.ts';
import type { SessionEntry } from '../../storage.ts';
import type { Prepare } from '../statements.ts';
import { INDEX_VERSION } from './parse-index.ts';

const HEAD = `{\n "version": ${INDEX_VERSION},\n "sessions": {\n`;
const TAIL = ' }\n}\n';
/** So that an entry that learns a few more facts stays where it is. */
const ROOM_BYTES = 64;
/** Blank space up to here is not worth writing the file again. */
const FREE_BYTES = 64 * 1024;
const ROWS_PER_WRITE = 1_000;

const syncData = promisify(fdatasync);

export interface IndexFile {
  /** The file is as our last write has left it. */
  isOurs(prepare: Prepare): boolean;
  /** Undefined where there is no file. */
  fingerprint(): string | undefined;
  put(prepare: Prepare, entry: SessionEntry): void;
  /** False when there is no such entry. */
  remove(prepare: Prepare, sessionKey: string): boolean;
  /** Writes the whole file from the database, durably. */
  rewrite(prepare: Prepare): void;
  /**
   * Resolves when every entry that was added or removed so far would survive a power cut. A change of an entry in its place is synced with the
   * next of these: the database has it, and wins over the older state that the file may have after a power cut.
   */
  sync(): Promise<void>;
  close(): void;
}

interface FileState {
  end: number;
  free: number;
}

export function createIndexFile(path: string, readBoot = readBootId): IndexFile {
  let file: { descriptor: number; inode: bigint } | undefined;
  let isSyncNeeded = false;
  let boot: string | undefined;

  function fingerprintOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
    boot ??= readBoot();
    return [ino, size, mtimeNs, ctimeNs, boot].join(' ');
  }

  function opened(): number {
    if (!file) {
      const descriptor = openSync(path, 'r+');
      file = { descriptor, inode: fstatSync(descriptor, { bigint: true }).ino };
    }
    return file.descriptor;
  }

  function close(): void {
    if (file) closeSync(file.descriptor);
    file = undefined;
  }

  function fingerprint(): string | undefined {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    // Another process has replaced the file.
    if (file && stats?.ino !== file.inode) close();
    return stats && fingerprintOf(stats);
  }

  function readState(prepare: Prepare): FileState {
    return prepare('SELECT end, free FROM index_file').get() as unknown as FileState;
  }

  function writeState(prepare: Prepare, { end, free }: FileState): void {
    if (free > Math.max(FREE_BYTES, end / 2)) {
      rewrite(prepare);
      return;
    }
    const print = fingerprintOf(fstatSync(opened(), { bigint: true }));
    prepare('INSERT OR REPLACE INTO index_file VALUES (1, ?, ?, ?)').run(print, end, free);
  }

  function append(prepare: Prepare, sessionKey: string, text: Buffer, { end, free }: FileState): FileState {
    const isFirst = !prepare('SELECT 1 FROM sessions WHERE slot IS NOT NULL LIMIT 1').get();
    const slot = slotOf(text, isFirst);
    writeFully(opened(), Buffer.concat([slot, Buffer.from(TAIL)]), end);
    isSyncNeeded = true;
    prepare('UPDATE sessions SET slot = ?, slot_bytes = ? WHERE key = ?').run(end, slot.length, sessionKey);
    return { end: end + slot.length, free };
  }

  function blank(prepare: Prepare, sessionKey: string, slot: number, bytes: number, state: FileState): FileState {
    writeFully(opened(), Buffer.from(`${' '.repeat(bytes - 1)}\n`), slot);
    isSyncNeeded = true;
    const before = prepare('SELECT 1 FROM sessions WHERE slot < ? LIMIT 1').get(slot);
    const next = prepare('SELECT min(slot) AS slot FROM sessions WHERE slot > ?').get(slot)?.slot;
    // What is first now has no comma before it.
    if (!before && next != null) writeFully(opened(), Buffer.from(' '), Number(next));
    prepare('UPDATE sessions SET slot = NULL WHERE key = ?').run(sessionKey);
    return { ...state, free: state.free + bytes };
  }

  function put(prepare: Prepare, entry: SessionEntry): void {
    const { sessionKey, updatedAt } = entry;
    let state = readState(prepare);
    prepare(
      `INSERT INTO sessions (key, updated_at, entry) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET updated_at = excluded.updated_at, entry = excluded.entry`,
    ).run(sessionKey, updatedAt, JSON.stringify(entry));
    const row = prepare('SELECT slot, slot_bytes FROM sessions WHERE key = ?').get(sessionKey);
    const [slot, bytes] = [row?.slot, Number(row?.slot_bytes)];
    const text = textOf(entry);
    if (slot != null && text.length + 2 <= bytes) {
      const room = Buffer.alloc(bytes - 2 - text.length, ' ');
      writeFully(opened(), Buffer.concat([text, room]), Number(slot) + 1);
    } else {
      if (slot != null) state = blank(prepare, sessionKey, Number(slot), bytes, state);
      state = append(prepare, sessionKey, text, state);
    }
    writeState(prepare, state);
  }

  function remove(prepare: Prepare, sessionKey: string): boolean {
    const row = prepare('SELECT slot, slot_bytes FROM sessions WHERE key = ?').get(sessionKey);
    if (!row) return false;
    const state = blank(prepare, sessionKey, Number(row.slot), Number(row.slot_bytes), readState(prepare));
    prepare('DELETE FROM sessions WHERE key = ?').run(sessionKey);
    writeState(prepare, state);
    return true;
  }

  function rewrite(prepare: Prepare): void {
    close();
    const temporary = join(dirname(path), `.${basename(path)}.tmp`);
    const descriptor = openSync(temporary, 'w', 0o600);
    try {
      fchmodSync(descriptor, 0o600);
      const end = writeEntries(prepare, descriptor);
      fsyncSync(descriptor);
      renameSync(temporary, path);
      syncDirectory(dirname(path));
      const print = fingerprintOf(fstatSync(descriptor, { bigint: true }));
      prepare('INSERT OR REPLACE INTO index_file VALUES (1, ?, ?, 0)').run(print, end);
    } catch (error) {
      throw storageError(path, error);
    } finally {
      closeSync(descriptor);
    }
  }

  return {
    fingerprint,
    isOurs(prepare) {
      const known = prepare('SELECT fingerprint FROM index_file').get()?.fingerprint;
      return known !== undefined && known === fingerprint();
    },
    put,
    remove,
    rewrite,
    async sync() {
      if (!file || !isSyncNeeded) return;
      isSyncNeeded = false;
      await syncData(file.descriptor).catch((error: unknown) => {
        isSyncNeeded = true;
        throw storageError(path, error);
      });
    },
    close,
  };
}

/** Returns where the last entry ends. */
function writeEntries(prepare: Prepare, file: number): number {
  const place = prepare('UPDATE sessions SET slot = ?, slot_bytes = ? WHERE key = ?');
  const page = prepare('SELECT key, entry FROM sessions WHERE key > ? ORDER BY key LIMIT ?');
  writeFully(file, Buffer.from(HEAD), 0);
  let end = HEAD.length;
  for (let rows = page.all('', ROWS_PER_WRITE); rows.length > 0; ) {
    const slots: Buffer[] = [];
    let at = end;
    for (const { key, entry } of rows) {
      const slot = slotOf(textOf(JSON.parse(String(entry)) as SessionEntry), at === HEAD.length);
      slots.push(slot);
      place.run(at, slot.length, String(key));
      at += slot.length;
    }
    writeFully(file, Buffer.concat(slots), end);
    end = at;
    rows = page.all(String(rows.at(-1)?.key), ROWS_PER_WRITE);
  }
  writeFully(file, Buffer.from(TAIL), end);
  return end;
}

/** As `JSON.stringify` would indent it. */
function textOf(entry: SessionEntry): Buffer {
  const value = JSON.stringify(entry, undefined, 1).replaceAll('\n', '\n  ');
  return Buffer.from(` ${JSON.stringify(entry.sessionKey)}: ${value}`);
}

function slotOf(text: Buffer, isFirst: boolean): Buffer {
  return Buffer.concat([Buffer.from(isFirst ? ' ' : ','), text, Buffer.from(`${' '.repeat(ROOM_BYTES)}\n`)]);
}

/** Another after every start of the machine; empty where the system has none. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}

function writeFully(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, position + done);
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
