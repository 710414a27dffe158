// Scheduled jobs in the one SQLite file, on a connection of its own whose commits are synced.
import { jobOf, messageOf, runOf } from '../../job-rows.ts';
import type { Job, JobDefinition, Jobs, NextSlot } from '../../jobs.ts';
import type { Fence } from '../../locks.ts';
import type { Database } from '../database.ts';
import type { LocalLocks } from '../locks.ts';
import { createStatements, type Prepare } from '../statements.ts';
import { createSyncedDatabase } from '../synced-database.ts';
import { createWriteTogether } from '../write-together.ts';
import type { ChangeFile } from './change-file.ts';
import { claimByHand, claimSlots, finishRun } from './claim.ts';

/** Jobs without a further run that are kept for their history. */
const KEPT_DONE_JOBS = 100;
/** Fewer runs than a job's history keeps: none of them is missing in it. */
const KNOWN_RUNS = 150;

export interface LocalJobsOptions {
  database: Database;
  changes: ChangeFile;
  locks: Pick<LocalLocks, 'verify'>;
}

export function createLocalJobs({ database, changes, locks }: LocalJobsOptions): Jobs {
  const statementsOf = createStatements();
  const use = createSyncedDatabase(database);
  // A commit of this connection is durable already.
  const { durably: useTogether } = createWriteTogether({ use, sync: async () => {} });
  const read = <T>(statements: (prepare: Prepare) => T): Promise<T> => use((db) => statements(statementsOf(db)));
  const write = <T>(statements: (prepare: Prepare) => T): Promise<T> =>
    useTogether((db) => statements(statementsOf(db)));
  /** Only while the owner holds its lock. */
  const writeAs = <T>(owner: Fence, statements: (prepare: Prepare) => T): Promise<T> =>
    write((prepare) => {
      locks.verify(owner);
      return statements(prepare);
    });
  /** For changes that processes which wait for the next slot must learn of. */
  const change = async <T>(statements: (prepare: Prepare) => T): Promise<T> => {
    const result = await write(statements);
    await changes.touch();
    return result;
  };

  return {
    add: (definition, next) => change((prepare) => addJob(prepare, definition, next)),
    redefine: (name, definition, next) =>
      change((prepare) => {
        const row = prepare(`
            UPDATE schedule_jobs SET definition = ?1, status = 'active', reason = NULL, failures = 0, next_slot = ?2, next_due = ?3,
              due_at = CASE WHEN run_id IS NULL THEN ?3 END WHERE name = ?4 RETURNING *`).get(
          JSON.stringify(definition),
          next.slot,
          next.dueAt,
          name,
        );
        return row && jobOf(row);
      }),
    get: (name) => read((prepare) => jobNamed(prepare, name)),
    list: () => read((prepare) => prepare('SELECT * FROM schedule_jobs ORDER BY name').all().map(jobOf)),
    remove: (name) => change((prepare) => removeJob(prepare, name)),
    pause: (name, reason) =>
      change(
        (prepare) =>
          prepare(
            "UPDATE schedule_jobs SET status = 'paused', reason = ?, due_at = NULL WHERE name = ? AND status = 'active'",
          ).run(reason, name).changes > 0,
      ),
    resume: (name, { slot, dueAt }) =>
      change(
        (prepare) =>
          prepare(`
              UPDATE schedule_jobs SET status = 'active', reason = NULL, failures = 0, next_slot = ?1, next_due = ?2,
                due_at = CASE WHEN run_id IS NULL THEN ?2 END WHERE name = ?3 AND status = 'paused'`).run(
            slot,
            dueAt,
            name,
          ).changes > 0,
      ),

    due: (now, limit) =>
      read((prepare) =>
        prepare('SELECT * FROM schedule_jobs WHERE due_at IS NOT NULL AND due_at <= ? ORDER BY due_at LIMIT ?')
          .all(now, limit)
          .map(jobOf),
      ),
    nextDueAt: () =>
      read((prepare) => {
        const row = prepare('SELECT min(due_at) AS due FROM schedule_jobs WHERE due_at IS NOT NULL').get();
        return typeof row?.due === 'number' ? row.due : undefined;
      }),
    ahead: (now, certainlyAfter) =>
      read((prepare) =>
        prepare(`
            SELECT j.* FROM schedule_jobs j WHERE j.last_slot > ?1 AND j.status = 'active' AND j.run_id IS NULL AND (j.last_slot > ?2 OR
              (SELECT count(*) FROM schedule_runs r WHERE r.job_id = j.id AND r.slot > ?1 AND r.status <> 'skipped')
              BETWEEN 1 AND ${KNOWN_RUNS})`)
          .all(now, certainlyAfter)
          .map(jobOf),
      ),
    rewind: (jobId, expectedSlot, { slot, dueAt }) =>
      write((prepare) => {
        const { changes } = prepare(`
            UPDATE schedule_jobs SET next_slot = ?1, next_due = ?2, due_at = ?2, last_slot = NULL
            WHERE id = ?3 AND next_slot = ?4 AND run_id IS NULL AND status = 'active'`).run(
          slot,
          dueAt,
          jobId,
          expectedSlot,
        );
        if (changes === 0) return false;
        prepare("DELETE FROM schedule_runs WHERE job_id = ? AND slot >= ? AND status IN ('missed', 'skipped')").run(
          jobId,
          slot,
        );
        return true;
      }),

    claim: (owner, claims, options) => writeAs(owner, (prepare) => claimSlots(prepare, owner.name, claims, options)),
    claimByHand: (owner, name, now) => writeAs(owner, (prepare) => claimByHand(prepare, owner.name, name, now)),
    begin: (owner, runId, now) =>
      writeAs(
        owner,
        (prepare) =>
          prepare(
            "UPDATE schedule_runs SET status = 'running', started_at = ? WHERE id = ? AND owner = ? AND status = 'queued'",
          ).run(now, runId, owner.name).changes > 0,
      ),
    finish: (finish) => write((prepare) => finishRun(prepare, finish)),
    unfinished: () =>
      read((prepare) =>
        prepare("SELECT * FROM schedule_runs WHERE status IN ('queued', 'running') ORDER BY id").all().map(runOf),
      ),
    adopt: (runId, from, owner) =>
      writeAs(
        owner,
        (prepare) =>
          prepare("UPDATE schedule_runs SET owner = ? WHERE id = ? AND owner = ? AND status = 'queued'").run(
            owner.name,
            runId,
            from,
          ).changes > 0,
      ),
    jobOf: (runId) =>
      read((prepare) => {
        const row = prepare(
          'SELECT j.* FROM schedule_jobs j JOIN schedule_runs r ON r.job_id = j.id WHERE r.id = ?',
        ).get(runId);
        return row && jobOf(row);
      }),

    history: (name, limit) =>
      read((prepare) =>
        prepare(`
            SELECT r.* FROM schedule_runs r JOIN schedule_jobs j ON j.id = r.job_id WHERE j.name = ? ORDER BY r.id DESC LIMIT ?`)
          .all(name, limit)
          .map(runOf),
      ),
    forgetAnswers: (name) =>
      write((prepare) => {
        const runs = 'SELECT r.id FROM schedule_runs r JOIN schedule_jobs j ON j.id = r.job_id WHERE j.name = ?';
        prepare(`DELETE FROM schedule_letters WHERE run_id IN (${runs})`).run(name);
        prepare(`UPDATE schedule_runs SET answer = NULL, reason = NULL WHERE id IN (${runs})`).run(name);
      }),
    messages: (limit) =>
      read((prepare) =>
        prepare(`
            SELECT l.*, j.definition FROM schedule_letters l LEFT JOIN schedule_runs r ON r.id = l.run_id
              LEFT JOIN schedule_jobs j ON j.id = r.job_id ORDER BY l.rowid LIMIT ?`)
          .all(limit)
          .map(messageOf),
      ),
    settleMessage: (key, delivery) =>
      write((prepare) => {
        const row = prepare('DELETE FROM schedule_letters WHERE key = ? RETURNING *').get(key);
        if (row?.is_answer === 1)
          prepare('UPDATE schedule_runs SET delivery = ? WHERE id = ?').run(delivery, Number(row.run_id));
      }),
    watch: (onChange, signal) => changes.watch(onChange, signal),
  };
}

