// A command in the background: started there, or moved there when it takes longer than it was given. It outlives its call and its turn,
// not its session nor this process. While it runs, and once more when it has ended, what git would run on the host is put back. From the
// moment when a tainted turn changes files that it may run, the same holds for what any other program would run, and it is ended by that.
import { setTimeout as sleep } from 'node:timers/promises';
import { type BackgroundProcess, ProcessesError } from '../../sandbox/background/background-process.ts';
import type { Inward } from '../../sandbox/network/inward.ts';
import type { ProxyVariables } from '../../sandbox/network/own-proxy.ts';
import type { RunOptions, Sandbox, SandboxCommand } from '../../sandbox/sandbox.ts';
import { type TaintSource, taintSource } from '../../vocabulary/taint-source.ts';
import { repliesIn } from '../languages/replies.ts';
import { type ToolContext, ToolFailure, type ToolOutput } from '../tool.ts';
import { createProgressLines } from './progress-lines.ts';
import { orSandboxFailure, runWithNetwork, type SandboxedRun, socketDirectory } from './run-sandboxed.ts';
import type { PlantWatch } from './watch-plants.ts';

/** How long a command is looked at before its call is answered: most that cannot work end in this time. */
const FIRST_LOOK_MS = 1_000;
const LONGEST_MS = 24 * 3_600_000;
/** Between two looks at what was planted, and how many times as long as the look itself. */
const LOOK_MS = 10_000;
const LOOK_FACTOR = 50;
/** The same once it is guarded. */
const GUARDED_LOOK_MS = 1_000;
const PLANTED =
  'it was ended, because it changed what other programs run after content from outside could have reached it';

export interface BackgroundRun {
  command: SandboxCommand;
  /** As the model wrote it. */
  text: string;
  /** How long it is waited for before it moves to the background; undefined: it starts there. */
  waitMs: number | undefined;
  output: Omit<RunOptions['output'], 'spoolPath'>;
  privateHosts?: readonly string[];
  ownProxy?: ProxyVariables;
  plants: PlantWatch | undefined;
  context: ToolContext;
}

export interface StillRunning {
  process: BackgroundProcess;
  output: ToolOutput;
  /** For undo: what it changes from now on is not on record. */
  notCovered: string;
}

export async function runInBackground(sandbox: Sandbox, run: BackgroundRun): Promise<SandboxedRun | StillRunning> {
  const { command, text, waitMs, privateHosts, ownProxy, plants, context } = run;
  const { processes, network, signal, progress } = context;
  if (!processes || !sandbox.endsWithUs) {
    throw new ToolFailure(
      'no command can run in the background here: only the bubblewrap sandbox ends it with Lainclaw. Run it without background',
      { reason: 'denied' },
    );
  }
  // Python keeps lines back where nobody reads a terminal: what a server says at its start would come hours later.
  const given: SandboxCommand = { ...command, stdin: 'open', env: { PYTHONUNBUFFERED: '1', ...command.env } };
  // Servers of the command, on its own loopback, can be reached by the session's web_fetch. A command that is waited for is not a server.
  const inward = waitMs === undefined ? await wayInto(sandbox, given) : undefined;
  const lines = createProgressLines(progress);
  let isShown = waitMs !== undefined;
  let isGuarded = false;
  let others = 0;
  let found: readonly string[] = [];
  const looking = new AbortController();
  const hosts = network?.showsFetched ? network.hosts.map(({ name }) => name) : [];
  const fetched = await context.rememberFetched?.(asSources(hosts));
  let pace = new AbortController();
  const lookEvery = (ms: number): void => {
    pace.abort();
    pace = new AbortController();
    if (plants) void keepLooking(() => lookAt(plants), AbortSignal.any([looking.signal, pace.signal]), ms);
  };
  const lookAt = async ({ putBack }: PlantWatch): Promise<void> => {
    if (others > 0) return;
    const notes = await putBack();
    if (!isGuarded || notes.length === 0) return;
    found = notes;
    await (await starting).end(PLANTED);
  };
  // Until it is known better.
  let heardFrom: readonly string[] = hosts;
  const starting = processes.start({
    command: text,
    cwd: command.cwd,
    workspaceRoot: command.profile.workspace?.path ?? command.cwd,
    hosts: network?.hosts.map(({ name }) => name) ?? [],
    guard: plants && {
      async begin(sources) {
        await plants.guard(sources);
        if (isGuarded) return;
        isGuarded = true;
        lookEvery(GUARDED_LOOK_MS);
      },
      accept: plants.accept,
      // A call that runs meanwhile looks after itself.
      approve(paths) {
        const end = plants.approve(paths);
        others += 1;
        return () => end().finally(() => (others -= 1));
      },
    },
    logPath: await context.spoolPath(),
    taintedBy: taintOf(context),
    isConfined: command.profile.workspace?.access === 'read-only' && !network,
    isForeground: waitMs !== undefined,
    connect: inward?.connect,
    async run({ signal: ending, onOutput, onStarted }) {
      const finished = await runWithNetwork(
        sandbox,
        inward?.command ?? given,
        {
          timeoutMs: LONGEST_MS,
          signal: ending,
          output: run.output,
          onStarted,
          onOutput(stream, chunk) {
            if (isShown) lines.add(stream, chunk);
            onOutput?.(stream, chunk);
          },
        },
        { network, privateHosts, ownProxy },
      );
      heardFrom = finished.heardFrom ?? [];
      return finished;
    },
    async onEnd() {
      looking.abort();
      await inward?.close();
      await fetched?.(asSources(heardFrom));
      return [...new Set([...found, ...((await plants?.finish()) ?? [])])];
    },
  });
  const process = await starting.catch(async (error: unknown) => {
    await inward?.close();
    await fetched?.([]);
    throw error;
  });
  const finished = await endedWithin(process, waitMs ?? FIRST_LOOK_MS, signal);
  isShown = false;
  lines.end();
  if (waitMs !== undefined && process.state === 'ended') {
    if (!finished) throw new ToolFailure(process.problem ?? 'the command could not be run', { reason: 'denied' });
    return finished;
  }
  if (waitMs !== undefined && !hasMoved(process)) return endLate(process);
  if (!isGuarded) lookEvery(LOOK_MS);
  const notCovered = `the command in the background (${process.id}) may change files later`;
  return { process, output: outputOf(process, context), notCovered };
}

