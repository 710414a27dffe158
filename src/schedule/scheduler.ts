// The scheduler: one timer to the next slot, whatever the number of jobs. When it fires, everything due is claimed in one
// transaction and run, a few at a time. No state is only in memory: after a kill another scheduler on the same storage continues
// where this one was, and reports the interrupted runs.
import type { Job, Jobs, Run } from '../storage/jobs.ts';
import type { Lock, Locks } from '../storage/locks.ts';
import type { Deliver } from '../vocabulary/delivery.ts';
import { createFlushMessages } from './flush-messages.ts';
import { becomeOwner } from './owner.ts';
import { nextOf, planDue } from './plan.ts';
import { createRunner, type Fire } from './runner.ts';
import { settleAbandoned } from './settle.ts';
import type { Slots } from './timetable.ts';

export interface SchedulerDependencies {
  jobs: Jobs;
  locks: Locks;
  slots: Slots;
  fire: Fire;
  deliver: Deliver;
  now(): number;
  /** Calls back once after this time; returns a function that cancels it. */
  timer(ms: number, callback: () => void): () => void;
  log(text: string): void;
  /** Number of concurrent runs. */
  concurrency?: number;
  /** A slot claimed later than this is late. */
  graceMs?: number;
  /** Called before each look for due jobs, every five to ten seconds. */
  beforeLook?(): Promise<void>;
  /** The longest wait, however far the next slot is: the clock may be set, the machine may sleep, a job may be added elsewhere. */
  longestWaitMs?: number;
  /** A longer run is ended and counts as failed. */
  longestRunMs?: number;
  /** How often the runs of processes that have ended are looked for. */
  settleEveryMs?: number;
  /** Called when this scheduler has stopped because its lock was lost. */
  onLost?(): void;
}

export interface Scheduler {
  /** Settles the runs of ended processes, then runs due jobs until the signal fires or `stop`. Resolves when ready. */
  start(signal: AbortSignal): Promise<void>;
  /** Claims nothing new and resolves when the current runs have ended (interrupted at once when the signal of `start` fires). */
  stop(): Promise<void>;
  /** Runs the jobs that are due now, and resolves when all of them have ended. */
  runDue(signal: AbortSignal): Promise<Run[]>;
  /** Runs one job now, in addition to its slots. Undefined: the job is running already. */
  runByHand(name: string, signal: AbortSignal): Promise<Run | undefined>;
  /** Looks for due jobs at once instead of when the timer fires. */
  wake(): void;
}

const DEFAULT_LONGEST_WAIT_MS = 10_000;
const DEFAULT_GRACE_MS = 15_000;
const DEFAULT_CONCURRENCY = 4;
const DEFAULT_LONGEST_RUN_MS = 3_600_000;
const BATCH = 100;
const DEFAULT_SETTLE_EVERY_MS = 60_000;
const PREPARE_EVERY_MS = 5_000;
const MOST_NAMED = 5;
/** A claimed slot so far ahead means that the clock was wrong then, whatever the history still has. */
const CLOCK_WAS_WRONG_MS = 36 * 3_600_000;

