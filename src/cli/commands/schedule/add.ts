import { addJob as add } from '../../../operations/schedule.ts';
import { editJob as edit } from '../../../operations/schedule-edit.ts';
import type { Misfire } from '../../../storage/jobs.ts';
import { runOperation } from '../../run-operation.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../../terminal.ts';
import { localTime } from './times.ts';

export interface AddFlags extends OutputFlags {
  cron?: string;
  every?: string;
  at?: string;
  message?: string;
  timezone?: string;
  model?: string;
  injectInto?: string;
  misfire?: Misfire;
  jitter?: string;
  maxFailures?: number;
}

const USAGE =
  'lainclaw schedule add <name> --cron "0 9 * * *" --message "…"   (lainclaw schedule add --help lists the flags)';
/** The values are accepted; the job cannot be added for another reason. */
const NOT_USAGE = ['SCHEDULE_DUPLICATE', 'SCHEDULE_NOT_FOUND'];
const EDIT_USAGE = 'lainclaw schedule edit <name> --cron "0 9 * * *"   (lainclaw schedule edit --help lists the flags)';

export async function addJob(name: string, flags: AddFlags, terminal: Terminal): Promise<void> {
  const { message, timezone, model, injectInto, misfire, jitter, maxFailures } = flags;
  const cron = whenOf(flags, USAGE);
  if (message === undefined) throw new UsageError('--message is missing: what is to be asked then?', { usage: USAGE });
  const request = { name, cron, message, timezone, model, injectInto, misfire, jitter, maxFailures };
  const added = runOperation(terminal, add, request, (job) => {
    if (!job.gatewayRunning)
      warn(
        terminal,
        'no gateway is running, so nothing runs it yet: start one with "lainclaw gateway start", or let system cron call "lainclaw schedule run-due" every minute',
      );
    if (job.note !== undefined) warn(terminal, job.note);
    if (wantsJson(terminal, flags)) return writeJson(terminal, job);
    const runs = job.nextRuns.map((at) => `\n  ${localTime(Date.parse(at), job.timezone)}`).join('');
    const meaning = job.meaning === undefined ? '' : `: ${job.meaning}`;
    terminal.out.write(`${printable(`added ${job.name}${meaning}${runs === '' ? '' : '; next runs:'}${runs}`)}\n`);
    if (job.injectInto === undefined)
      terminal.out.write(`no chat gets its answers (--inject-into): "lainclaw schedule history" shows them\n`);
  });
  await asUsageError(added, USAGE);
}

export async function editJob(name: string, flags: AddFlags, terminal: Terminal): Promise<void> {
  const { cron, every, at, message, timezone, model, injectInto, misfire, jitter, maxFailures } = flags;
  const when = [cron, every, at].some((given) => given !== undefined) ? whenOf(flags, EDIT_USAGE) : undefined;
  const changes = { cron: when, message, timezone, model, injectInto, misfire, jitter, maxFailures };
  if (Object.values(changes).every((given) => given === undefined))
    throw new UsageError('nothing to change was given, such as --cron or --message', { usage: EDIT_USAGE });
  const edited = runOperation(terminal, edit, { name, ...changes }, (job) => {
    if (job.note !== undefined) warn(terminal, job.note);
    if (wantsJson(terminal, flags)) return writeJson(terminal, job);
    const runs = job.nextRuns.map((run) => `\n  ${localTime(Date.parse(run), job.timezone)}`).join('');
    const meaning = job.meaning === undefined ? '' : `: ${job.meaning}`;
    terminal.out.write(`${printable(`changed ${job.name}${meaning}${runs === '' ? '' : '; next runs:'}${runs}`)}\n`);
  });
  await asUsageError(edited, EDIT_USAGE);
}

function whenOf({ cron, every, at }: AddFlags, usage: string): string {
  const given = [cron, every && `every ${every.replace(/^every /i, '')}`, at && `at ${at.replace(/^at /i, '')}`];
  const [when, second] = given.filter((text) => text !== undefined && text !== '');
  if (when === undefined || second !== undefined)
    throw new UsageError('give one of --cron, --every and --at', { usage });
  return when;
}

/** Impossible values are wrong usage; a name that is taken is not. */
async function asUsageError(changed: Promise<void>, usage: string): Promise<void> {
  try {
    await changed;
  } catch (error) {
    const { ScheduleError } = await import('../../../schedule/schedule-error.ts');
    if (!(error instanceof ScheduleError) || NOT_USAGE.includes(error.code)) throw error;
    throw new UsageError(error.message, { code: error.code, usage });
  }
}
