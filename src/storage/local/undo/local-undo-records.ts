// What undo keeps: <home>/undo/undo.db, private to the user. Contents are stored once each under their SHA-256,
// compressed where that is worth it; a turn is a list of changes that name two of them. One transaction per change, on
// disk before `add` resolves. The oldest turns are dropped when the whole exceeds its bounds in bytes or age.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { storageError } from '../../private-files.ts';
import {
  type Content,
  type NamedChange,
  nameStates,
  type Packed,
  pack,
  recordedState,
  unpack,
} from '../../undo-content.ts';
import type { RecordedChange, TurnScope, UndoRecords } from '../../undo-records.ts';
import { createDatabase } from '../database.ts';
import { eraseRemoved } from '../erase-removed.ts';
import type { LocalLocks } from '../locks.ts';
import { inTransaction, type Migration, type Schema } from '../open-database.ts';
import { redactUndo } from './redact.ts';

export interface LocalUndoRecordsOptions {
  home: string;
  locks: Pick<LocalLocks, 'verify'>;
  now(): number;
  /** Of everything stored, as stored. */
  maxBytes?: number;
  maxAgeMs?: number;
  /** Called before the database of an earlier version gets new tables, with that version. */
  beforeMigration?(version: number): Promise<void>;
}

const MAX_BYTES = 256 * 1024 * 1024;
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
// Space given back by pruning has to leave the file, or the bound would hold for nothing.
export const PRAGMAS = 'PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL';

const STEPS: readonly Migration[] = [
  (db) =>
    db.exec(`
      CREATE TABLE IF NOT EXISTS contents (sha256 TEXT PRIMARY KEY, bytes INTEGER NOT NULL, encoding TEXT NOT NULL, data BLOB NOT NULL);
      CREATE TABLE IF NOT EXISTS turns (
        number INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, turn_id TEXT NOT NULL, root TEXT NOT NULL,
        recorded_at INTEGER NOT NULL, undoes TEXT, UNIQUE (session_id, turn_id));
      CREATE TABLE IF NOT EXISTS changes (
        number INTEGER PRIMARY KEY AUTOINCREMENT, turn INTEGER NOT NULL REFERENCES turns (number) ON DELETE CASCADE,
        kind TEXT NOT NULL, tool TEXT NOT NULL, path TEXT NOT NULL,
        before_sha256 TEXT, before_mode INTEGER, after_sha256 TEXT, after_mode INTEGER);
      CREATE INDEX IF NOT EXISTS changes_of_turn ON changes (turn);
      CREATE INDEX IF NOT EXISTS changes_by_after ON changes (after_sha256);
      CREATE INDEX IF NOT EXISTS changes_by_before ON changes (before_sha256);
    `),
];
export const SCHEMA: Schema = { version: STEPS.length, steps: async () => STEPS };

export interface LocalUndoRecords extends UndoRecords {
  erase(): Promise<void>;
  close(): Promise<void>;
}

