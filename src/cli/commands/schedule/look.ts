import type { OutputOf } from '../../../operations/operation.ts';
import { jobHistory, listJobs as list, nextRuns } from '../../../operations/schedule.ts';
import { colorsFor } from '../../colors.ts';
import { runOperation } from '../../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../../terminal.ts';
import { localTime } from './times.ts';

export interface JobsFlags extends OutputFlags {
  workspace?: string;
}

export interface HistoryFlags extends OutputFlags {
  limit?: number;
}

export interface NextFlags extends OutputFlags {
  count?: number;
}

type ShownJob = OutputOf<typeof list>['jobs'][number];
type ShownRun = OutputOf<typeof jobHistory>['runs'][number];

const LONGEST_LINE = 100;

export async function listJobs(flags: JobsFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, list, {}, (found) => showJobs(found, flags, terminal), flags);
}

function showJobs(found: OutputOf<typeof list>, flags: JobsFlags, terminal: Terminal): void {
  for (const { line, message } of found.problems) warn(terminal, `HEARTBEAT.md:${line}: ${message}`);
  if (wantsJson(terminal, flags)) return void writeJson(terminal, found);
  if (found.jobs.length === 0) return void terminal.out.write('no jobs yet: lainclaw schedule add makes one\n');
  for (const job of found.jobs) terminal.out.write(`${jobLine(job, terminal)}\n`);
}

function jobLine(job: ShownJob, terminal: Terminal): string {
  const colors = colorsFor(terminal.out, terminal);
  const message = printable(job.message).replace(/\s+/g, ' ').slice(0, LONGEST_LINE);
  const facts = [
    printable(job.cron),
    ...(job.source === 'heartbeat' ? ['HEARTBEAT.md'] : []),
    ...(job.injectInto === undefined ? [] : [`answers to ${printable(job.injectInto)}`]),
  ].join(' · ');
  const note = job.note === undefined ? '' : `\n  ${colors.yellow(printable(job.note))}`;
  return `${colors.bold(job.name)}  ${colors.dim(facts)}\n  ${stateOf(job, terminal)}\n  ${message}${note}`;
}

function stateOf({ status, reason, nextRunAt, failures, timezone }: ShownJob, terminal: Terminal): string {
  const colors = colorsFor(terminal.out, terminal);
  if (status === 'running') return colors.green('running');
  if (status === 'paused') return colors.yellow(printable(`paused: ${reason ?? ''}`));
  if (status === 'done' || nextRunAt === null) return 'done';
  const failed =
    failures > 0
      ? colors.yellow(`  (${failures === 1 ? 'the last run failed' : `${failures} failures in a row`})`)
      : '';
  return `next ${localTime(Date.parse(nextRunAt), timezone)}${failed}`;
}

export async function showHistory(name: string, { limit, ...flags }: HistoryFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, jobHistory, { name, limit }, ({ timezone, runs }) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, runs);
    if (runs.length === 0) return void terminal.out.write('it has not run yet\n');
    for (const run of runs) terminal.out.write(`${printable(runLine(run, timezone))}\n`);
  });
}

export function runLine(run: ShownRun, timezone: string): string {
  const { status, slot, lastSlot, count, late, startedAt, finishedAt, delivery } = run;
  const isSpan = status === 'missed' || status === 'skipped';
  const at = slot ?? startedAt;
  const local = (time: string): string => localTime(Date.parse(time), timezone);
  const took = startedAt && finishedAt ? Date.parse(finishedAt) - Date.parse(startedAt) : undefined;
  const facts = [
    at === undefined ? '' : local(at),
    isSpan && lastSlot !== undefined && lastSlot !== slot ? `to ${local(lastSlot)}` : '',
    status,
    run.trigger === 'manual' ? 'by hand' : '',
    late ? 'late' : '',
    isSpan ? `× ${count}` : '',
    took !== undefined && !isSpan ? `${Math.max(0, took)} ms` : '',
    delivery === 'none' ? '' : `answer ${delivery}`,
  ];
  const told = (run.reason ?? run.answer ?? '').replace(/\s+/g, ' ').slice(0, LONGEST_LINE);
  return [...facts.filter((fact) => fact !== ''), ...(told === '' ? [] : [`– ${told}`])].join('  ');
}

export async function showNext(
  name: string | undefined,
  { count, ...flags }: NextFlags,
  terminal: Terminal,
): Promise<void> {
  await runOperation(terminal, nextRuns, { name, count }, (jobs) => {
    if (wantsJson(terminal, flags)) return writeJson(terminal, jobs);
    for (const { name: jobName, timezone, status, runsAt } of jobs) {
      const times = runsAt.map((time) => `  ${localTime(Date.parse(time), timezone)}\n`).join('');
      terminal.out.write(`${printable(jobName)}\n${times || `  ${status === 'active' ? 'nothing' : status}\n`}`);
    }
  });
}
