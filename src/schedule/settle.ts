// What an owner who is gone left behind. A run that had begun is recorded as interrupted and never repeated; one that was only
// waiting is taken over.
import type { Finish, Job, Jobs, Run } from '../storage/jobs.ts';
import type { Fence, Locks } from '../storage/locks.ts';
import { interruptedText, notice } from './letters.ts';
import { MISSED } from './plan.ts';
import type { ClaimedRun } from './runner.ts';

export interface SettleDependencies {
  jobs: Jobs;
  locks: Locks;
  /** Who settles. */
  owner: Fence;
  isOurs(runId: number): boolean;
  /** Whether waiting runs are taken over. */
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
    // A name is used by one scheduler at a time: what stands under ours and is not ours is from an earlier holder.
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
    letters: notice(job, run, 'interrupted', text),
  });
  if (finished) log(text);
}

/** Nobody had begun it: for a job that makes up for nothing it is too late now. */
async function dropLate(job: Job, run: Run, { jobs, now, graceMs }: SettleDependencies): Promise<boolean> {
  if (job.misfire !== 'skip' || now() - (run.slot ?? 0) <= graceMs + job.jitterMs) return false;
  return jobs.finish({ ...leftAsItIs(job, run, now()), outcome: { status: 'missed', reason: MISSED }, letters: [] });
}

function leftAsItIs({ next, failures }: Job, { id }: Run, at: number): Omit<Finish, 'outcome' | 'letters'> {
  return { runId: id, at, passedOver: [], expectedSlot: next?.slot, next, failures };
}
