// What undo keeps, in PostgreSQL. Contents are stored once each under their SHA-256. A content that a record needs is locked before the record is written, and
// one that seems unused is locked before it is looked at again and removed: so none disappears under a record. The oldest turns are dropped by age, and by size.
import { StorageError } from '../../storage.ts';
import { type NamedChange, nameStates, type Packed, pack, recordedState, unpack } from '../../undo-content.ts';
import type { RecordedChange, TurnScope, UndoRecords } from '../../undo-records.ts';
import type { PostgresDatabase, Query } from '../database.ts';
import type { Fencing } from '../fencing.ts';
import { withoutZeros } from '../zero-bytes.ts';
import { redactUndo } from './redact.ts';
import { dropUnused, removeTurns } from './remove.ts';

export interface PostgresUndoRecordsOptions {
  database: PostgresDatabase;
  fencing: Fencing;
  now(): number;
  /** Of everything stored, as stored. */
  maxBytes?: number;
  maxAgeMs?: number;
}

const MAX_BYTES = 4 * 1024 * 1024 * 1024;
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;
/** Adding up what is stored reads every row, so it is not done for each turn. */
const TURNS_A_SIZE_CHECK = 64;
const TURNS_DROPPED_AT_ONCE = 100;

export function createPostgresUndoRecords(options: PostgresUndoRecordsOptions): UndoRecords {
  const { database, fencing, now, maxBytes = MAX_BYTES, maxAgeMs = MAX_AGE_MS } = options;
  const { query, transaction } = database;

  async function prune(turn: number): Promise<void> {
    const old =
      'SELECT number FROM lainclaw.undo_turns WHERE recorded_at < $1 AND number <> $2 ORDER BY number LIMIT $3';
    await transaction((inside) => removeTurns(inside, old, [now() - maxAgeMs, turn, TURNS_DROPPED_AT_ONCE]));
    if (turn % TURNS_A_SIZE_CHECK !== 0) return;
    const oldest = 'SELECT number FROM lainclaw.undo_turns WHERE number <> $1 ORDER BY number LIMIT $2';
    while ((await storedBytes(query)) > maxBytes) {
      const removed = await transaction((inside) => removeTurns(inside, oldest, [turn, TURNS_DROPPED_AT_ONCE]));
      if (removed === 0) return;
    }
  }

  return {
    async add(scope, changes, { undoes, notCovered, fence } = {}) {
      const named = await Promise.all(changes.map(nameStates));
      const { number, isNew } = await transaction(async (inside) => {
        await fencing.require(inside, fence);
        const turn = await turnOf(inside, scope, now(), undoes);
        await keepContents(inside, named);
        for (const change of named) await putChange(inside, turn.number, change);
        if (notCovered !== undefined)
          await inside(
            `INSERT INTO lainclaw.undo_changes (turn, kind, tool, path) VALUES ($1, 'not-covered', 'bash', $2)`,
            [turn.number, withoutZeros(notCovered)],
          );
        return turn;
      });
      if (isNew) await prune(number);
    },

    async turns(sessionId) {
      const rows = await query<
        { undoes: string | null } & Omit<Awaited<ReturnType<UndoRecords['turns']>>[number], 'undoes'>
      >(
        `SELECT number, session_id AS "sessionId", turn_id AS "turnId", root, recorded_at AS "recordedAt", undoes
         FROM lainclaw.undo_turns WHERE session_id = $1 ORDER BY number`,
        [sessionId],
      );
      return rows.map((row) => ({ ...row, undoes: row.undoes ?? undefined }));
    },

    async changes({ number }) {
      const rows = await query('SELECT * FROM lainclaw.undo_changes WHERE turn = $1 ORDER BY number', [number]);
      return rows.map((row) => ({
        kind: row.kind as RecordedChange['kind'],
        tool: String(row.tool),
        path: String(row.path),
        before: recordedState(row.before_sha256, row.before_mode),
        after: recordedState(row.after_sha256, row.after_mode),
      }));
    },

    async whoLeft(root, path, sha256) {
      const [row] = await query<{ turn: string }>(
        `SELECT turn_id AS turn FROM lainclaw.undo_changes AS change
         JOIN lainclaw.undo_turns AS turn ON turn.number = change.turn
         WHERE after_sha256 = $1 AND path = $2 AND root = $3 ORDER BY change.number DESC LIMIT 1`,
        [sha256, path, root],
      );
      return row?.turn;
    },

    async content(sha256) {
      const [row] = await query<Packed>('SELECT encoding, data FROM lainclaw.undo_contents WHERE sha256 = $1', [
        sha256,
      ]);
      if (!row) throw new StorageError('STORAGE_FAILED', `the content ${sha256} is missing in ${database.address}`);
      return unpack(row);
    },

    copy: (from, to, turnIds) => transaction((inside) => copyTurns(inside, from, to, turnIds)),

    async forgetSession(sessionId) {
      await transaction((inside) =>
        removeTurns(inside, 'SELECT number FROM lainclaw.undo_turns WHERE session_id = $1', [sessionId]),
      );
    },

    forgetFiles: ({ sessionId, turnId }, paths, fence) =>
      transaction(async (inside) => {
        await fencing.require(inside, fence);
        const removed = await inside<{ before: string | null; after: string | null }>(
          `DELETE FROM lainclaw.undo_changes WHERE kind = 'file' AND path = ANY($3::text[])
           AND turn = (SELECT number FROM lainclaw.undo_turns WHERE session_id = $1 AND turn_id = $2)
           RETURNING before_sha256 AS before, after_sha256 AS after`,
          [sessionId, turnId, paths],
        );
        await dropUnused(
          inside,
          removed.flatMap(({ before, after }) => [before, after]),
        );
      }),

    redact: (redaction, mode) => redactUndo(database, redaction, mode),

    async forget({ sessionId, turnId }) {
      await transaction((inside) =>
        removeTurns(inside, 'SELECT number FROM lainclaw.undo_turns WHERE session_id = $1 AND turn_id = $2', [
          sessionId,
          turnId,
        ]),
      );
    },
  };
}

