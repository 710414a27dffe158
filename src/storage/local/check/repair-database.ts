// Repairs of a database that keep what it holds, and what a restored one must not do again.
import type { DatabaseSync } from 'node:sqlite';
import { type RepairCode, type RepairStep, repairStep } from '../../file-problems.ts';
import { createIndex, dropIndex, readState } from '../archive/tables.ts';

const BUSY_TIMEOUT_MS = 2_000;

/** Takes the write-ahead log up to its first damage, and makes the indexes again. Throws when the file is damaged afterwards too. */
export function repairInPlace(location: string): void {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(location, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    emptySearchIndex(database);
    database.exec('REINDEX');
    const faults = database.prepare('PRAGMA integrity_check(1)').all();
    const [fault] = faults.flatMap((row) => Object.values(row).map(String)).filter((text) => text !== 'ok');
    if (fault) throw new Error(fault);
  } finally {
    database.close();
  }
}

/** An index without a version is built from the texts again before it is used. */
function emptySearchIndex(database: DatabaseSync): void {
  if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'archive_state'").get()) return;
  const { generation, building } = readState(database);
  dropIndex(database, generation);
  if (building !== null) dropIndex(database, building);
  createIndex(database, generation);
  database.exec('UPDATE archive_state SET version = NULL, building = NULL, built_to = NULL');
}

const REASON = 'restored from a backup: it may have been done since';

/** Every version of the file has these columns. */
const HOLDS: readonly [what: RepairCode, table: string, statement: string][] = [
  [
    'held-outgoing',
    'outbox',
    "UPDATE outbox SET state = 'dead', last_error = :reason, ended_at = :now WHERE state = 'waiting'",
  ],
  ['held-incoming', 'inbox', 'UPDATE inbox SET finished_at = :now WHERE finished_at IS NULL'],
  [
    'held-runs',
    'schedule_runs',
    "UPDATE schedule_runs SET status = 'interrupted', reason = :reason, finished_at = :now WHERE status IN ('queued', 'running')",
  ],
  ['held-job-messages', 'schedule_letters', 'DELETE FROM schedule_letters'],
  [
    'held-jobs',
    'schedule_jobs',
    `UPDATE schedule_jobs SET status = 'paused', reason = :reason, due_at = NULL, run_id = NULL
     WHERE status = 'active' AND (run_id IS NOT NULL OR next_due <= :now)`,
  ],
  [
    'held-agents',
    'agent_runs',
    "UPDATE agent_runs SET state = 'interrupted', error = :reason, ended_at = :now WHERE state IN ('queued', 'running')",
  ],
];

/** Of a copy of lainclaw.db from a backup: nothing that waited then is sent, answered or run again. Returns what was held back. */
export function holdBack(location: string, now: number): RepairStep[] {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(location);
  try {
    return HOLDS.flatMap(([what, table, statement]) => {
      if (!database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table)) return [];
      const named = { reason: REASON, now };
      const used = Object.fromEntries(Object.entries(named).filter(([name]) => statement.includes(`:${name}`)));
      const { changes } = database.prepare(statement).run(used);
      return changes > 0 ? [repairStep(what, { count: Number(changes) })] : [];
    });
  } finally {
    database.close();
  }
}
