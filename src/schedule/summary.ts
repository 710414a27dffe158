// A job and its runs for display: moments as ISO 8601, without the scheduler's own fields.
import type { Job, Run } from '../storage/jobs.ts';

export interface JobSummary {
  name: string;
  cron: string;
  timezone: string;
  message: string;
  model?: string;
  injectInto?: string;
  misfire: string;
  jitterMs?: number;
  maxFailures: number;
  source: string;
  origin?: string;
  status: 'active' | 'running' | 'paused' | 'done';
  reason?: string;
  failures: number;
  /** Null when the job is paused, running or done. */
  nextRunAt: string | null;
  createdAt: string;
}

export function summaryOf(job: Job): JobSummary {
  const { name, when, timezone, message, model, injectInto, misfire, jitterMs, maxFailures, source, origin } = job;
  const isWaiting = job.status === 'active' && job.runId === undefined;
  return {
    name,
    cron: when,
    timezone,
    message,
    ...(model !== undefined && { model }),
    ...(injectInto !== undefined && { injectInto }),
    misfire,
    ...(jitterMs > 0 && { jitterMs }),
    maxFailures,
    source,
    ...(origin !== undefined && { origin }),
    status: job.runId === undefined ? job.status : 'running',
    ...(job.reason !== undefined && { reason: job.reason }),
    failures: job.failures,
    nextRunAt: isWaiting && job.next ? iso(job.next.dueAt) : null,
    createdAt: iso(job.createdAt),
  };
}

export interface RunSummary {
  id: number;
  status: Run['status'];
  trigger: Run['trigger'];
  slot?: string;
  lastSlot?: string;
  /** Number of skipped or missed slots; for a late run, the older slots it makes up for. */
  count: number;
  late: boolean;
  startedAt?: string;
  finishedAt?: string;
  answer?: string;
  reason?: string;
  delivery: Run['delivery'];
}

export function runSummaryOf({ jobId: _jobId, owner: _owner, ...run }: Run): RunSummary {
  const { slot, lastSlot, startedAt, finishedAt, ...rest } = run;
  const moments = { slot, lastSlot, startedAt, finishedAt };
  const shown = Object.entries(moments).flatMap(([key, at]) => (at === undefined ? [] : [[key, iso(at)]]));
  return { ...rest, ...Object.fromEntries(shown) };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
