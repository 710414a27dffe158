// The contract of scheduled jobs: what is to run when, and what became of it. It keeps and hands out; which slot is next, and
// what a late one means, is decided by schedule/.
//
// A job's pointer (`next`) only moves on, in the transaction that claims a slot: whichever process moves it has the slot, so no
// slot is handed out twice. While a run of a job is unfinished the job is due for nobody.
//
// Whoever claims runs holds a lock under whose name they are on record, and passes its fence: once the lock is lost, claiming and
// beginning reject with STORAGE_LOCK_LOST.

import type { Asker } from '../vocabulary/asker.ts';
import type { Fence } from './locks.ts';

export type Timetable =
  | { kind: 'cron'; pattern: string; timezone: string }
  /** Counted from `anchor`, in real time. */
  | { kind: 'every'; everyMs: number; anchor: number }
  | { kind: 'at'; at: number; timezone: string };

/** What happens to slots that passed while nobody could run them. */
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
  /** What stood there. */
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
  /** How many slots were skipped or missed; for a late run, how many older ones it stands for. */
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

/** Slots that will not run, on record. */
export interface PassedOver {
  status: 'skipped' | 'missed';
  reason: string;
  firstSlot: number;
  lastSlot: number;
  count: number;
}

export interface Claim {
  jobId: number;
  /** The pointer as it was when this was decided: when it has moved, the claim is void. */
  expectedSlot: number;
  passedOver: readonly PassedOver[];
  /** Absent: nothing is to run. */
  run?: { slot: number; late: boolean; missed: number };
  /** Where the pointer goes; absent: there is no further slot. */
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
  /** The pointer as it was when this was decided: when it has moved, it stays where it is. */
  expectedSlot?: number;
  next?: NextSlot;
  failures: number;
  /** Pauses the job. */
  pause?: string;
  letters: readonly Omit<Letter, 'runId'>[];
}

/** A text for a chat, kept until it has been handed over. */
export interface Letter {
  /** The same on every attempt. */
  key: string;
  runId: number;
  chat: string;
  text: string;
  /** The answer of the run, not a notice about it. */
  isAnswer: boolean;
  /** Of the job. */
  asker: Asker;
}

export interface Jobs {
  /** Durable when it resolves. Undefined: the name is taken by a job that is not done. Of those that are, a hundred are kept. */
  add(definition: JobDefinition, next: NextSlot): Promise<Job | undefined>;
  /** Replaces the definition, starting anew: active, no failures. A run that is under way is not touched. */
  redefine(name: string, definition: JobDefinition, next: NextSlot): Promise<Job | undefined>;
  get(name: string): Promise<Job | undefined>;
  /** By name. Changes nothing. */
  list(): Promise<Job[]>;
  /** The job and its history. False: there is none. */
  remove(name: string): Promise<boolean>;
  pause(name: string, reason: string): Promise<boolean>;
  /** Active again and without failures, from this slot on. */
  resume(name: string, next: NextSlot): Promise<boolean>;

  /** What is due, the longest first. Changes nothing. */
  due(now: number, limit: number): Promise<Job[]>;
  /** When something is due next; undefined when nothing is. */
  nextDueAt(): Promise<number | undefined>;
  /** Jobs whose newest slot lies after this: the clock was ahead when it was claimed. */
  ahead(after: number): Promise<Job[]>;
  /** Puts the pointer of such a job back. Slots on record are still not handed out again. */
  rewind(jobId: number, expectedSlot: number, next: NextSlot): Promise<boolean>;

  /** All in one transaction, durable when it resolves. The first `begun` runs are running at once, the others queued. */
  claim(owner: Fence, claims: readonly Claim[], options: { now: number; begun: number }): Promise<Run[]>;
  /** A run by hand, beside the slots. Undefined: a run is under way, or there is no such job. */
  claimByHand(owner: Fence, name: string, now: number): Promise<Run | undefined>;
  /** Durable before it resolves: from here on the run may have had effects. False: it is no longer ours. */
  begin(owner: Fence, runId: number, now: number): Promise<boolean>;
  /** All or nothing, and once: a run that is finished already is left alone (false). */
  finish(finish: Finish): Promise<boolean>;
  /** Queued and running, of whichever owner. */
  unfinished(): Promise<Run[]>;
  /** Takes over a queued run of an owner who is gone. False: somebody else did. */
  adopt(runId: number, from: string, owner: Fence): Promise<boolean>;
  jobOf(runId: number): Promise<Job | undefined>;

  /** Newest first; two hundred are kept. */
  history(name: string, limit: number): Promise<Run[]>;
  letters(limit: number): Promise<Letter[]>;
  /** It was handed over, or never can be. */
  settleLetter(key: string, delivery: 'sent' | 'failed'): Promise<void>;

  /** Calls back some time after another process changed something, from when it resolves. Best effort: never rejects. */
  watch(onChange: () => void, signal: AbortSignal): Promise<void>;
}
