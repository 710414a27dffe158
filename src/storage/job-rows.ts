// Rows of the tables of jobs, and what they mean. The columns have the same names in every database; what is true or false is 1 or 0.
import { type Asker, NOBODY, parseAsker } from '../vocabulary/asker.ts';
import type { Job, JobDefinition, JobMessage, JobStatus, NextSlot, Run, RunStatus } from './jobs.ts';

type Row = Readonly<Record<string, unknown>>;

/** Jobs of earlier versions do not say who asked: the owner's are known by their source, and the chat they name is theirs. */
function definitionOf(text: unknown): JobDefinition {
  const definition = JSON.parse(String(text)) as Omit<JobDefinition, 'asker'> & { asker?: Asker };
  const { source, injectInto } = definition;
  const asker: Asker = source === 'cli' ? { kind: 'owner', chat: injectInto } : NOBODY;
  return { ...definition, asker: definition.asker ?? asker };
}

export function jobOf(row: Row): Job {
  const { id, status, reason, failures, last_slot: lastSlot, next_slot: slot, next_due: dueAt, run_id: runId } = row;
  return {
    ...definitionOf(row.definition),
    id: Number(id),
    status: status as JobStatus,
    ...(reason !== null && { reason: String(reason) }),
    failures: Number(failures),
    ...(lastSlot !== null && { lastSlot: Number(lastSlot) }),
    ...(slot !== null && { next: { slot: Number(slot), dueAt: Number(dueAt) } satisfies NextSlot }),
    ...(runId !== null && { runId: Number(runId) }),
  };
}

export function runOf(row: Row): Run {
  const number = (name: string): number | undefined => (row[name] === null ? undefined : Number(row[name]));
  const text = (name: string): string | undefined => (row[name] === null ? undefined : String(row[name]));
  const run: Run = {
    id: Number(row.id),
    jobId: Number(row.job_id),
    status: row.status as RunStatus,
    trigger: row.trigger as Run['trigger'],
    slot: number('slot'),
    lastSlot: number('last_slot'),
    count: Number(row.count),
    late: row.late === 1,
    owner: text('owner'),
    startedAt: number('started_at'),
    finishedAt: number('finished_at'),
    answer: text('answer'),
    reason: text('reason'),
    delivery: row.delivery as Run['delivery'],
  };
  return Object.fromEntries(Object.entries(run).filter(([, value]) => value !== undefined)) as unknown as Run;
}

/** The row includes the `definition` of the job, when the job still exists. */
export function messageOf(row: Row): JobMessage {
  const { key, run_id: runId, chat, text, is_answer: isAnswer } = row;
  return {
    key: String(key),
    runId: Number(runId),
    chat: String(chat),
    text: String(text),
    isAnswer: isAnswer === 1,
    asker: row.asker === null && row.definition !== null ? definitionOf(row.definition).asker : parseAsker(row.asker),
  };
}
