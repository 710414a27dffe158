// Scheduled jobs: a prompt that is asked at given times.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LANGUAGES, type Language } from '../config/settings.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { JobSummary, RunSummary } from '../schedule/summary.ts';
import { type Job, MISFIRES, type Run, type Timetable } from '../storage/jobs.ts';
import type { Asker } from '../vocabulary/asker.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { WorkspaceError } from '../vocabulary/workspace-error.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, POSITIVE, TEXT, TIME, YES_OR_NO } from './schemas.ts';
import { withWorkspace } from './with-workspace.ts';

/** System cron calls once a minute: what came within the minute is not late. */
const GRACE_MS = 90_000;
/** How many of the next runs are said when a job is added. */
const RUNS_NAMED = 3;

export const JOB_FIELDS = {
  name: TEXT,
  cron: TEXT,
  timezone: TEXT,
  message: TEXT,
  misfire: TEXT,
  maxFailures: COUNT,
  source: TEXT,
  status: { enum: ['active', 'running', 'paused', 'done'] },
  failures: COUNT,
  nextRunAt: { type: ['string', 'null'] },
  createdAt: TIME,
} as const;
export const JOB_OPTIONS = {
  model: TEXT,
  injectInto: TEXT,
  jitterMs: COUNT,
  origin: TEXT,
  reason: TEXT,
  note: { type: 'string', description: 'why its answer would not reach its chat' },
  meaning: { type: 'string', description: 'its times as a sentence' },
} as const;
const JOB = objectWith(JOB_FIELDS, JOB_OPTIONS);
const RUN_FIELDS = { id: COUNT, status: TEXT, trigger: TEXT, count: COUNT, late: YES_OR_NO, delivery: TEXT } as const;
const RUN_OPTIONS = {
  slot: TIME,
  lastSlot: TIME,
  startedAt: TIME,
  finishedAt: TIME,
  answer: TEXT,
  reason: TEXT,
} as const;
const RUN = objectWith(RUN_FIELDS, RUN_OPTIONS);
const NAMED_RUN = objectWith(RUN_FIELDS, { ...RUN_OPTIONS, name: TEXT, timezone: TEXT });
const NAME = { type: 'object', properties: { name: TEXT }, required: ['name'], additionalProperties: false } as const;

export const addJob = defineOperation({
  name: 'schedule.add',
  class: 'change',
  summary: 'Add a job: a prompt that runs at given times.',
  input: {
    type: 'object',
    properties: {
      name: TEXT,
      cron: { type: 'string', description: 'cron with 5 to 7 fields, @daily, "every 20m" or "at 2026-12-01T09:00"' },
      message: TEXT,
      timezone: TEXT,
      model: TEXT,
      injectInto: { type: 'string', description: 'the chat that gets the answer, channel:chatId' },
      misfire: { enum: MISFIRES },
      jitter: TEXT,
      maxFailures: POSITIVE,
    },
    required: ['name', 'cron', 'message'],
    additionalProperties: false,
  },
  output: objectWith({ ...JOB_FIELDS, gatewayRunning: YES_OR_NO, nextRuns: listOf(TIME) }, JOB_OPTIONS),
  async run(request, { runtime }) {
    const asker: Asker = { kind: 'owner', chat: request.injectInto };
    const schedule = await runtime.schedule();
    const job = await schedule.add(request, 'cli', asker);
    const meaning = await meaningOf(job.timetable, runtime.config.language);
    const nextRuns = (await schedule.upcoming(job.name, RUNS_NAMED)).map(({ dueAt }) => new Date(dueAt).toISOString());
    const gatewayRunning = await runtime.isGatewayRunning();
    const note = request.injectInto === undefined ? undefined : await runtime.answerProblem(request.injectInto, asker);
    const said = { nextRuns, ...(meaning !== undefined && { meaning }) };
    return { ...(await shownJob(job)), gatewayRunning, ...said, ...(note !== undefined && { note }) };
  },
});

