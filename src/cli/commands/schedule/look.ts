import type { Runtime } from '../../../runtime/runtime.ts';
import type { HeartbeatProblem } from '../../../schedule/heartbeat.ts';
import type { Job, Run } from '../../../storage/jobs.ts';
import { WorkspaceError } from '../../../vocabulary/workspace-error.ts';
import { colorsFor } from '../../colors.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../../terminal.ts';
import { withRuntime } from '../../with-runtime.ts';
import { localTime } from './times.ts';
import { type JobsFlags, jobsRoot } from './with-jobs.ts';

export interface HistoryFlags extends OutputFlags {
  limit?: number;
}

export interface NextFlags extends OutputFlags {
  count?: number;
}

const LONGEST_LINE = 100;

export async function listJobs(flags: OutputFlags & JobsFlags, terminal: Terminal): Promise<void> {
  await withRuntime(terminal, async (runtime) => {
    const jobs = await (await runtime.schedule()).list();
    const problems = await problemsOf(runtime, flags, terminal);
    const { summaryOf } = await import('../../../schedule/summary.ts');
    for (const { line, message } of problems) warn(terminal, `HEARTBEAT.md:${line}: ${message}`);
    const refusals = await refusalsOf(jobs, runtime);
    const noteOf = ({ name }: Job): { note?: string } => {
      const note = refusals.get(name);
      return note === undefined ? {} : { note };
    };
    if (wantsJson(terminal, flags))
      return writeJson(terminal, {
        jobs: jobs.map((job) => ({ ...summaryOf(job), ...noteOf(job) })),
        problems,
        gatewayRunning: await runtime.isGatewayRunning(),
      });
    if (jobs.length === 0) return void terminal.out.write('no jobs yet: lainclaw schedule add makes one\n');
    for (const job of jobs) terminal.out.write(`${jobLine(job, terminal, noteOf(job).note)}\n`);
  });
}

/** Why answers would not reach their chats, by the name of the job. */
async function refusalsOf(jobs: readonly Job[], runtime: Runtime): Promise<Map<string, string>> {
  const refusals = new Map<string, string>();
  const judged = new Map<string, string | undefined>();
  for (const { name, status, injectInto, asker } of jobs) {
    if (injectInto === undefined || status === 'done') continue;
    const key = JSON.stringify([injectInto, asker]);
    if (!judged.has(key)) judged.set(key, await runtime.answerProblem(injectInto, asker));
    const refusal = judged.get(key);
    if (refusal !== undefined) refusals.set(name, refusal);
  }
  return refusals;
}

/** A default workspace that nobody has made yet holds no file. */
async function problemsOf(runtime: Runtime, flags: JobsFlags, terminal: Terminal): Promise<HeartbeatProblem[]> {
  try {
    const workspace = await runtime.openWorkspace({ root: jobsRoot(flags, terminal) });
    return await (await workspace.jobs()).heartbeat.problems();
  } catch (error) {
    if (flags.workspace === undefined && error instanceof WorkspaceError) return [];
    throw error;
  }
}

function jobLine(job: Job, terminal: Terminal, note: string | undefined): string {
  const colors = colorsFor(terminal.out, terminal);
  const message = printable(job.message).replace(/\s+/g, ' ').slice(0, LONGEST_LINE);
  const facts = [
    printable(job.when),
    ...(job.source === 'heartbeat' ? ['HEARTBEAT.md'] : []),
    ...(job.injectInto === undefined ? [] : [`answers to ${printable(job.injectInto)}`]),
  ].join(' · ');
  const refusal = note === undefined ? '' : `\n  ${colors.yellow(printable(note))}`;
  return `${colors.bold(job.name)}  ${colors.dim(facts)}\n  ${stateOf(job, terminal)}\n  ${message}${refusal}`;
}

function stateOf(job: Job, terminal: Terminal): string {
  const colors = colorsFor(terminal.out, terminal);
  if (job.runId !== undefined) return colors.green('running');
  if (job.status === 'paused') return colors.yellow(printable(`paused: ${job.reason ?? ''}`));
  if (job.status === 'done' || !job.next) return 'done';
  const failures =
    job.failures > 0
      ? colors.yellow(`  (${job.failures === 1 ? 'the last run failed' : `${job.failures} failures in a row`})`)
      : '';
  return `next ${localTime(job.next.dueAt, job.timezone)}${failures}`;
}

export async function showHistory(name: string, flags: HistoryFlags, terminal: Terminal): Promise<void> {
  await withRuntime(terminal, async (runtime) => {
    const schedule = await runtime.schedule();
    const { timezone } = await schedule.get(name);
    const runs = (await schedule.history(name, flags.limit ?? 20)).toReversed();
    const { runSummaryOf } = await import('../../../schedule/summary.ts');
    if (wantsJson(terminal, flags)) return writeJson(terminal, runs.map(runSummaryOf));
    if (runs.length === 0) return void terminal.out.write('it has not run yet\n');
    for (const run of runs) terminal.out.write(`${printable(runLine(run, timezone))}\n`);
  });
}

export function runLine(run: Run, timezone: string): string {
  const { status, slot, lastSlot, count, late, startedAt, finishedAt, delivery } = run;
  const isSpan = status === 'missed' || status === 'skipped';
  const at = slot ?? startedAt;
  const facts = [
    at === undefined ? '' : localTime(at, timezone),
    isSpan && lastSlot !== undefined && lastSlot !== slot ? `to ${localTime(lastSlot, timezone)}` : '',
    status,
    run.trigger === 'manual' ? 'by hand' : '',
    late ? 'late' : '',
    isSpan ? `× ${count}` : '',
    startedAt !== undefined && finishedAt !== undefined && !isSpan ? `${Math.max(0, finishedAt - startedAt)} ms` : '',
    delivery === 'none' ? '' : `answer ${delivery}`,
  ];
  const told = (run.reason ?? run.answer ?? '').replace(/\s+/g, ' ').slice(0, LONGEST_LINE);
  return [...facts.filter((fact) => fact !== ''), ...(told === '' ? [] : [`– ${told}`])].join('  ');
}

export async function showNext(name: string | undefined, flags: NextFlags, terminal: Terminal): Promise<void> {
  await withRuntime(terminal, async (runtime) => {
    const schedule = await runtime.schedule();
    const jobs = name === undefined ? await schedule.list() : [await schedule.get(name)];
    const rows = await Promise.all(
      jobs.map(async (job) => ({ job, next: await schedule.upcoming(job.name, flags.count ?? 5) })),
    );
    if (wantsJson(terminal, flags))
      return writeJson(
        terminal,
        rows.map(({ job, next }) => ({
          name: job.name,
          timezone: job.timezone,
          runsAt: next.map(({ dueAt }) => new Date(dueAt).toISOString()),
        })),
      );
    for (const { job, next } of rows) {
      const times = next.map(({ dueAt }) => `  ${localTime(dueAt, job.timezone)}\n`).join('');
      terminal.out.write(
        `${printable(job.name)}\n${times || `  ${job.status === 'active' ? 'nothing' : job.status}\n`}`,
      );
    }
  });
}