async function turnOf(
  query: Query,
  { sessionId, turnId, root }: TurnScope,
  now: number,
  undoes: string | undefined,
): Promise<{ number: number; isNew: boolean }> {
  const [added] = await query<{ number: number }>(
    `INSERT INTO lainclaw.undo_turns (session_id, turn_id, root, recorded_at, undoes) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (session_id, turn_id) DO NOTHING RETURNING number`,
    [sessionId, turnId, root, now, undoes ?? null],
  );
  if (added) return { number: added.number, isNew: true };
  const [known] = await query<{ number: number }>(
    'SELECT number FROM lainclaw.undo_turns WHERE session_id = $1 AND turn_id = $2',
    [sessionId, turnId],
  );
  if (known) return { number: known.number, isNew: false };
  throw new StorageError('STORAGE_BUSY', 'the record of this turn was removed at the same moment: ask again');
}

/** What is stored already is not sent again, and cannot be removed before this transaction ends. */
async function keepContents(query: Query, named: readonly NamedChange[]): Promise<void> {
  const states = named.flatMap(({ before, after }) => [before, after]).filter((state) => state !== undefined);
  const distinct = new Map(states.map((state) => [state.sha256, state]));
  const known = await query<{ sha256: string }>(
    'SELECT sha256 FROM lainclaw.undo_contents WHERE sha256 = ANY($1::text[]) ORDER BY sha256 FOR SHARE',
    [[...distinct.keys()]],
  );
  for (const { sha256 } of known) distinct.delete(sha256);
  for (const { sha256, bytes, packing } of distinct.values()) {
    const { encoding, data } = await (packing ?? pack(bytes));
    await query(
      `INSERT INTO lainclaw.undo_contents (sha256, bytes, encoding, data) VALUES ($1, $2, $3, $4)
       ON CONFLICT (sha256) DO UPDATE SET bytes = excluded.bytes`,
      [sha256, data.length, encoding, Buffer.from(data)],
    );
  }
}

async function putChange(query: Query, turn: number, { change, before, after }: NamedChange): Promise<void> {
  const { tool, path, madeDirectories } = change;
  for (const directory of madeDirectories)
    await query(`INSERT INTO lainclaw.undo_changes (turn, kind, tool, path) VALUES ($1, 'made-directory', $2, $3)`, [
      turn,
      tool,
      directory,
    ]);
  await query(
    `INSERT INTO lainclaw.undo_changes (turn, kind, tool, path, before_sha256, before_mode, after_sha256, after_mode)
     VALUES ($1, 'file', $2, $3, $4, $5, $6, $7)`,
    [turn, tool, path, ...[before, after].flatMap((state) => [state?.sha256 ?? null, state?.mode ?? null])],
  );
}

async function copyTurns(query: Query, from: string, to: string, turnIds: ReadonlySet<string>): Promise<void> {
  const copied = new Set(turnIds);
  const turns = await query<{ number: number; turn: string; undoes: string | null }>(
    'SELECT number, turn_id AS turn, undoes FROM lainclaw.undo_turns WHERE session_id = $1 ORDER BY number',
    [from],
  );
  const numbers: number[] = [];
  for (const { number, turn, undoes } of turns) {
    if (!copied.has(turn) && !(undoes !== null && copied.has(undoes))) continue;
    copied.add(turn);
    numbers.push(number);
  }
  await lockContents(query, numbers);
  for (const number of numbers) {
    const [added] = await query<{ number: number }>(
      `INSERT INTO lainclaw.undo_turns (session_id, turn_id, root, recorded_at, undoes)
       SELECT $1, turn_id, root, recorded_at, undoes FROM lainclaw.undo_turns WHERE number = $2
       ON CONFLICT (session_id, turn_id) DO NOTHING RETURNING number`,
      [to, number],
    );
    if (added)
      await query(
        `INSERT INTO lainclaw.undo_changes
           (turn, kind, tool, path, before_sha256, before_mode, after_sha256, after_mode)
         SELECT $1, kind, tool, path, before_sha256, before_mode, after_sha256, after_mode
         FROM lainclaw.undo_changes WHERE turn = $2 ORDER BY number`,
        [added.number, number],
      );
  }
}

/** Before they are copied: a removal of these turns has ended by then, or waits and sees the copies. */
async function lockContents(query: Query, turns: readonly number[]): Promise<void> {
  await query(
    `SELECT 1 FROM lainclaw.undo_contents WHERE sha256 IN (
       SELECT before_sha256 FROM lainclaw.undo_changes WHERE turn = ANY($1::bigint[])
       UNION SELECT after_sha256 FROM lainclaw.undo_changes WHERE turn = ANY($1::bigint[])
     ) ORDER BY sha256 FOR SHARE`,
    [turns],
  );
}

async function storedBytes(query: Query): Promise<number> {
  const [row] = await query<{ total: string }>('SELECT coalesce(sum(bytes), 0) AS total FROM lainclaw.undo_contents');
  return Number(row?.total ?? 0);
}
