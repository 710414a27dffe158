import type { Job } from '../../../storage/jobs.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../../terminal.ts';
import { withRuntime } from '../../with-runtime.ts';
import { localTime } from './times.ts';

export async function removeJob(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await withRuntime(terminal, async (runtime) => {
    await (await runtime.schedule()).remove(name);
    if (wantsJson(terminal, flags)) return writeJson(terminal, { removed: name });
    terminal.out.write(`${printable(`removed ${name}`)}\n`);
  });
}

export async function pauseJob(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await withRuntime(terminal, async (runtime) => {
    await show(await (await runtime.schedule()).pause(name), `paused ${name}`, flags, terminal);
  });
}

export async function resumeJob(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await withRuntime(terminal, async (runtime) => {
    const job = await (await runtime.schedule()).resume(name);
    const next = job.next ? `; next run ${localTime(job.next.dueAt, job.timezone)}` : '';
    await show(job, `resumed ${name}${next}`, flags, terminal);
  });
}

async function show(job: Job, line: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  const { summaryOf } = await import('../../../schedule/summary.ts');
  if (wantsJson(terminal, flags)) return writeJson(terminal, summaryOf(job));
  terminal.out.write(`${printable(line)}\n`);
}
