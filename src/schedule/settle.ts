// Settles the runs of an owner that is gone. A run that had begun is recorded as interrupted and never repeated; a queued one is
// taken over.
import type { Finish, Job, Jobs, Run } from '../storage/jobs.ts';
import type { Fence, Locks } from '../storage/locks.ts';
import { interruptedText, notice } from './messages.ts';
import { MISSED } from './plan.ts';
import type { ClaimedRun } from './runner.ts';

export interface SettleDependencies {
  jobs: Jobs;
  locks: Locks;
  /** The owner that settles. */
  owner: Fence;
  isOurs(runId: number): boolean;
  /** True: take over queued runs. */
  adopts: boolean;
  now(): number;
  graceMs: number;
  log(text: string): void;
}

export async function settleAbandoned(dependencies: SettleDependencies): Promise<ClaimedRun[]> {
  const { jobs, locks, owner, isOurs } = dependencies;
  const open = (await jobs.unfinished()).filter(({ id }) => !isOurs(id));
  const adopted: ClaimedRun[] = [];
  for (const [name, runs] of Map.groupBy(open, (run) => run.owner ?? '')) {
    // One scheduler at a time uses a name: a run under our name that is not ours belongs to an earlier holder.
    const lock = name === owner.name ? undefined : await locks.tryAcquire(name);
    if (!lock && name !== owner.name) continue;
    try {
      for (const run of runs) {
        const job = await jobs.jobOf(run.id);
        if (!job) continue;
        if (run.status === 'running') await interrupt(job, run, dependencies);
        else if (
          dependencies.adopts &&
          !(await dropLate(job, run, dependencies)) &&
          (await jobs.adopt(run.id, name, owner))
        )
          adopted.push({ job, run });
      }
    } finally {
      await lock?.release();
    }
  }
  return adopted;
}

async function interrupt(job: Job, run: Run, { jobs, now, log }: SettleDependencies): Promise<void> {
  const text = interruptedText(job);
  const finished = await jobs.finish({
    ...leftAsItIs(job, run, now()),
    outcome: { status: 'interrupted', reason: 'the program ended while it ran' },
    messages: notice(job, run, 'interrupted', text),
  });
  if (finished) log(text);
}

/** Drops a late run that nobody had begun, when its job does not make up for missed slots. */
async function dropLate(job: Job, run: Run, { jobs, now, graceMs }: SettleDependencies): Promise<boolean> {
  if (job.misfire !== 'skip' || now() - (run.slot ?? 0) <= graceMs + job.jitterMs) return false;
  return jobs.finish({ ...leftAsItIs(job, run, now()), outcome: { status: 'missed', reason: MISSED }, messages: [] });
}

function leftAsItIs({ next, failures }: Job, { id }: Run, at: number): Omit<Finish, 'outcome' | 'messages'> {
  return { runId: id, at, passedOver: [], expectedSlot: next?.slot, next, failures };
}
