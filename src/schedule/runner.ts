// Runs claimed slots, a few at a time, and records each end with its consequences: the next slot, the messages to the chat, the
// pause after too many failures.
import type { Finish, Job, Jobs, Run } from '../storage/jobs.ts';
import type { Fence } from '../storage/locks.ts';
import { StorageError } from '../storage/storage.ts';
import { answerMessage, failureText, interruptedText, notice } from './messages.ts';
import { planAfterRun } from './plan.ts';
import type { Slots } from './timetable.ts';

export type FireResult = { ok: true; answer: string } | { ok: false; reason: string };

/** Runs one turn of the job's own session. Must end soon after the signal fires. */
export type Fire = (job: Job, slot: number | undefined, signal: AbortSignal) => Promise<FireResult>;

export interface RunnerDependencies {
  jobs: Jobs;
  slots: Slots;
  fire: Fire;
  now(): number;
  timer(ms: number, callback: () => void): () => void;
  log(text: string): void;
  concurrency: number;
  longestRunMs: number;
  signal: AbortSignal;
  onFinish(run: Run): void;
}

export interface ClaimedRun {
  run: Run;
  job: Job;
}

export interface Runner {
  /** Number of runs that could start now. */
  free(): number;
  add(claimed: readonly ClaimedRun[], owner: Fence): void;
  has(runId: number): boolean;
  /** Resolves when the current runs have ended; with `withQueued`, when all added runs have. */
  drained(options: { withQueued: boolean }): Promise<void>;
  /** The runs that have ended since the last call. */
  finished(): Run[];
}

const MOST_KEPT = 1_000;
const STORE_AGAIN_MS = 1_000;

export function createRunner(dependencies: RunnerDependencies): Runner {
  const { jobs, slots, fire, now, timer, log, concurrency, longestRunMs, signal, onFinish } = dependencies;
  const tooLongReason = `it took longer than ${longestRunMs / 60_000} minutes`;
  const running = new Map<number, Promise<void>>();
  const queue: (ClaimedRun & { owner: Fence })[] = [];
  let ended: Run[] = [];

  function pump(): void {
    while (running.size < concurrency && queue.length > 0 && !signal.aborted) {
      const next = queue.shift();
      if (!next) return;
      const done = execute(next)
        .catch((error: Error) => log(`the run of ${next.job.name} could not be recorded: ${error.message}`))
        .finally(() => {
          running.delete(next.run.id);
          pump();
          onFinish(next.run);
        });
      running.set(next.run.id, done);
    }
  }

  async function execute({ run, job, owner }: ClaimedRun & { owner: Fence }): Promise<void> {
    if (run.status === 'queued' && !(await jobs.begin(owner, run.id, now()))) return;
    const result = await fireBounded(job, run);
    const isStopped = signal.aborted;
    const finish = await untilStored(job, () => endOf(run, result, isStopped));
    if (!finish) return;
    await untilStored(job, () => jobs.finish(finish));
    ended.push({ ...run, ...recorded(finish) });
    if (ended.length > MOST_KEPT) ended.shift();
  }

  /** An end that is not on record would be reported as an interruption: it is stored again until it is, or this scheduler ends. */
  async function untilStored<T>({ name }: Job, store: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await store();
      } catch (error) {
        const isPassing = error instanceof StorageError && error.code !== 'STORAGE_LOCK_LOST';
        if (!isPassing || signal.aborted) throw error;
        if (attempt === 1) log(`the end of the run of ${name} waits for the storage: ${error.message}`);
      }
      await pause(STORE_AGAIN_MS);
    }
  }

  /** Ends early when the signal fires. */
  async function pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = timer(ms, resolve);
    const onAbort = (): void => resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    await promise;
    cancel();
    signal.removeEventListener('abort', onAbort);
  }

  async function fireBounded(job: Job, run: Run): Promise<FireResult> {
    const tooLong = new AbortController();
    const cancel = timer(longestRunMs, () => tooLong.abort());
    try {
      const result = await fire(job, run.slot, AbortSignal.any([signal, tooLong.signal]));
      return result.ok || !tooLong.signal.aborted ? result : { ok: false, reason: tooLongReason };
    } catch (error) {
      if (tooLong.signal.aborted) return { ok: false, reason: tooLongReason };
      return { ok: false, reason: error instanceof Error ? error.message : String(error) };
    } finally {
      cancel();
    }
  }

  /** Undefined: the job was removed meanwhile. */
  async function endOf(run: Run, result: FireResult, isStopped: boolean): Promise<Finish | undefined> {
    // Read again: the job may have been changed or paused meanwhile.
    const job = await jobs.jobOf(run.id);
    if (!job) return undefined;
    const at = now();
    const base = { runId: run.id, at, expectedSlot: job.next?.slot };
    if (result.ok) {
      const messages = answerMessage(job, run, result.answer);
      const delivery = messages.length > 0 ? 'pending' : 'none';
      const outcome = { status: 'ok', answer: result.answer, delivery } as const;
      return { ...base, outcome, ...planAfterRun(job, at, 0, slots), failures: 0, messages };
    }
    if (isStopped) {
      const outcome = { status: 'interrupted', reason: 'the scheduler was stopped' } as const;
      // A run started by hand was stopped by hand: no notice.
      const messages = run.trigger === 'manual' ? [] : notice(job, run, 'interrupted', interruptedText(job));
      return { ...base, outcome, passedOver: [], next: job.next, failures: job.failures, messages };
    }
    const failures = job.failures + 1;
    const text = failureText(job, failures, result.reason);
    if (text !== undefined) log(text);
    return {
      ...base,
      outcome: { status: 'failed', reason: result.reason },
      ...planAfterRun(job, at, failures, slots),
      failures,
      ...(failures >= job.maxFailures && { pause: `${failures} failures in a row, the last: ${result.reason}` }),
      messages: notice(job, run, 'failed', text),
    };
  }

  return {
    free: () => Math.max(0, concurrency - running.size - queue.length),
    add(claimed, owner) {
      queue.push(...claimed.map((one) => ({ ...one, owner })));
      pump();
    },
    has: (runId) => running.has(runId) || queue.some(({ run }) => run.id === runId),
    async drained({ withQueued }) {
      if (!withQueued) queue.length = 0;
      while (running.size > 0) await Promise.all(running.values());
    },
    finished() {
      const all = ended;
      ended = [];
      return all;
    },
  };
}

function recorded({ at, outcome }: Finish): Partial<Run> {
  if (outcome.status === 'ok') return { ...outcome, finishedAt: at };
  return { status: outcome.status, reason: outcome.reason, finishedAt: at };
}
