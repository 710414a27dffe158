// The messages of a run to its chat: the answer, and notices about runs that failed or were interrupted.
import { isSilentAnswer } from '../lib/silent-answer.ts';
import type { Finish, Job, Run } from '../storage/jobs.ts';

type Draft = Finish['messages'][number];

export function answerMessage({ injectInto, asker }: Job, run: Run, answer: string): Draft[] {
  if (injectInto === undefined || isSilentAnswer(answer) || answer.trim() === '') return [];
  return [{ key: `schedule-${run.id}-answer`, chat: injectInto, text: answer, isAnswer: true, asker }];
}

/** A notice for the first of several failures in a row, and one when the job is paused. */
export function failureText(job: Job, failures: number, reason: string): string | undefined {
  if (failures >= job.maxFailures) {
    const often = job.maxFailures === 1 ? 'it failed' : `${failures} failures in a row, the last`;
    return `The scheduled job "${job.name}" is paused: ${often}: ${reason}\nTo resume it: lainclaw schedule resume ${job.name}`;
  }
  if (failures > 1) return undefined;
  const after = job.next ? ` It continues, more slowly, and is paused after ${job.maxFailures} failures in a row.` : '';
  return `The scheduled job "${job.name}" failed: ${reason}${after}`;
}

export function interruptedText({ name }: Job): string {
  return `A run of the scheduled job "${name}" was interrupted: the program ended. What the run did until then is unknown; it is not repeated.`;
}

export function notice(
  { injectInto, asker }: Job,
  run: Run,
  kind: 'failed' | 'interrupted',
  text: string | undefined,
): Draft[] {
  if (injectInto === undefined || text === undefined) return [];
  return [{ key: `schedule-${run.id}-${kind}`, chat: injectInto, text, isAnswer: false, asker }];
}
