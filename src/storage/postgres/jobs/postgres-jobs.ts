// Scheduled jobs in PostgreSQL. The statement that moves a job's pointer decides who owns a slot: of two, the second finds it moved.
import { jobOf, messageOf, runOf } from '../../job-rows.ts';
import type { Job, JobDefinition, Jobs, NextSlot } from '../../jobs.ts';
import type { Fence } from '../../locks.ts';
import type { PostgresDatabase, Query } from '../database.ts';
import type { Fencing } from '../fencing.ts';
import { type Signals, signal } from '../signals.ts';
import { withoutZeros } from '../zero-bytes.ts';
import { claimByHand, claimSlots, finishRun } from './claim.ts';

/** Jobs without a further run that are kept for their history. */
const KEPT_DONE_JOBS = 100;
/** Fewer runs than a job's history keeps: none of them is missing in it. */
const KNOWN_RUNS = 150;

export interface PostgresJobsOptions {
  database: PostgresDatabase;
  fencing: Fencing;
  signals: Pick<Signals, 'on'>;
}

export function createPostgresJobs({ database: { query, transaction }, fencing, signals }: PostgresJobsOptions): Jobs {
  /** Only while the owner holds its lock. */
  const writeAs = <T>(owner: Fence, work: (inside: Query) => Promise<T>): Promise<T> =>
    transaction(async (inside) => {
      await fencing.require(inside, owner);
      return work(inside);
    });
  /** For changes that processes which wait for the next slot must learn of. */
  const change = <T>(work: (inside: Query) => Promise<T>): Promise<T> =>
    transaction(async (inside) => {
      const result = await work(inside);
      await signal(inside, 'jobs');
      return result;
    });

  return {
    add: (definition, next) => change((inside) => addJob(inside, definition, next)),
    redefine: (name, definition, next) =>
      change(async (inside) => {
        const [row] = await inside(
          `UPDATE lainclaw.schedule_jobs
           SET definition = $2, status = 'active', reason = NULL, failures = 0, next_slot = $3, next_due = $4,
             due_at = CASE WHEN run_id IS NULL THEN $4::bigint END WHERE name = $1 RETURNING *`,
          [name, JSON.stringify(definition), next.slot, next.dueAt],
        );
        return row && jobOf(row);
      }),
    get: (name) => jobNamed(query, name),
    list: async () => (await query('SELECT * FROM lainclaw.schedule_jobs ORDER BY name')).map(jobOf),
    remove: (name) => change((inside) => removeJob(inside, name)),
    pause: (name, reason) =>
      change(async (inside) => {
        const rows = await inside(
          `UPDATE lainclaw.schedule_jobs SET status = 'paused', reason = $2, due_at = NULL
           WHERE name = $1 AND status = 'active' RETURNING 1`,
          [name, withoutZeros(reason)],
        );
        return rows.length > 0;
      }),
    resume: (name, { slot, dueAt }) =>
      change(async (inside) => {
        const rows = await inside(
          `UPDATE lainclaw.schedule_jobs
           SET status = 'active', reason = NULL, failures = 0, next_slot = $2, next_due = $3,
             due_at = CASE WHEN run_id IS NULL THEN $3::bigint END WHERE name = $1 AND status = 'paused' RETURNING 1`,
          [name, slot, dueAt],
        );
        return rows.length > 0;
      }),

    async due(now, limit) {
      const rows = await query(
        'SELECT * FROM lainclaw.schedule_jobs WHERE due_at IS NOT NULL AND due_at <= $1 ORDER BY due_at LIMIT $2',
        [now, limit],
      );
      return rows.map(jobOf);
    },
    async nextDueAt() {
      const [row] = await query<{ due: number | null }>(
        'SELECT min(due_at) AS due FROM lainclaw.schedule_jobs WHERE due_at IS NOT NULL',
      );
      return row?.due ?? undefined;
    },
    async ahead(now, certainlyAfter) {
      const rows = await query(
        `SELECT j.* FROM lainclaw.schedule_jobs j
         WHERE j.last_slot > $1 AND j.status = 'active' AND j.run_id IS NULL AND (j.last_slot > $2 OR
           (SELECT count(*) FROM lainclaw.schedule_runs r WHERE r.job_id = j.id AND r.slot > $1 AND r.status <> 'skipped')
           BETWEEN 1 AND ${KNOWN_RUNS})`,
        [now, certainlyAfter],
      );
      return rows.map(jobOf);
    },
    rewind: (jobId, expectedSlot, { slot, dueAt }) =>
      transaction(async (inside) => {
        const moved = await inside(
          `UPDATE lainclaw.schedule_jobs SET next_slot = $2, next_due = $3, due_at = $3, last_slot = NULL
           WHERE id = $1 AND next_slot = $4 AND run_id IS NULL AND status = 'active' RETURNING 1`,
          [jobId, slot, dueAt, expectedSlot],
        );
        if (moved.length === 0) return false;
        await inside(
          `DELETE FROM lainclaw.schedule_runs WHERE job_id = $1 AND slot >= $2 AND status IN ('missed', 'skipped')`,
          [jobId, slot],
        );
        return true;
      }),

    claim: (owner, claims, options) => writeAs(owner, (inside) => claimSlots(inside, owner.name, claims, options)),
    claimByHand: (owner, name, now) => writeAs(owner, (inside) => claimByHand(inside, owner.name, name, now)),
    begin: (owner, runId, now) =>
      writeAs(owner, async (inside) => {
        const rows = await inside(
          `UPDATE lainclaw.schedule_runs SET status = 'running', started_at = $3
           WHERE id = $1 AND owner = $2 AND status = 'queued' RETURNING 1`,
          [runId, owner.name, now],
        );
        return rows.length > 0;
      }),
    finish: (finish) => transaction((inside) => finishRun(inside, finish)),
    async unfinished() {
      const rows = await query(
        `SELECT * FROM lainclaw.schedule_runs WHERE status IN ('queued', 'running') ORDER BY id`,
      );
      return rows.map(runOf);
    },
    adopt: (runId, from, owner) =>
      writeAs(owner, async (inside) => {
        const rows = await inside(
          `UPDATE lainclaw.schedule_runs SET owner = $3 WHERE id = $1 AND owner = $2 AND status = 'queued' RETURNING 1`,
          [runId, from, owner.name],
        );
        return rows.length > 0;
      }),
    async jobOf(runId) {
      const [row] = await query(
        'SELECT j.* FROM lainclaw.schedule_jobs j JOIN lainclaw.schedule_runs r ON r.job_id = j.id WHERE r.id = $1',
        [runId],
      );
      return row && jobOf(row);
    },

    async history(name, limit) {
      const rows = await query(
        `SELECT r.* FROM lainclaw.schedule_runs r JOIN lainclaw.schedule_jobs j ON j.id = r.job_id
         WHERE j.name = $1 ORDER BY r.id DESC LIMIT $2`,
        [name, limit],
      );
      return rows.map(runOf);
    },
    forgetAnswers: (name) =>
      transaction(async (inside) => {
        const runs =
          'SELECT r.id FROM lainclaw.schedule_runs r JOIN lainclaw.schedule_jobs j ON j.id = r.job_id WHERE j.name = $1';
        await inside(`DELETE FROM lainclaw.schedule_letters WHERE run_id IN (${runs})`, [name]);
        await inside(`UPDATE lainclaw.schedule_runs SET answer = NULL, reason = NULL WHERE id IN (${runs})`, [name]);
      }),
    async messages(limit) {
      const rows = await query(
        `SELECT l.*, j.definition FROM lainclaw.schedule_letters l LEFT JOIN lainclaw.schedule_runs r ON r.id = l.run_id
         LEFT JOIN lainclaw.schedule_jobs j ON j.id = r.job_id ORDER BY l.seq LIMIT $1`,
        [limit],
      );
      return rows.map(messageOf);
    },
    settleMessage: (key, delivery) =>
      transaction(async (inside) => {
        const [row] = await inside<{ run: number; is_answer: number }>(
          'DELETE FROM lainclaw.schedule_letters WHERE key = $1 RETURNING run_id AS run, is_answer',
          [key],
        );
        if (row?.is_answer === 1)
          await inside('UPDATE lainclaw.schedule_runs SET delivery = $2 WHERE id = $1', [row.run, delivery]);
      }),
    async watch(onChange, ended) {
      const stop = signals.on('jobs', onChange);
      ended.addEventListener('abort', stop, { once: true });
    },
  };
}