export const listJobs = defineOperation({
  name: 'schedule.list',
  class: 'read',
  summary: 'List the jobs, when each runs next, and what is wrong with HEARTBEAT.md.',
  input: {
    type: 'object',
    properties: { language: { enum: LANGUAGES, description: 'also what the times of each mean, in this language' } },
    additionalProperties: false,
  },
  output: objectWith({
    jobs: listOf(JOB),
    problems: listOf(objectWith({ line: COUNT, message: TEXT }, { name: TEXT })),
    gatewayRunning: YES_OR_NO,
  }),
  async run({ language }, context) {
    const { runtime } = context;
    const jobs = await (await runtime.schedule()).list();
    const notes = await answerProblems(jobs, runtime);
    const shown = jobs.map(async (job) => {
      const note = notes.get(job.name);
      const meaning = language && (await meaningOf(job.timetable, language));
      return { ...(await shownJob(job)), ...(note !== undefined && { note }), ...(meaning && { meaning }) };
    });
    return {
      jobs: await Promise.all(shown),
      problems: await heartbeatProblems(context),
      gatewayRunning: await runtime.isGatewayRunning(),
    };
  },
});

export const removeJob = defineOperation({
  name: 'schedule.remove',
  class: 'danger',
  summary: 'Remove a job and its history.',
  input: NAME,
  output: objectWith({ removed: TEXT }),
  run: async ({ name }, { runtime }) => ({ removed: await (await runtime.schedule()).remove(name) }),
});

export const pauseJob = defineOperation({
  name: 'schedule.pause',
  class: 'change',
  summary: 'Stop a job until it is resumed.',
  input: NAME,
  output: JOB,
  run: async ({ name }, { runtime }) => shownJob(await (await runtime.schedule()).pause(name)),
});

export const resumeJob = defineOperation({
  name: 'schedule.resume',
  class: 'change',
  summary: 'Let a paused job continue; slots that passed meanwhile are not made up for.',
  input: NAME,
  output: JOB,
  run: async ({ name }, { runtime }) => shownJob(await (await runtime.schedule()).resume(name)),
});

export const jobHistory = defineOperation({
  name: 'schedule.history',
  class: 'read',
  summary: 'List the runs of a job, the newest last.',
  input: {
    type: 'object',
    properties: { name: TEXT, limit: { ...POSITIVE, default: 20 } },
    required: ['name'],
    additionalProperties: false,
  },
  output: objectWith({ timezone: TEXT, runs: listOf(RUN) }),
  async run({ name, limit }, { runtime }) {
    const schedule = await runtime.schedule();
    const { timezone } = await schedule.get(name);
    const runs = (await schedule.history(name, limit)).toReversed();
    return { timezone, runs: await Promise.all(runs.map(shownRun)) };
  },
});

export const nextRuns = defineOperation({
  name: 'schedule.next',
  class: 'read',
  summary: 'Tell when a job, or each of them, runs next.',
  input: {
    type: 'object',
    properties: { name: TEXT, count: { ...POSITIVE, default: 5 } },
    additionalProperties: false,
  },
  output: listOf(objectWith({ name: TEXT, timezone: TEXT, status: TEXT, runsAt: listOf(TIME) })),
  async run({ name, count }, { runtime }) {
    const schedule = await runtime.schedule();
    const jobs = name === undefined ? await schedule.list() : [await schedule.get(name)];
    return Promise.all(
      jobs.map(async (job) => ({
        name: job.name,
        timezone: job.timezone,
        status: job.status,
        runsAt: (await schedule.upcoming(job.name, count)).map(({ dueAt }) => new Date(dueAt).toISOString()),
      })),
    );
  },
});

export const runJob = defineOperation({
  name: 'schedule.run',
  class: 'change',
  summary: 'Run a job now, beside its times.',
  input: NAME,
  output: objectWith({ ...RUN_FIELDS, name: TEXT }, RUN_OPTIONS),
  async run({ name: given }, context) {
    const { runtime, signal } = context;
    const { name } = await (await runtime.schedule()).get(given);
    const run = await withScheduler(context, (scheduler) => scheduler.runByHand(name, signal));
    if (!run)
      throw new CodedError(
        'SCHEDULE_RUNNING',
        `"${name}" is running already: wait for it (lainclaw schedule history shows its end)`,
      );
    await wakeGateway([run], runtime);
    return { name, ...(await shownRun(run)) };
  },
});