export function createLocalUndoRecords(options: LocalUndoRecordsOptions): LocalUndoRecords {
  const { home, locks, now, maxBytes = MAX_BYTES, maxAgeMs = MAX_AGE_MS, beforeMigration } = options;
  const path = join(home, 'undo', 'undo.db');
  const { use, close } = createDatabase({ path, schema: SCHEMA, pragmas: PRAGMAS, beforeMigration });

  /** What is stored already is not stored again. */
  async function unknownContents(named: readonly NamedChange[]): Promise<Content[]> {
    const states = named.flatMap(({ before, after }) => [before, after]).filter((state) => state !== undefined);
    const distinct = [...new Map(states.map((state) => [state.sha256, state])).values()];
    const unknown = await use((db) => distinct.filter(({ sha256 }) => !hasContent(db, sha256)));
    return Promise.all(
      unknown.map(async ({ sha256, bytes, packing }) => ({ sha256, ...(await (packing ?? pack(bytes))) })),
    );
  }

  return {
    async add(scope, changes, { undoes, notCovered, fence } = {}) {
      const named = await Promise.all(changes.map(nameStates));
      const contents = await unknownContents(named);
      const dropped = await use((db) =>
        inTransaction(db, () => {
          locks.verify(fence);
          const { number, isNew } = turnNumber(db, scope, now(), undoes);
          for (const content of contents) putContent(db, content);
          for (const change of named) putChange(db, number, change);
          if (notCovered !== undefined) putNotCovered(db, number, notCovered);
          // Once a turn is enough: what one turn adds is bounded by its own limits.
          return isNew && prune(db, { keep: number, before: now() - maxAgeMs, maxBytes });
        }),
      );
      if (dropped) await use((db) => db.exec('PRAGMA incremental_vacuum'));
    },

    turns: (sessionId) =>
      use((db) => {
        const rows = db.prepare('SELECT * FROM turns WHERE session_id = ? ORDER BY number').all(sessionId);
        return rows.map((row) => ({
          number: row.number as number,
          sessionId: row.session_id as string,
          turnId: row.turn_id as string,
          root: row.root as string,
          recordedAt: row.recorded_at as number,
          undoes: (row.undoes ?? undefined) as string | undefined,
        }));
      }),

    changes: ({ number }) =>
      use((db) => {
        const rows = db.prepare('SELECT * FROM changes WHERE turn = ? ORDER BY number').all(number);
        return rows.map((row) => ({
          kind: row.kind as RecordedChange['kind'],
          tool: row.tool as string,
          path: row.path as string,
          before: recordedState(row.before_sha256, row.before_mode),
          after: recordedState(row.after_sha256, row.after_mode),
        }));
      }),

    whoLeft: (root, changed, sha256) =>
      use((db) => {
        const row = db
          .prepare(
            `SELECT turn_id FROM changes JOIN turns ON turns.number = changes.turn
             WHERE after_sha256 = ? AND path = ? AND root = ? ORDER BY changes.number DESC LIMIT 1`,
          )
          .get(sha256, changed, root);
        return row?.turn_id as string | undefined;
      }),

    async content(sha256) {
      const row = await use((db) => db.prepare('SELECT encoding, data FROM contents WHERE sha256 = ?').get(sha256));
      if (!row) throw storageError(path, new Error(`the content ${sha256} is missing`));
      return unpack(row as unknown as Packed);
    },

    copy: (from, to, turnIds) => use((db) => inTransaction(db, () => copyTurns(db, from, to, turnIds))),
    forgetSession: (sessionId) =>
      use((db) =>
        inTransaction(db, () => {
          db.prepare('DELETE FROM turns WHERE session_id = ?').run(sessionId);
          dropUnused(db);
        }),
      ),
    forgetFiles: ({ sessionId, turnId }, paths, fence) =>
      use((db) =>
        inTransaction(db, () => {
          locks.verify(fence);
          const remove = db.prepare(
            `DELETE FROM changes WHERE kind = 'file' AND path = ? AND
             turn = (SELECT number FROM turns WHERE session_id = ? AND turn_id = ?)`,
          );
          for (const changed of paths) remove.run(changed, sessionId, turnId);
          dropUnused(db);
        }),
      ),
    redact: (redaction, mode) => redactUndo(use, redaction, mode, dropUnused),
    erase: () => eraseRemoved(use, path),
    forget: ({ sessionId, turnId }) =>
      use((db) => {
        db.prepare('DELETE FROM turns WHERE session_id = ? AND turn_id = ?').run(sessionId, turnId);
        dropUnused(db);
      }),

    close,
  };
}

function turnNumber(
  db: DatabaseSync,
  { sessionId, turnId, root }: TurnScope,
  now: number,
  undoes: string | undefined,
): { number: number; isNew: boolean } {
  const known = db.prepare('SELECT number FROM turns WHERE session_id = ? AND turn_id = ?').get(sessionId, turnId);
  if (known) return { number: known.number as number, isNew: false };
  const added = db
    .prepare('INSERT INTO turns (session_id, turn_id, root, recorded_at, undoes) VALUES (?, ?, ?, ?, ?)')
    .run(sessionId, turnId, root, now, undoes ?? null);
  return { number: Number(added.lastInsertRowid), isNew: true };
}

function hasContent(db: DatabaseSync, sha256: string): boolean {
  return db.prepare('SELECT 1 FROM contents WHERE sha256 = ?').get(sha256) !== undefined;
}