async function jobNamed(query: Query, name: string): Promise<Job | undefined> {
  const [row] = await query('SELECT * FROM lainclaw.schedule_jobs WHERE name = $1', [name]);
  return row && jobOf(row);
}

async function addJob(query: Query, definition: JobDefinition, { slot, dueAt }: NextSlot): Promise<Job | undefined> {
  if ((await jobNamed(query, definition.name))?.status === 'done') await removeJob(query, definition.name);
  await forgetDoneJobs(query);
  const [row] = await query(
    `INSERT INTO lainclaw.schedule_jobs (name, definition, status, failures, next_slot, next_due, due_at)
     VALUES ($1, $2, 'active', 0, $3, $4, $4) ON CONFLICT (name) DO NOTHING RETURNING *`,
    [definition.name, JSON.stringify(definition), slot, dueAt],
  );
  return row && jobOf(row);
}

async function removeJob(query: Query, name: string): Promise<boolean> {
  const [row] = await query('DELETE FROM lainclaw.schedule_jobs WHERE name = $1 RETURNING id', [name]);
  if (!row) return false;
  await query('DELETE FROM lainclaw.schedule_runs WHERE job_id = $1', [row.id]);
  return true;
}

async function forgetDoneJobs(query: Query): Promise<void> {
  const old = await query<{ name: string }>(
    `SELECT name FROM lainclaw.schedule_jobs WHERE status = 'done' ORDER BY id DESC OFFSET ${KEPT_DONE_JOBS}`,
  );
  for (const { name } of old) await removeJob(query, name);
}