export const runDueJobs = defineOperation({
  name: 'schedule.runDue',
  class: 'change',
  summary: 'Run what is due and end: for system cron, where no gateway runs.',
  input: NO_INPUT,
  output: objectWith({ runs: listOf(NAMED_RUN) }),
  async run(_input, context) {
    const { runtime, signal } = context;
    const runs = await withScheduler(context, (scheduler) => scheduler.runDue(signal));
    await wakeGateway(runs, runtime);
    const jobs = new Map((await (await runtime.schedule()).list()).map((job) => [job.id, job]));
    const shown = runs.map(async (run) => {
      const { name, timezone } = jobs.get(run.jobId) ?? {};
      return { ...(await shownRun(run)), name, timezone };
    });
    return { runs: await Promise.all(shown) };
  },
});

export async function meaningOf(timetable: Timetable, language: Language): Promise<string | undefined> {
  const { sentenceOf } = await import('../schedule/sentence.ts');
  return sentenceOf(timetable, language);
}

export async function shownJob(job: Job): Promise<JobSummary> {
  const { summaryOf } = await import('../schedule/summary.ts');
  return summaryOf(job);
}

async function shownRun(run: Run): Promise<RunSummary> {
  const { runSummaryOf } = await import('../schedule/summary.ts');
  return runSummaryOf(run);
}

/** Why answers would not reach their chats, by the name of the job. */
async function answerProblems(jobs: readonly Job[], runtime: Runtime): Promise<Map<string, string>> {
  const problems = new Map<string, string>();
  const judged = new Map<string, string | undefined>();
  for (const { name, status, injectInto, asker } of jobs) {
    if (injectInto === undefined || status === 'done') continue;
    const key = JSON.stringify([injectInto, asker]);
    if (!judged.has(key)) judged.set(key, await runtime.answerProblem(injectInto, asker));
    const problem = judged.get(key);
    if (problem !== undefined) problems.set(name, problem);
  }
  return problems;
}

/** A default workspace that nobody has made yet holds no file. */
async function heartbeatProblems(context: OperationContext) {
  try {
    return await withWorkspace(context.runtime, { root: jobsRoot(context) }, async (workspace) =>
      (await workspace.jobs()).heartbeat.problems(),
    );
  } catch (error) {
    if (context.workspace === undefined && error instanceof WorkspaceError) return [];
    throw error;
  }
}

/**
 * Jobs run where the gateway would run them, never in the current directory: system cron has its own, and a HEARTBEAT.md
 * that happens to be there must not be obeyed.
 */
function jobsRoot({ runtime, workspace }: OperationContext): string {
  const { home, variables } = runtime.environment;
  return workspace ?? (variables.LAINCLAW_WORKSPACE || join(home, 'workspace'));
}

/** In the workspace of the jobs; the default one is made when it is missing. */
async function withScheduler<T>(context: OperationContext, use: (scheduler: Scheduler) => Promise<T>): Promise<T> {
  const root = jobsRoot(context);
  const { config, environment } = context.runtime;
  if (root === join(environment.home, 'workspace')) await mkdir(root, { recursive: true, mode: 0o700 });
  return withWorkspace(context.runtime, { root }, async (workspace) => {
    const [settings, { jobTurn }] = await Promise.all([
      (await context.runtime.gatewayAdmin()).jobSettings(),
      import('../gateway/job-turn.ts'),
    ]);
    const scheduler = await (await workspace.jobs()).scheduler(() => jobTurn(settings, config), {
      graceMs: GRACE_MS,
      // Only a gateway reaches chats: it sends them when it runs.
      deliver: async () => 'later',
      log: context.warn,
    });
    return use(scheduler);
  });
}

/** Answers wait for the gateway: one that runs looks at once. */
async function wakeGateway(runs: readonly Run[], runtime: Runtime): Promise<void> {
  if (!runs.some(({ delivery }) => delivery === 'pending')) return;
  await (await runtime.gatewayAdmin()).control.wake().catch(() => {});
}