function jobNamed(prepare: Prepare, name: string): Job | undefined {
  const row = prepare('SELECT * FROM schedule_jobs WHERE name = ?').get(name);
  return row && jobOf(row);
}

function addJob(prepare: Prepare, definition: JobDefinition, { slot, dueAt }: NextSlot): Job | undefined {
  if (jobNamed(prepare, definition.name)?.status === 'done') removeJob(prepare, definition.name);
  forgetDoneJobs(prepare);
  const row = prepare(`
      INSERT INTO schedule_jobs (name, definition, status, failures, next_slot, next_due, due_at) VALUES (?1, ?2, 'active', 0, ?3, ?4, ?4)
      ON CONFLICT DO NOTHING RETURNING *`).get(definition.name, JSON.stringify(definition), slot, dueAt);
  return row && jobOf(row);
}

function removeJob(prepare: Prepare, name: string): boolean {
  const row = prepare('DELETE FROM schedule_jobs WHERE name = ? RETURNING id').get(name);
  if (!row) return false;
  prepare('DELETE FROM schedule_runs WHERE job_id = ?').run(Number(row.id));
  return true;
}

function forgetDoneJobs(prepare: Prepare): void {
  const old = prepare(
    `SELECT name FROM schedule_jobs WHERE status = 'done' ORDER BY id DESC LIMIT -1 OFFSET ${KEPT_DONE_JOBS}`,
  ).all();
  for (const { name } of old) removeJob(prepare, String(name));
}
