import type { Asker } from '../../../storage/asker.ts';
import type { Misfire } from '../../../storage/jobs.ts';
import { type OutputFlags, printable, type Terminal, UsageError, wantsJson, warn, writeJson } from '../../terminal.ts';
import { withRuntime } from '../../with-runtime.ts';
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

export async function addJob(name: string, flags: AddFlags, terminal: Terminal): Promise<void> {
  const { message, timezone, model, injectInto, misfire, jitter, maxFailures } = flags;
  const cron = whenOf(flags);
  if (message === undefined) throw new UsageError('--message is missing: what is to be asked then?', { usage: USAGE });
  await withRuntime(terminal, async (runtime) => {
    const request = { name, cron, message, timezone, model, injectInto, misfire, jitter, maxFailures };
    const asker: Asker = { kind: 'owner', chat: injectInto };
    const job = await refusable((await runtime.schedule()).add(request, 'cli', asker));
    const { summaryOf } = await import('../../../schedule/summary.ts');
    const isRunning = await runtime.isGatewayRunning();
    if (!isRunning)
      warn(
        terminal,
        'no gateway is running, so nothing runs it yet: start one with "lainclaw gateway start", or let system cron call "lainclaw schedule run-due" every minute',
      );
    const note = injectInto === undefined ? undefined : await runtime.answerProblem(injectInto, asker);
    if (note !== undefined) warn(terminal, note);
    if (wantsJson(terminal, flags))
      return writeJson(terminal, { ...summaryOf(job), gatewayRunning: isRunning, ...(note !== undefined && { note }) });
    const next = job.next ? `; next run ${localTime(job.next.dueAt, job.timezone)}` : '';
    terminal.out.write(`${printable(`added ${job.name}${next}`)}\n`);
  });
}

function whenOf({ cron, every, at }: AddFlags): string {
  const given = [cron, every && `every ${every.replace(/^every /i, '')}`, at && `at ${at.replace(/^at /i, '')}`];
  const [when, second] = given.filter((text) => text !== undefined && text !== '');
  if (when === undefined || second !== undefined)
    throw new UsageError('give one of --cron, --every and --at', { usage: USAGE });
  return when;
}

/** Values that cannot be are wrong usage; a name that is taken is not. */
async function refusable<T>(added: Promise<T>): Promise<T> {
  try {
    return await added;
  } catch (error) {
    const { name, code, message } = error as Error & { code: string };
    if (name !== 'ScheduleError' || code === 'SCHEDULE_DUPLICATE') throw error;
    throw new UsageError(message, { code, usage: USAGE });
  }
}
