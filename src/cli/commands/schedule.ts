import type { Command } from 'commander';
import type { Misfire } from '../../storage/jobs.ts';
import { MISFIRES } from '../../storage/jobs.ts';
import type { ConfigureCommand } from '../configure-command.ts';
import { integerFrom, oneOf, single, text, withOutput, workspace } from '../flags.ts';
import type { OutputFlags } from '../terminal.ts';
import { type AddFlags, addJob, editJob } from './schedule/add.ts';
import { pauseJob, removeJob, resumeJob } from './schedule/change.ts';
import { type HistoryFlags, type JobsFlags, listJobs, type NextFlags, showHistory, showNext } from './schedule/look.ts';
import { runDue, runJob } from './schedule/run.ts';

export const configureSchedule: ConfigureCommand = (schedule, terminal, setExitCode) => {
  const add = (name: string, description: string): Command =>
    withOutput(schedule.command(name).description(description));

  const withJobFlags = (command: Command): Command =>
    command
      .addOption(
        single('--cron <when>', 'cron with 5, 6 or 7 fields, @daily, "every 20m" or "at 2026-12-01T09:00"', text),
      )
      .addOption(single('--every <time>', 'again and again: 20m, 2h, 1d', text))
      .addOption(single('--at <moment>', 'once: 2026-12-01T09:00', text))
      .addOption(single('--message <text>', 'the prompt', text))
      .addOption(single('--timezone <name>', "an IANA name such as Europe/Berlin (default: the system's)", text))
      .addOption(single('--model <name>', 'the model that answers', text))
      .addOption(single('--inject-into <chat>', 'the chat that gets the answer, channel:chatId', text))
      .addOption(
        single(
          '--misfire <how>',
          `what passed while nothing ran: ${MISFIRES.join(', ')} (default: once)`,
          oneOf<Misfire>(MISFIRES),
        ),
      )
      .addOption(
        single('--jitter <time>', 'start up to this much later, the same each time for the same slot: 30s, 5m', text),
      )
      .addOption(single('--max-failures <N>', 'failures in a row that pause it (default: 5)', integerFrom(1)));

  withJobFlags(add('add', 'Add a job: a prompt that runs at given times'))
    .argument('<name>')
    .usage('[options] <name> --cron "0 9 * * *" --message "…"')
    .action((name: string, flags: AddFlags) => addJob(name, flags, terminal));
  withJobFlags(add('edit', 'Change a job: what is not given stays; it is active afterwards'))
    .argument('<name>')
    .action((name: string, flags: AddFlags) => editJob(name, flags, terminal));
  add('list', 'List the jobs, when each runs next, and what is wrong with HEARTBEAT.md')
    .addOption(workspace())
    .action((flags: JobsFlags) => listJobs(flags, terminal));
  add('remove', 'Remove a job and its history')
    .argument('<name>')
    .action((name: string, flags: OutputFlags) => removeJob(name, flags, terminal));
  add('pause', 'Stop a job until it is resumed')
    .argument('<name>')
    .action((name: string, flags: OutputFlags) => pauseJob(name, flags, terminal));
  add('resume', 'Let a paused job continue; runs that it missed meanwhile are not repeated')
    .argument('<name>')
    .action((name: string, flags: OutputFlags) => resumeJob(name, flags, terminal));
  add('run', 'Run a job now, besides its times')
    .argument('<name>')
    .addOption(workspace())
    .action(async (name: string, flags: JobsFlags) => setExitCode(await runJob(name, flags, terminal)));
  add('run-due', 'Run what is due and end: for system cron, where no gateway runs')
    .addOption(workspace())
    .action(async (flags: JobsFlags) => setExitCode(await runDue(flags, terminal)));
  add('history', 'Show how the runs of a job ended, the newest last')
    .argument('<name>')
    .addOption(single('--limit <N>', 'at most N (default: 20)', integerFrom(1)))
    .action((name: string, flags: HistoryFlags) => showHistory(name, flags, terminal));
  add('next', 'Show when a job, or each of them, runs next')
    .argument('[name]')
    .addOption(single('--count <N>', 'how many times (default: 5)', integerFrom(1)))
    .action((name: string | undefined, flags: NextFlags) => showNext(name, flags, terminal));
};
