// Claiming and finishing, each inside the caller's transaction.
import { runOf } from '../../job-rows.ts';
import type { Claim, Finish, PassedOver, Run } from '../../jobs.ts';
import type { Query } from '../database.ts';
import { withoutZeros } from '../zero-bytes.ts';

/** Rows of history a job keeps; unfinished runs are kept in any case. */
const KEPT_RUNS = 200;

export async function claimSlots(
  query: Query,
  owner: string,
  claims: readonly Claim[],
  { now, begun }: { now: number; begun: number },
): Promise<Run[]> {
  const runs: Run[] = [];
  for (const { jobId, expectedSlot, passedOver, run, next } of claims) {
    if (!(await movePointer(query, { jobId, expectedSlot, passedOver, run, next }))) continue;
    await recordPassedOver(query, jobId, passedOver);
    if (!run) continue;
    const isBegun = runs.length < begun;
    const [row] = await query(
      `INSERT INTO lainclaw.schedule_runs (job_id, status, trigger, slot, count, late, owner, started_at, delivery)
       VALUES ($1, $2, 'slot', $3, $4, $5, $6, $7, 'none') ON CONFLICT DO NOTHING RETURNING *`,
      [jobId, isBegun ? 'running' : 'queued', run.slot, run.missed, run.late ? 1 : 0, owner, isBegun ? now : null],
    );
    // On record already: this slot was handed out before the clock was set back.
    if (row === undefined) {
      if (!next) await query(`UPDATE lainclaw.schedule_jobs SET status = 'done' WHERE id = $1`, [jobId]);
      continue;
    }
    await query('UPDATE lainclaw.schedule_jobs SET due_at = NULL, run_id = $2 WHERE id = $1', [jobId, row.id]);
    runs.push(runOf(row));
  }
  return runs;
}

/** False when it has moved since the decision. */
async function movePointer(query: Query, { jobId, expectedSlot, passedOver, run, next }: Claim): Promise<boolean> {
  const passed = Math.max(run?.slot ?? expectedSlot, ...passedOver.map(({ lastSlot }) => lastSlot));
  const rows = await query(
    `UPDATE lainclaw.schedule_jobs SET next_slot = $2, next_due = $3, due_at = $3, last_slot = greatest(last_slot, $4),
       status = CASE WHEN $2::bigint IS NULL AND NOT $5::boolean THEN 'done' ELSE status END
     WHERE id = $1 AND status = 'active' AND due_at IS NOT NULL AND next_slot = $6 RETURNING 1`,
    [jobId, next?.slot ?? null, next?.dueAt ?? null, passed, run !== undefined, expectedSlot],
  );
  return rows.length > 0;
}

export async function claimByHand(query: Query, owner: string, name: string, now: number): Promise<Run | undefined> {
  const [job] = await query('SELECT id FROM lainclaw.schedule_jobs WHERE name = $1 AND run_id IS NULL FOR UPDATE', [
    name,
  ]);
  if (!job) return undefined;
  const [row] = await query(
    `INSERT INTO lainclaw.schedule_runs (job_id, status, trigger, count, late, owner, started_at, delivery)
     VALUES ($1, 'running', 'manual', 0, 0, $2, $3, 'none') RETURNING *`,
    [job.id, owner, now],
  );
  if (!row) return undefined;
  await query('UPDATE lainclaw.schedule_jobs SET due_at = NULL, run_id = $2 WHERE id = $1', [job.id, row.id]);
  return runOf(row);
}

export async function finishRun(
  query: Query,
  { runId, at, outcome, expectedSlot, next, failures, pause, passedOver, messages }: Finish,
): Promise<boolean> {
  const isOk = outcome.status === 'ok';
  const [row] = await query<{ job: number }>(
    `UPDATE lainclaw.schedule_runs SET status = $2, finished_at = $3, answer = $4, reason = $5, delivery = $6
     WHERE id = $1 AND status IN ('queued', 'running') RETURNING job_id AS job`,
    [
      runId,
      outcome.status,
      at,
      isOk ? withoutZeros(outcome.answer) : null,
      isOk ? null : withoutZeros(outcome.reason),
      isOk ? outcome.delivery : 'none',
    ],
  );
  if (!row) return false;
  const { job } = row;
  await recordPassedOver(query, job, passedOver);
  await query(
    `UPDATE lainclaw.schedule_jobs SET next_slot = $3, next_due = $4,
       status = CASE WHEN $3::bigint IS NULL AND status = 'active' THEN 'done' ELSE status END
     WHERE id = $1 AND run_id = $2 AND next_slot IS NOT DISTINCT FROM $5`,
    [job, runId, next?.slot ?? null, next?.dueAt ?? null, expectedSlot ?? null],
  );
  const passed = passedOver.length > 0 ? Math.max(...passedOver.map(({ lastSlot }) => lastSlot)) : null;
  await query(
    `UPDATE lainclaw.schedule_jobs SET run_id = NULL, failures = $3,
       last_slot = CASE WHEN last_slot IS NULL THEN NULL ELSE greatest(last_slot, $4) END WHERE id = $1 AND run_id = $2`,
    [job, runId, failures, passed],
  );
  if (pause !== undefined)
    await query(
      `UPDATE lainclaw.schedule_jobs SET status = 'paused', reason = $2 WHERE id = $1 AND status = 'active'`,
      [job, withoutZeros(pause)],
    );
  await query(
    `UPDATE lainclaw.schedule_jobs SET due_at = next_due WHERE id = $1 AND status = 'active' AND run_id IS NULL`,
    [job],
  );
  for (const { key, chat, text, isAnswer, asker } of messages)
    await query(
      `INSERT INTO lainclaw.schedule_letters (key, run_id, chat, text, is_answer, asker)
       VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key) DO NOTHING`,
      [key, runId, chat, withoutZeros(text), isAnswer ? 1 : 0, JSON.stringify(asker)],
    );
  await forgetOldRuns(query, job);
  return true;
}

async function recordPassedOver(query: Query, jobId: number, passedOver: readonly PassedOver[]): Promise<void> {
  if (passedOver.length === 0) return;
  for (const { status, firstSlot, lastSlot, count, reason } of passedOver)
    await query(
      `INSERT INTO lainclaw.schedule_runs (job_id, status, trigger, slot, last_slot, count, late, reason, delivery)
       VALUES ($1, $2, 'slot', $3, $4, $5, 0, $6, 'none') ON CONFLICT DO NOTHING`,
      [jobId, status, firstSlot, lastSlot, count, withoutZeros(reason)],
    );
  await forgetOldRuns(query, jobId);
}

async function forgetOldRuns(query: Query, jobId: number): Promise<void> {
  await query(
    `DELETE FROM lainclaw.schedule_runs WHERE job_id = $1 AND status NOT IN ('queued', 'running') AND id <= (
       SELECT id FROM lainclaw.schedule_runs WHERE job_id = $1 ORDER BY id DESC LIMIT 1 OFFSET ${KEPT_RUNS})`,
    [jobId],
  );
}
