// Claiming and finishing, each inside the caller's transaction.
import { runOf } from '../../job-rows.ts';
import type { Claim, Finish, PassedOver, Run } from '../../jobs.ts';
import type { Prepare } from '../statements.ts';

/** Rows of history a job keeps; unfinished runs are kept in any case. */
const KEPT_RUNS = 200;

export function claimSlots(
  prepare: Prepare,
  owner: string,
  claims: readonly Claim[],
  { now, begun }: { now: number; begun: number },
): Run[] {
  const move = prepare(`
    UPDATE schedule_jobs SET next_slot = :slot, next_due = :due, due_at = :due, last_slot = max(coalesce(last_slot, :passed), :passed),
      status = CASE WHEN :slot IS NULL AND :runs = 0 THEN 'done' ELSE status END
    WHERE id = :id AND status = 'active' AND due_at IS NOT NULL AND next_slot = :expected`);
  const hold = prepare('UPDATE schedule_jobs SET due_at = NULL, run_id = ? WHERE id = ?');
  const insert = prepare(`
    INSERT INTO schedule_runs (job_id, status, trigger, slot, count, late, owner, started_at, delivery)
    VALUES (?, ?, 'slot', ?, ?, ?, ?, ?, 'none') ON CONFLICT DO NOTHING RETURNING *`);
  const runs: Run[] = [];
  for (const { jobId, expectedSlot, passedOver, run, next } of claims) {
    const passed = Math.max(run?.slot ?? expectedSlot, ...passedOver.map(({ lastSlot }) => lastSlot));
    const moved = move.run({
      id: jobId,
      slot: next?.slot ?? null,
      due: next?.dueAt ?? null,
      passed,
      runs: run ? 1 : 0,
      expected: expectedSlot,
    });
    if (moved.changes === 0) continue;
    recordPassedOver(prepare, jobId, passedOver);
    if (!run) continue;
    const isBegun = runs.length < begun;
    const row = insert.get(
      jobId,
      isBegun ? 'running' : 'queued',
      run.slot,
      run.missed,
      run.late ? 1 : 0,
      owner,
      isBegun ? now : null,
    );
    // On record already: this slot was handed out before the clock was set back.
    if (row === undefined) {
      if (!next) prepare("UPDATE schedule_jobs SET status = 'done' WHERE id = ?").run(jobId);
      continue;
    }
    hold.run(Number(row.id), jobId);
    runs.push(runOf(row));
  }
  return runs;
}

export function claimByHand(prepare: Prepare, owner: string, name: string, now: number): Run | undefined {
  const job = prepare('SELECT id FROM schedule_jobs WHERE name = ? AND run_id IS NULL').get(name);
  if (!job) return undefined;
  const row = prepare(`
      INSERT INTO schedule_runs (job_id, status, trigger, count, late, owner, started_at, delivery)
      VALUES (?, 'running', 'manual', 0, 0, ?, ?, 'none') RETURNING *`).get(Number(job.id), owner, now);
  if (!row) return undefined;
  prepare('UPDATE schedule_jobs SET due_at = NULL, run_id = ? WHERE id = ?').run(Number(row.id), Number(job.id));
  return runOf(row);
}

export function finishRun(
  prepare: Prepare,
  { runId, at, outcome, expectedSlot, next, failures, pause, ...rest }: Finish,
): boolean {
  const row = prepare(`
      UPDATE schedule_runs SET status = ?, finished_at = ?, answer = ?, reason = ?, delivery = ?
      WHERE id = ? AND status IN ('queued', 'running') RETURNING job_id`).get(
    outcome.status,
    at,
    outcome.status === 'ok' ? outcome.answer : null,
    outcome.status === 'ok' ? null : outcome.reason,
    outcome.status === 'ok' ? outcome.delivery : 'none',
    runId,
  );
  if (!row) return false;
  const jobId = Number(row.job_id);
  recordPassedOver(prepare, jobId, rest.passedOver);
  const passed = rest.passedOver.length > 0 ? Math.max(...rest.passedOver.map(({ lastSlot }) => lastSlot)) : null;
  prepare(`
    UPDATE schedule_jobs SET next_slot = :slot, next_due = :due,
      status = CASE WHEN :slot IS NULL AND status = 'active' THEN 'done' ELSE status END
    WHERE id = :id AND run_id = :run AND next_slot IS :expected`).run({
    id: jobId,
    run: runId,
    slot: next?.slot ?? null,
    due: next?.dueAt ?? null,
    expected: expectedSlot ?? null,
  });
  prepare(`
    UPDATE schedule_jobs SET run_id = NULL, failures = ?, last_slot = coalesce(max(last_slot, ?), last_slot) WHERE id = ? AND run_id = ?`).run(
    failures,
    passed,
    jobId,
    runId,
  );
  if (pause !== undefined)
    prepare("UPDATE schedule_jobs SET status = 'paused', reason = ? WHERE id = ? AND status = 'active'").run(
      pause,
      jobId,
    );
  prepare("UPDATE schedule_jobs SET due_at = next_due WHERE id = ? AND status = 'active' AND run_id IS NULL").run(
    jobId,
  );
  const keep = prepare(
    'INSERT INTO schedule_letters (key, run_id, chat, text, is_answer, asker) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  for (const { key, chat, text, isAnswer, asker } of rest.messages)
    keep.run(key, runId, chat, text, isAnswer ? 1 : 0, JSON.stringify(asker));
  forgetOldRuns(prepare, jobId);
  return true;
}

function recordPassedOver(prepare: Prepare, jobId: number, passedOver: readonly PassedOver[]): void {
  if (passedOver.length === 0) return;
  const insert = prepare(`
    INSERT INTO schedule_runs (job_id, status, trigger, slot, last_slot, count, late, reason, delivery)
    VALUES (?, ?, 'slot', ?, ?, ?, 0, ?, 'none') ON CONFLICT DO NOTHING`);
  for (const { status, firstSlot, lastSlot, count, reason } of passedOver)
    insert.run(jobId, status, firstSlot, lastSlot, count, reason);
  forgetOldRuns(prepare, jobId);
}

function forgetOldRuns(prepare: Prepare, jobId: number): void {
  prepare(`
    DELETE FROM schedule_runs WHERE job_id = ?1 AND status NOT IN ('queued', 'running') AND id <=
      (SELECT id FROM schedule_runs WHERE job_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${KEPT_RUNS})`).run(jobId);
}
