// The contract of scheduled jobs: jobs, their runs and messages. It stores and claims; schedule/ decides which slot is next and
// how a late one is handled.
//
// A job's pointer (`next`) only moves forward, in the transaction that claims a slot: the process that moves it owns the slot, so
// no slot is claimed twice. A job with an unfinished run is not due.
//
// A process that claims runs holds a lock, records them under its name, and passes its fence: once the lock is lost, claiming
// and beginning reject with STORAGE_LOCK_LOST.

import type { Asker } from '../vocabulary/asker.ts';
import type { Fence } from './locks.ts';

export type Timetable =
  | { kind: 'cron'; pattern: string; timezone: string }
  /** Counted from `anchor`, in real time. */
  | { kind: 'every'; everyMs: number; anchor: number }
  | { kind: 'at'; at: number; timezone: string };

/** The policies for slots that passed while nobody could run them. */
export const MISFIRES = ['skip', 'once', 'all'] as const;
export type Misfire = (typeof MISFIRES)[number];

export type JobSource = 'cli' | 'tool' | 'heartbeat';

export interface JobDefinition {
  name: string;
  /** The schedule as it was written. */
  when: string;
  timetable: Timetable;
  timezone: string;
  message: string;
  model?: string;
  /** The chat that gets the answers, `channel:chatId`. */
  injectInto?: string;
  misfire: Misfire;
  /** Each slot is delayed by up to this much, always the same for the same slot. */
  jitterMs: number;
  /** Failures in a row after which the job is paused. */
  maxFailures: number;
  source: JobSource;
  /** Decides which chat its answers may go to. */
  asker: Asker;
  /** The file it was read from. */
  origin?: string;
  /** The text of its section there. */
  originText?: string;
  createdAt: number;
}

export interface NextSlot {
  slot: number;
  /** The slot and its jitter. */
  dueAt: number;
}

export type JobStatus = 'active' | 'paused' | 'done';

export interface Job extends JobDefinition {
  id: number;
  status: JobStatus;
  /** Why it is paused. */
  reason?: string;
  failures: number;
  /** The newest slot that was claimed or passed over. */
  lastSlot?: number;
  next?: NextSlot;
  /** The unfinished run. */
  runId?: number;
}

export type RunStatus = 'queued' | 'running' | 'ok' | 'failed' | 'interrupted' | 'skipped' | 'missed';
export type Delivery = 'none' | 'pending' | 'sent' | 'failed';

export interface Run {
  id: number;
  jobId: number;
  status: RunStatus;
  trigger: 'slot' | 'manual';
  /** The slot, or the first of those that were skipped or missed. Absent for a run by hand. */
  slot?: number;
  /** The last of those that were skipped or missed. */
  lastSlot?: number;
  /** Number of skipped or missed slots; for a late run, the number of older slots it makes up for. */
  count: number;
  late: boolean;
  owner?: string;
  startedAt?: number;
  finishedAt?: number;
  answer?: string;
  /** Why it failed, was skipped or missed. */
  reason?: string;
  delivery: Delivery;
}

/** The record of slots that will not run. */
export interface PassedOver {
  status: 'skipped' | 'missed';
  reason: string;
  firstSlot: number;
  lastSlot: number;
  count: number;
}

export interface Claim {
  jobId: number;
  /** The pointer at the time of the decision: when it has moved since, the claim is void. */
  expectedSlot: number;
  passedOver: readonly PassedOver[];
  /** Absent: nothing runs. */
  run?: { slot: number; late: boolean; missed: number };
  /** The new pointer; absent: there is no further slot. */
  next?: NextSlot;
}

