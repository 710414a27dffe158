// Changing a job, and what its times would mean before anything is stored.
import { LANGUAGES } from '../config/settings.ts';
import { MISFIRES } from '../storage/jobs.ts';
import type { Asker } from '../vocabulary/asker.ts';
import { defineOperation } from './operation.ts';
import { JOB_FIELDS, JOB_OPTIONS, meaningOf, shownJob } from './schedule.ts';
import { listOf, objectWith, POSITIVE, TEXT, TIME } from './schemas.ts';

const RUNS_NAMED = 3;
const CRON = { ...TEXT, description: 'cron with 5 to 7 fields, @daily, "every 20m" or "at 2026-12-01T09:00"' } as const;

export const editJob = defineOperation({
  name: 'schedule.edit',
  class: 'change',
  summary: 'Change a job; what is left out stays. The job is active afterwards, and keeps its history.',
  input: {
    type: 'object',
    properties: {
      name: TEXT,
      cron: CRON,
      message: TEXT,
      timezone: TEXT,
      model: TEXT,
      injectInto: { type: 'string', description: 'the chat that gets the answer, channel:chatId' },
      misfire: { enum: MISFIRES },
      jitter: TEXT,
      maxFailures: POSITIVE,
    },
    required: ['name'],
    additionalProperties: false,
  },
  output: objectWith({ ...JOB_FIELDS, nextRuns: listOf(TIME) }, JOB_OPTIONS),
  async run({ name, ...changes }, { runtime }) {
    const asker: Asker = { kind: 'owner', chat: changes.injectInto };
    const schedule = await runtime.schedule();
    const job = await schedule.edit(name, changes, asker);
    const runs = await schedule.upcoming(job.name, RUNS_NAMED);
    const meaning = await meaningOf(job.timetable, runtime.config.language);
    const note = job.injectInto === undefined ? undefined : await runtime.answerProblem(job.injectInto, job.asker);
    return {
      ...(await shownJob(job)),
      nextRuns: runs.map(({ dueAt }) => new Date(dueAt).toISOString()),
      ...(meaning !== undefined && { meaning }),
      ...(note !== undefined && { note }),
    };
  },
});

export const previewTimes = defineOperation({
  name: 'schedule.preview',
  class: 'read',
  summary: 'Tell what the times of a job mean and when it would run next; nothing is stored.',
  input: {
    type: 'object',
    properties: { cron: CRON, timezone: TEXT, language: { enum: LANGUAGES } },
    required: ['cron'],
    additionalProperties: false,
  },
  output: objectWith({ nextRuns: listOf(TIME) }, { meaning: TEXT }),
  async run({ cron, timezone, language }, { runtime }) {
    const { timetable, runs } = (await runtime.schedule()).preview({ cron, timezone }, RUNS_NAMED);
    const meaning = await meaningOf(timetable, language ?? runtime.config.language);
    return {
      nextRuns: runs.map(({ dueAt }) => new Date(dueAt).toISOString()),
      ...(meaning !== undefined && { meaning }),
    };
  },
});
