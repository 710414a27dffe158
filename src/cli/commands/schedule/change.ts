import type { Job } from '../../../storage/jobs.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../../terminal.ts';
import { onApp } from './on-app.ts';
import { localTime } from './times.ts';

export async function removeJob(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await onApp({}, terminal, async (app) => {
    await (await app.jobs()).schedule.remove(name);
    if (wantsJson(terminal, flags)) return writeJson(terminal, { removed: name });
    terminal.out.write(`${printable(`removed ${name}`)}\n`);
  });
}

export async function pauseJob(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await onApp({}, terminal, async (app) => {
    await show(await (await app.jobs()).schedule.pause(name), `paused ${name}`, flags, terminal);
  });
}

export async function resumeJob(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await onApp({}, terminal, async (app) => {
    const job = await (await app.jobs()).schedule.resume(name);
    const next = job.next ? `; next run ${localTime(job.next.dueAt, job.timezone)}` : '';
    await show(job, `resumed ${name}${next}`, flags, terminal);
  });
}

async function show(job: Job, line: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const { summaryOf } = await import('../../../schedule/summary.ts');
  if (wantsJson(terminal, flags)) return writeJson(terminal, summaryOf(job));
  terminal.out.write(`${printable(line)}\n`);
}