function putContent(db: DatabaseSync, { sha256, encoding, data }: Content): void {
  db.prepare('INSERT OR IGNORE INTO contents (sha256, bytes, encoding, data) VALUES (?, ?, ?, ?)').run(
    sha256,
    data.length,
    encoding,
    data,
  );
}

function putChange(db: DatabaseSync, turn: number, { change, before, after }: NamedChange): void {
  for (const state of [before, after]) {
    // Pruned by another process since it was looked for.
    if (state && !hasContent(db, state.sha256)) {
      putContent(db, { sha256: state.sha256, encoding: 'plain', data: state.bytes });
    }
  }
  const insert = db.prepare(
    `INSERT INTO changes (turn, kind, tool, path, before_sha256, before_mode, after_sha256, after_mode)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const { tool, path, madeDirectories } = change;
  for (const directory of madeDirectories) insert.run(turn, 'made-directory', tool, directory, null, null, null, null);
  const states = [before, after].flatMap((state) => [state?.sha256 ?? null, state?.mode ?? null]);
  insert.run(turn, 'file', tool, path, ...states);
}

function putNotCovered(db: DatabaseSync, turn: number, reason: string): void {
  db.prepare(`INSERT INTO changes (turn, kind, tool, path) VALUES (?, 'not-covered', 'bash', ?)`).run(turn, reason);
}

function copyTurns(db: DatabaseSync, from: string, to: string, turnIds: ReadonlySet<string>): void {
  const insertTurn = db.prepare(
    `INSERT OR IGNORE INTO turns (session_id, turn_id, root, recorded_at, undoes)
     SELECT ?, turn_id, root, recorded_at, undoes FROM turns WHERE number = ?`,
  );
  const insertChanges = db.prepare(
    `INSERT INTO changes (turn, kind, tool, path, before_sha256, before_mode, after_sha256, after_mode)
     SELECT ?, kind, tool, path, before_sha256, before_mode, after_sha256, after_mode FROM changes WHERE turn = ? ORDER BY number`,
  );
  const copied = new Set(turnIds);
  const turns = db
    .prepare('SELECT number, turn_id, undoes FROM turns WHERE session_id = ? ORDER BY number')
    .all(from) as unknown as { number: number; turn_id: string; undoes: string | null }[];
  for (const { number, turn_id, undoes } of turns) {
    if (!copied.has(turn_id) && !(undoes !== null && copied.has(undoes))) continue;
    copied.add(turn_id);
    const { lastInsertRowid, changes } = insertTurn.run(to, number);
    if (changes > 0) insertChanges.run(lastInsertRowid, number);
  }
}

interface PruneOptions {
  /** Number of the turn that is being recorded. */
  keep: number;
  before: number;
  maxBytes: number;
}

/** True when something was dropped. */
function prune(db: DatabaseSync, { keep, before, maxBytes }: PruneOptions): boolean {
  const old = db.prepare('DELETE FROM turns WHERE recorded_at < ? AND number <> ?').run(before, keep);
  let dropped = Number(old.changes);
  if (dropped > 0) dropUnused(db);
  // An eighth more than needed, so that a full store is not pruned at every turn.
  const goal = storedBytes(db) > maxBytes ? maxBytes * (7 / 8) : maxBytes;
  while (storedBytes(db) > goal) {
    const oldest = db.prepare('SELECT number FROM turns WHERE number <> ? ORDER BY number LIMIT 1').get(keep);
    if (!oldest) break;
    db.prepare('DELETE FROM turns WHERE number = ?').run(oldest.number as number);
    dropUnused(db);
    dropped += 1;
  }
  return dropped > 0;
}

function storedBytes(db: DatabaseSync): number {
  return (db.prepare('SELECT coalesce(sum(bytes), 0) AS total FROM contents').get()?.total ?? 0) as number;
}

function dropUnused(db: DatabaseSync): void {
  db.exec(`DELETE FROM contents WHERE
    NOT EXISTS (SELECT 1 FROM changes WHERE before_sha256 = sha256) AND
    NOT EXISTS (SELECT 1 FROM changes WHERE after_sha256 = sha256)`);
}
