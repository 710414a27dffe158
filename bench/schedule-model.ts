// What the policies of how-scheduling-works.md say should become of each slot, given when a scheduler was up: a plain walk over
// the slots that shares nothing with the scheduler but the words.
import type { Misfire } from '../src/storage/jobs.ts';

export interface Fates {
  ran: number[];
  interrupted: number[];
  skipped: number[];
  missed: number[];
}

export interface ModelInput {
  slots: readonly number[];
  misfire: Misfire;
  /** From when to when a scheduler was up. */
  up: readonly (readonly [from: number, to: number])[];
  graceMs: number;
  durationOf(slot: number): number;
}

const MOST_MADE_UP = 100;

export function expectedFates({ slots, misfire, up, graceMs, durationOf }: ModelInput): Fates {
  const fates: Fates = { ran: [], interrupted: [], skipped: [], missed: [] };
  let waiting: number[] = [];
  let index = 0;
  for (const [from, to] of up) {
    let freeAt = from;
    const start = (slot: number, at: number): void => {
      freeAt = at + durationOf(slot);
      (freeAt <= to ? fates.ran : fates.interrupted).push(slot);
    };
    /** Slots that had come before this scheduler was there. */
    while (index < slots.length && (slots[index] ?? 0) <= from) waiting.push(slots[index++] ?? 0);
    if (misfire !== 'all') {
      const newest = waiting.pop();
      fates.missed.push(...waiting);
      waiting = [];
      if (newest !== undefined) {
        if (misfire === 'once' || from - newest <= graceMs) start(newest, from);
        else fates.missed.push(newest);
      }
    }
    for (;;) {
      const next = slots[index];
      if (
        misfire === 'all' &&
        waiting.length > 0 &&
        freeAt <= to &&
        !(next !== undefined && next <= freeAt && next <= to)
      ) {
        fates.missed.push(...waiting.splice(0, Math.max(0, waiting.length - MOST_MADE_UP)));
        start(waiting.shift() ?? 0, freeAt);
        continue;
      }
      if (next === undefined || next > to) break;
      index += 1;
      if (freeAt <= next) start(next, next);
      else if (misfire === 'all') waiting.push(next);
      else if (freeAt <= to) fates.skipped.push(next);
      // The run it met was cut short: nobody knows that it came, until the next one looks.
      else waiting.push(next);
    }
  }
  return fates;
}
