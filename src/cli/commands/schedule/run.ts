import type { Runtime } from '../../../runtime/runtime.ts';
import type { RuntimeWorkspace } from '../../../runtime/workspace.ts';
import type { Run } from '../../../storage/jobs.ts';
import { CommandError } from '../../command-error.ts';
import { EXIT, type OutputFlags, printable, type Terminal, wantsJson, warn, writeJson } from '../../terminal.ts';
import { runLine } from './look.ts';
import { type JobsFlags, withJobsWorkspace } from './with-jobs.ts';

export interface RunFlags extends OutputFlags, JobsFlags {}

/** System cron calls once a minute: what came within the minute is not late. */
const GRACE_MS = 90_000;

export async function runDue(flags: RunFlags, terminal: Terminal): Promise<number> {
  return withJobsWorkspace(flags, terminal, async (workspace, runtime) => {
    const runs = await (await schedulerOf(workspace, runtime, terminal)).runDue(terminal.signal);
    await handOver(runs, runtime);
    const names = new Map((await (await runtime.schedule()).list()).map((job) => [job.id, job]));
    const { runSummaryOf } = await import('../../../schedule/summary.ts');
    if (wantsJson(terminal, flags)) {
      writeJson(terminal, { runs: runs.map((run) => ({ name: names.get(run.jobId)?.name, ...runSummaryOf(run) })) });
    } else {
      // Cron's log stays empty.
      if (runs.length === 0 && terminal.out.isTTY) terminal.out.write('nothing is due\n');
      for (const run of runs) {
        const job = names.get(run.jobId);
        terminal.out.write(`${printable(`${job?.name}  ${runLine(run, job?.timezone ?? 'UTC')}`)}\n`);
      }
    }
    if (terminal.signal.aborted) return terminal.cancelledExit();
    return runs.some(({ status }) => status === 'failed') ? EXIT.failed : EXIT.done;
  });
}

export async function runJob(name: string, flags: RunFlags, terminal: Terminal): Promise<number> {
  return withJobsWorkspace(flags, terminal, async (workspace, runtime) => {
    await (await runtime.schedule()).get(name);
    const run = await (await schedulerOf(workspace, runtime, terminal)).runByHand(name, terminal.signal);
    if (!run)
      throw new CommandError(
        'SCHEDULE_RUNNING',
        `"${name}" is running already: wait for it (lainclaw schedule history ${name})`,
      );
    await handOver([run], runtime);
    const { runSummaryOf } = await import('../../../schedule/summary.ts');
    if (wantsJson(terminal, flags)) writeJson(terminal, { name, ...runSummaryOf(run) });
    else if (run.status === 'ok') terminal.out.write(`${printable(run.answer ?? '')}\n`);
    else warn(terminal, `${name} ${run.status}: ${run.reason}`);
    if (run.status === 'ok') return EXIT.done;
    return terminal.signal.aborted ? terminal.cancelledExit() : EXIT.failed;
  });
}

/** Answers wait for the gateway: one that runs looks at once. */
async function handOver(runs: readonly Run[], runtime: Runtime): Promise<void> {
  if (!runs.some(({ delivery }) => delivery === 'pending')) return;
  await (await runtime.gatewayAdmin()).control.wake().catch(() => {});
}

async function schedulerOf(workspace: RuntimeWorkspace, runtime: Runtime, terminal: Terminal) {
  const [settings, { jobTurn }] = await Promise.all([
    (await runtime.gatewayAdmin()).jobSettings(),
    import('../../../gateway/job-turn.ts'),
  ]);
  return (await workspace.jobs()).scheduler(() => jobTurn(settings, runtime.config), {
    graceMs: GRACE_MS,
    // Only a gateway reaches chats: it sends them when it runs.
    deliver: async () => 'later',
    log: (line) => warn(terminal, line),
  });
}