export interface Finish {
  runId: number;
  at: number;
  outcome:
    | { status: 'ok'; answer: string; delivery: Delivery }
    | { status: 'failed'; reason: string }
    | { status: 'interrupted'; reason: string }
    | { status: 'missed'; reason: string };
  passedOver: readonly PassedOver[];
  /** The pointer at the time of the decision: when it has moved since, it is not changed. */
  expectedSlot?: number;
  next?: NextSlot;
  failures: number;
  /** Pauses the job, for this reason. */
  pause?: string;
  messages: readonly Omit<JobMessage, 'runId'>[];
}

/** A message of a run to a chat, kept until it is delivered. */
export interface JobMessage {
  /** The same on every attempt. */
  key: string;
  runId: number;
  chat: string;
  text: string;
  /** True for the answer of the run, false for a notice about it. */
  isAnswer: boolean;
  /** The asker of the job. */
  asker: Asker;
}

export interface Jobs {
  /** Durable when it resolves. Undefined: a job that is not done has the name. A hundred jobs that are done are kept. */
  add(definition: JobDefinition, next: NextSlot): Promise<Job | undefined>;
  /** Replaces the definition and resets the job: active, no failures. Does not affect a current run. */
  redefine(name: string, definition: JobDefinition, next: NextSlot): Promise<Job | undefined>;
  get(name: string): Promise<Job | undefined>;
  /** Sorted by name. Changes nothing. */
  list(): Promise<Job[]>;
  /** Removes the job and its history. False: there is no such job. */
  remove(name: string): Promise<boolean>;
  pause(name: string, reason: string): Promise<boolean>;
  /** Makes the job active again, without failures, from this slot on. */
  resume(name: string, next: NextSlot): Promise<boolean>;

  /** The jobs that are due, the longest overdue first. Changes nothing. */
  due(now: number, limit: number): Promise<Job[]>;
  /** When the next job is due; undefined when none is. */
  nextDueAt(): Promise<number | undefined>;
  /**
   * Jobs that ran or missed a slot after now: the clock was ahead then. (One that backs off skips slots to come.) Only those whose
   * history still has every run after now, or whose newest slot is after `certainlyAfter`.
   */
  ahead(now: number, certainlyAfter: number): Promise<Job[]>;
  /**
   * Moves the pointer of such a job back. From there on, slots that ran are still not claimed again; what is on record of slots that
   * were passed over is removed, since they are yet to come.
   */
  rewind(jobId: number, expectedSlot: number, next: NextSlot): Promise<boolean>;

  /** All in one transaction, durable when it resolves. The first `begun` runs are running at once, the others queued. */
  claim(owner: Fence, claims: readonly Claim[], options: { now: number; begun: number }): Promise<Run[]>;
  /** Claims a run by hand, in addition to the slots. Undefined: the job is running, or does not exist. */
  claimByHand(owner: Fence, name: string, now: number): Promise<Run | undefined>;
  /** Durable when it resolves: from here on the run may have effects. False: another owner has the run. */
  begin(owner: Fence, runId: number, now: number): Promise<boolean>;
  /** All or nothing, and once: false, changing nothing, when the run is finished already. */
  finish(finish: Finish): Promise<boolean>;
  /** Queued and running runs of all owners. */
  unfinished(): Promise<Run[]>;
  /** Takes over a queued run of an owner that is gone. False: another process did. */
  adopt(runId: number, from: string, owner: Fence): Promise<boolean>;
  jobOf(runId: number): Promise<Job | undefined>;

  /** Newest first; two hundred runs are kept. */
  history(name: string, limit: number): Promise<Run[]>;
  /** Removes what the runs of a job answered, and the messages of them that wait; the runs stay. */
  forgetAnswers(name: string): Promise<void>;
  /** The messages that wait for delivery, the oldest first. */
  messages(limit: number): Promise<JobMessage[]>;
  /** Removes a message that was delivered, or never can be. */
  settleMessage(key: string, delivery: 'sent' | 'failed'): Promise<void>;

  /** Once it resolves, calls back some time after another process changed something. Best effort: never rejects. */
  watch(onChange: () => void, signal: AbortSignal): Promise<void>;
}
