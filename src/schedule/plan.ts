// Decides what happens to a job's slots. Pure functions; storage carries the decisions out in one transaction.
//
// Due: the newest slot that has come runs, unless the policy says otherwise. Older slots passed while nobody could run them:
// `skip` drops them, `once` makes up for them with that one run, `all` runs each of them in turn (at most the newest hundred).
// Finished: slots that came meanwhile are skipped (`all` keeps them waiting), and so are those within the time a failing job
// backs off. Every slot that does not run is recorded.
import type { Claim, Job, NextSlot, PassedOver } from '../storage/jobs.ts';
import { jitterOf } from './jitter.ts';
import type { Slots } from './timetable.ts';

/** The most slots that `all` makes up for. */
export const MOST_MADE_UP = 100;
/** Larger numbers are counted as this many. */
export const MOST_COUNTED = 1_000;
export const MISSED = 'it passed while nothing ran';
const FIRST_BACK_OFF_MS = 60_000;
const LONGEST_BACK_OFF_MS = 6 * 3_600_000;

type Timed = Pick<Job, 'name' | 'timetable' | 'jitterMs'>;

export function nextOf(job: Timed, after: number, slots: Slots): NextSlot | undefined {
  const slot = slots.next(job.timetable, after);
  return slot === undefined ? undefined : { slot, dueAt: slot + jitterOf(job.name, slot, job.jitterMs) };
}

/** The first slot that is due after a moment, from a pointer on. */
function nextDueAfter(job: Timed, from: NextSlot, moment: number, slots: Slots): NextSlot | undefined {
  let next: NextSlot | undefined =
    from.dueAt > moment ? from : nextOf(job, Math.max(from.slot, moment - job.jitterMs - 1), slots);
  while (next && next.dueAt <= moment) next = nextOf(job, next.slot, slots);
  return next;
}

export function planDue(job: Job, now: number, { slots, graceMs }: { slots: Slots; graceMs: number }): Claim {
  if (!job.next) throw new Error(`${job.name} has no next slot`);
  const pointer = job.next.slot;
  const come = comeBy(job, pointer, now, slots);
  // The stored slot counts, even if the timetable no longer contains it.
  const pending = come[0] === pointer || come.length === MOST_COUNTED ? come : [pointer, ...come];
  const isLate = (slot: number): boolean => now - slot - jitterOf(job.name, slot, job.jitterMs) > graceMs;
  const newest = pending.at(-1) ?? pointer;
  const older = pending.slice(0, -1);
  const base = { jobId: job.id, expectedSlot: pointer };
  switch (job.misfire) {
    case 'skip': {
      const next = nextOf(job, newest, slots);
      if (isLate(newest)) return { ...base, passedOver: missed(pending, MISSED), next };
      const run = { slot: newest, late: false, missed: 0 };
      return { ...base, passedOver: missed(older, MISSED), run, next };
    }
    case 'once': {
      const run = { slot: newest, late: older.length > 0 || isLate(newest), missed: older.length };
      return {
        ...base,
        passedOver: missed(older, 'made up for by one late run'),
        run,
        next: nextOf(job, newest, slots),
      };
    }
    case 'all': {
      const kept = pending.slice(-MOST_MADE_UP);
      const [first = pointer, second] = kept;
      const run = { slot: first, late: isLate(first), missed: 0 };
      const next =
        second === undefined
          ? nextOf(job, first, slots)
          : { slot: second, dueAt: second + jitterOf(job.name, second, job.jitterMs) };
      const left = missed(pending.slice(0, -MOST_MADE_UP), `more than ${MOST_MADE_UP} had passed`);
      return { ...base, passedOver: left, run, next };
    }
  }
}

export interface AfterRun {
  passedOver: PassedOver[];
  next?: NextSlot;
}

/** Plans after a run of the job; `failures` is the current number in a row. */
export function planAfterRun(job: Job, at: number, failures: number, slots: Slots): AfterRun {
  const { next } = job;
  if (!next) return { passedOver: [] };
  const notBefore = failures > 0 ? at + backOffMs(failures) : at;
  if (job.misfire === 'all')
    return { passedOver: [], next: { slot: next.slot, dueAt: Math.max(next.dueAt, failures > 0 ? notBefore : 0) } };
  const come = comeBy(job, next.slot, notBefore, slots);
  const dueBy = (slot: number): boolean => slot + jitterOf(job.name, slot, job.jitterMs) <= at;
  return {
    passedOver: [
      ...passedOver('skipped', come.filter(dueBy), 'the run before it had not finished'),
      ...passedOver(
        'skipped',
        come.filter((slot) => !dueBy(slot)),
        `backing off after ${failures} failure${failures === 1 ? '' : 's'} in a row`,
      ),
    ],
    next: nextDueAfter(job, next, notBefore, slots),
  };
}

export function backOffMs(failures: number): number {
  return Math.min(FIRST_BACK_OFF_MS * 2 ** (failures - 1), LONGEST_BACK_OFF_MS);
}

/** The slots from a pointer on that are due by a moment; only the newest when there are too many. */
function comeBy(job: Timed, pointer: number, moment: number, slots: Slots): number[] {
  const range = { after: pointer - 1, until: moment, limit: MOST_COUNTED };
  return slots.latest(job.timetable, range).filter((slot) => slot + jitterOf(job.name, slot, job.jitterMs) <= moment);
}

function missed(slots: readonly number[], reason: string): PassedOver[] {
  return passedOver('missed', slots, reason);
}

function passedOver(status: PassedOver['status'], slots: readonly number[], reason: string): PassedOver[] {
  const [firstSlot] = slots;
  const lastSlot = slots.at(-1);
  if (firstSlot === undefined || lastSlot === undefined) return [];
  return [{ status, reason, firstSlot, lastSlot, count: slots.length }];
}