/** False when too many run there already. */
function hasMoved(process: BackgroundProcess): boolean {
  try {
    process.moveToBackground();
    return true;
  } catch (error) {
    if (error instanceof ProcessesError) return false;
    throw error;
  }
}

async function endLate(process: BackgroundProcess): Promise<SandboxedRun> {
  await process.end();
  const finished = await process.ended;
  if (finished) return { ...finished, timedOut: true };
  throw new ToolFailure(process.problem ?? 'the command took too long and was ended', { reason: 'timeout' });
}

async function wayInto(sandbox: Sandbox, command: SandboxCommand): Promise<Inward | undefined> {
  if (!sandbox.forwardsNetwork) return undefined;
  const { openInward } = await import('../../sandbox/network/inward.ts');
  return openInward(command, socketDirectory(sandbox, command)).catch(orSandboxFailure);
}

/** What is waited for and cancelled is ended; what was started in the background stays. */
async function endedWithin(
  process: BackgroundProcess,
  ms: number,
  signal: AbortSignal,
): Promise<SandboxedRun | undefined> {
  const patience = new AbortController();
  const late = sleep(ms, undefined, { signal: AbortSignal.any([patience.signal, signal]) });
  try {
    return await Promise.race([process.ended, late]);
  } catch (error) {
    if (signal.aborted) await process.end();
    throw signal.aborted ? signal.reason : error;
  } finally {
    patience.abort();
    late.catch(() => {});
  }
}

/** Less often where a look takes long. */
async function keepLooking(look: () => Promise<unknown>, signal: AbortSignal, everyMs: number): Promise<void> {
  for (let pause = everyMs; !signal.aborted; ) {
    await sleep(pause, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    const started = performance.now();
    await look().catch(() => {});
    pause = Math.max(everyMs, LOOK_FACTOR * (performance.now() - started));
  }
}

/** Of what it prints: what it could read when it started, and what it may hear from hosts. */
function taintOf({ tainted, network }: ToolContext): readonly TaintSource[] {
  const hosts = asSources(network?.hosts.map(({ name }) => name) ?? []);
  return [...new Set([...(tainted?.sources ?? []), ...hosts])];
}

function asSources(hosts: readonly string[]): TaintSource[] {
  return hosts.map((host) => taintSource('host', host));
}

/** What a process says now: its state and what it has printed since the last look. */
export function outputOf(
  process: BackgroundProcess,
  context: Pick<ToolContext, 'language'>,
  since?: number,
): ToolOutput {
  const { id, state, exitCode, problem, notes, taintedBy } = process;
  const { text, skipped, next } = process.read(since);
  const replies = repliesIn(context);
  const ended = problem ?? replies.processEnded(exitCode ?? null);
  const lines = [
    state === 'running' ? replies.processRuns(id) : `${id}: ${ended}`,
    ...(skipped > 0 ? [`[${skipped} bytes left out]`] : []),
    text.trimEnd(),
    ...notes.map((note) => `[${note}]`),
  ];
  return {
    data: {
      id,
      state,
      ...(state === 'ended' && { exitCode: exitCode ?? null }),
      ...(problem !== undefined && { problem }),
      output: text,
      ...(skipped > 0 && { skippedBytes: skipped }),
      next,
      ...(notes.length > 0 && { notes }),
    },
    text: lines.filter((line) => line !== '').join('\n'),
    ...(taintedBy.length > 0 && { meta: { tainted: true, taintedBy } }),
  };
}
