import type { OutputOf } from '../../../operations/operation.ts';
import { runJob as run, runDueJobs } from '../../../operations/schedule.ts';
import { runOperation } from '../../run-operation.ts';
import { EXIT, printable, type Terminal, wantsJson, warn, writeJson } from '../../terminal.ts';
import { type JobsFlags, runLine } from './look.ts';

export async function runDue(flags: JobsFlags, terminal: Terminal): Promise<number> {
  let hasFailed = false;
  const show = ({ runs }: OutputOf<typeof runDueJobs>): void => {
    hasFailed = runs.some(({ status }) => status === 'failed');
    if (wantsJson(terminal, flags)) return void writeJson(terminal, { runs });
    // Cron's log stays empty.
    if (runs.length === 0 && terminal.out.isTTY) terminal.out.write('nothing is due\n');
    for (const each of runs)
      terminal.out.write(`${printable(`${each.name}  ${runLine(each, each.timezone ?? 'UTC')}`)}\n`);
  };
  await runOperation(terminal, runDueJobs, {}, show, flags);
  if (terminal.signal.aborted) return terminal.cancelledExit();
  return hasFailed ? EXIT.failed : EXIT.done;
}

export async function runJob(name: string, flags: JobsFlags, terminal: Terminal): Promise<number> {
  let isDone = false;
  const show = (job: OutputOf<typeof run>): void => {
    isDone = job.status === 'ok';
    if (wantsJson(terminal, flags)) writeJson(terminal, job);
    else if (isDone) terminal.out.write(`${printable(job.answer ?? '')}\n`);
    else warn(terminal, `${job.name} ${job.status}: ${job.reason}`);
  };
  await runOperation(terminal, run, { name }, show, flags);
  if (isDone) return EXIT.done;
  return terminal.signal.aborted ? terminal.cancelledExit() : EXIT.failed;
}