export function createScheduler(dependencies: SchedulerDependencies): Scheduler {
  const { jobs, locks, slots, fire, now, timer, log } = dependencies;
  const { concurrency = DEFAULT_CONCURRENCY, graceMs = DEFAULT_GRACE_MS } = dependencies;
  const { longestRunMs = DEFAULT_LONGEST_RUN_MS, longestWaitMs = DEFAULT_LONGEST_WAIT_MS } = dependencies;
  const { settleEveryMs = DEFAULT_SETTLE_EVERY_MS } = dependencies;
  const flushMessages = createFlushMessages({ jobs, deliver: dependencies.deliver, now, log });
  const ended = new AbortController();
  let owner: Lock | undefined;
  let cancelTimer: (() => void) | undefined;
  let ticking: Promise<void> | undefined;
  let isWoken = false;
  let isStopped = false;
  let settledAt = Number.NEGATIVE_INFINITY;
  let rewoundAt = Number.NEGATIVE_INFINITY;
  let preparedAt = Number.NEGATIVE_INFINITY;
  let problem: string | undefined;
  let lastSeen = Number.NEGATIVE_INFINITY;

  const runner = createRunner({
    jobs,
    slots,
    fire,
    now,
    timer,
    log,
    concurrency,
    longestRunMs,
    signal: ended.signal,
    onFinish: () => {
      void flushMessages();
      // A job that ran may be due again.
      if (owner && !isStopped) wake();
    },
  });

  async function settle(mine: Lock, adopts: boolean): Promise<void> {
    settledAt = now();
    const adopted = await settleAbandoned({
      jobs,
      locks,
      owner: mine,
      isOurs: runner.has,
      adopts,
      now,
      graceMs,
      log,
    });
    runner.add(adopted, mine);
    if (now() - rewoundAt < DEFAULT_SETTLE_EVERY_MS && now() >= rewoundAt) return;
    rewoundAt = now();
    const rewound: string[] = [];
    for (const job of await jobs.ahead(now(), now() + CLOCK_WAS_WRONG_MS)) {
      const next = nextOf(job, now(), slots);
      if (job.next && next && (await jobs.rewind(job.id, job.next.slot, next))) rewound.push(job.name);
    }
    // One line for all of them: a clock that is set back concerns every job.
    if (rewound.length > 0) log(`the clock was ahead when ${listed(rewound)} last ran: continuing from now`);
  }

  /** Claims the jobs that are due by a moment and passes them to the runner. */
  async function claimDue(mine: Lock, horizon: () => number): Promise<Run[]> {
    const claimed: Run[] = [];
    for (;;) {
      const due = await jobs.due(horizon(), BATCH);
      if (due.length === 0 || isStopped) return claimed;
      const at = now();
      const claims = [];
      for (const job of due) {
        try {
          claims.push(planDue(job, Math.max(at, job.next?.dueAt ?? at), { slots, graceMs }));
        } catch (error) {
          await jobs.pause(job.name, `its schedule cannot be read: ${(error as Error).message}`);
        }
      }
      const runs = await jobs.claim(mine, claims, { now: at, begun: runner.free() });
      runner.add(pairs(runs, due), mine);
      claimed.push(...runs);
    }
  }

  async function tick(): Promise<void> {
    if (!owner || isStopped) return;
    const isSetBack = now() < lastSeen - longestWaitMs;
    lastSeen = now();
    if (isSetBack || now() - settledAt >= settleEveryMs) await settle(owner, true);
    if (isSetBack || now() - preparedAt >= PREPARE_EVERY_MS) {
      preparedAt = now();
      await dependencies.beforeLook?.();
    }
    await claimDue(owner, now);
    await flushMessages();
  }

  /** One look at a time; a wake during one is followed by another. */
  function wake(): void {
    if (isStopped) return;
    isWoken = true;
    ticking ??= look().finally(() => {
      ticking = undefined;
      if (isWoken) wake();
    });
  }

  async function look(): Promise<void> {
    cancelTimer?.();
    cancelTimer = undefined;
    let wait = longestWaitMs;
    try {
      while (isWoken && !isStopped) {
        isWoken = false;
        await tick();
      }
      const next = await jobs.nextDueAt();
      problem = undefined;
      if (next !== undefined) wait = Math.min(Math.max(next - now(), 0), longestWaitMs);
    } catch (error) {
      // A full disk, a locked file: nothing is lost, the next look tries again.
      const { message } = error as Error;
      if (message !== problem) log(`the scheduler could not look for due jobs: ${message}`);
      problem = message;
    }
    if (!isStopped) cancelTimer = timer(isWoken ? 0 : wait, wake);
  }

  async function stop(): Promise<void> {
    isStopped = true;
    cancelTimer?.();
    await ticking;
    await runner.drained({ withQueued: false });
    await flushMessages();
    await owner?.release();
    owner = undefined;
    ended.abort();
  }

  return {
    async start(signal) {
      signal.throwIfAborted();
      owner = await becomeOwner(locks, signal);
      try {
        await settle(owner, true);
      } catch (error) {
        await owner.release();
        owner = undefined;
        throw error;
      }
      const over = AbortSignal.any([signal, owner.lost]);
      over.addEventListener(
        'abort',
        () => {
          ended.abort(over.reason);
          stop()
            .catch((error: Error) => log(`the scheduler did not stop cleanly: ${error.message}`))
            .finally(() => !signal.aborted && dependencies.onLost?.());
        },
        { once: true },
      );
      await jobs.watch(wake, AbortSignal.any([signal, ended.signal]));
      wake();
      await ticking;
    },
    stop,
    async runDue(signal) {
      const mine = await becomeOwner(locks, signal);
      const over = AbortSignal.any([signal, mine.lost]);
      const onAbort = (): void => {
        isStopped = true;
        ended.abort(over.reason);
      };
      over.addEventListener('abort', onAbort, { once: true });
      try {
        const horizon = now();
        await settle(mine, true);
        await dependencies.beforeLook?.();
        for (;;) {
          const runs = await claimDue(mine, () => horizon);
          await runner.drained({ withQueued: true });
          if (runs.length === 0 || isStopped) break;
        }
        await flushMessages();
        return runner.finished();
      } finally {
        over.removeEventListener('abort', onAbort);
        await mine.release();
      }
    },
    async runByHand(name, signal) {
      const mine = await becomeOwner(locks, signal);
      const over = AbortSignal.any([signal, mine.lost]);
      const onAbort = (): void => ended.abort(over.reason);
      over.addEventListener('abort', onAbort, { once: true });
      try {
        await settle(mine, false);
        const run = await jobs.claimByHand(mine, name, now());
        const job = run && (await jobs.jobOf(run.id));
        if (!run || !job) return undefined;
        runner.add([{ run, job }], mine);
        await runner.drained({ withQueued: true });
        await flushMessages();
        return runner.finished().find(({ id }) => id === run.id);
      } finally {
        over.removeEventListener('abort', onAbort);
        await mine.release();
      }
    },
    wake,
  };
}

function pairs(runs: readonly Run[], due: readonly Job[]): { run: Run; job: Job }[] {
  const byId = new Map(due.map((job) => [job.id, job]));
  return runs.flatMap((run) => {
    const job = byId.get(run.jobId);
    return job ? [{ run, job }] : [];
  });
}

function listed(names: readonly string[]): string {
  const others = names.length - MOST_NAMED;
  return others > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${others} other jobs` : names.join(', ');
}
