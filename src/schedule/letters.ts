// What a chat is told about a run: the answer, and the notices about runs that went wrong.
import type { Finish, Job, Run } from '../storage/jobs.ts';

type Draft = Finish['letters'][number];

/** The model says that there is nothing to tell: `{"silent":true, …}`, also in a fence. */
export function isSilent(answer: string): boolean {
  const body = answer.trim().replace(/^```(?:json)?\s*([\s\S]*?)\s*```$/, '$1');
  if (!body.startsWith('{')) return false;
  try {
    return (JSON.parse(body) as { silent?: unknown }).silent === true;
  } catch {
    return false;
  }
}

export function answerLetter({ injectInto, asker }: Job, run: Run, answer: string): Draft[] {
  if (injectInto === undefined || isSilent(answer) || answer.trim() === '') return [];
  return [{ key: `schedule-${run.id}-answer`, chat: injectInto, text: answer, isAnswer: true, asker }];
}

/** Once for each row of failures, and once when it stops. */
export function failureText(job: Job, failures: number, reason: string): string | undefined {
  if (failures >= job.maxFailures) {
    const often = job.maxFailures === 1 ? 'it failed' : `${failures} failures in a row, the last`;
    return `The scheduled job "${job.name}" is paused: ${often}: ${reason}\nTo go on: lainclaw schedule resume ${job.name}`;
  }
  if (failures > 1) return undefined;
  const after = job.next ? ` It goes on, more slowly, and is paused after ${job.maxFailures} failures in a row.` : '';
  return `The scheduled job "${job.name}" failed: ${reason}${after}`;
}

export function interruptedText({ name }: Job): string {
  return `A run of the scheduled job "${name}" was interrupted: the program ended meanwhile. What it did until then is unknown; it is not repeated.`;
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
