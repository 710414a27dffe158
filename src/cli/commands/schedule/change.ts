import { pauseJob as pause, removeJob as remove, resumeJob as resume } from '../../../operations/schedule.ts';
import { runOperation } from '../../run-operation.ts';
import { type OutputFlags, printable, type Terminal, wantsJson, writeJson } from '../../terminal.ts';
import { localTime } from './times.ts';

export async function removeJob(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, remove, { name }, (output) =>
    show(output, `removed ${output.removed}`, flags, terminal),
  );
}

export async function pauseJob(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, pause, { name }, (job) => show(job, `paused ${job.name}`, flags, terminal));
}

export async function resumeJob(name: string, flags: OutputFlags, terminal: Terminal): Promise<void> {
  await runOperation(terminal, resume, { name }, (job) => {
    const next = job.nextRunAt === null ? '' : `; next run ${localTime(Date.parse(job.nextRunAt), job.timezone)}`;
    show(job, `resumed ${job.name}${next}`, flags, terminal);
  });
}

function show(output: object, line: string, flags: OutputFlags, terminal: Terminal): void {
  if (wantsJson(terminal, flags)) writeJson(terminal, output);
  else terminal.out.write(`${printable(line)}\n`);
}
