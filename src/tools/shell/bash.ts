import { join } from 'node:path';
import { coversLease } from '../../sandbox/path-inside.ts';
import type { Limits, Sandbox } from '../../sandbox/sandbox.ts';
import type { Changes } from '../../undo/changes.ts';
import { taintSource } from '../../vocabulary/taint-source.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { orToolFailure } from '../fs/failure.ts';
import { tellNetwork } from '../network/explain-network.ts';
import { guardedEnvironment } from '../permissions/guarded-environment.ts';
import type { HidesPath } from '../permissions/hides-path.ts';
import { type ToolContext, ToolFailure, type ToolOutput, type ToolSpec } from '../tool.ts';
import type { CommandRecords } from './command-records.ts';
import { type CommandSettings, HOSTS_SCHEMA, limitsWith, refuseNetwork } from './command-settings.ts';
import { orSandboxFailure, runSandboxed, type SandboxedRun } from './run-sandboxed.ts';
import type { ChangeWatch, ChangeWatcher, CommandChanges } from './watch-changes.ts';
import type { PlantWatch, WatchPlants } from './watch-plants.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
/** What is fetched takes its time: the default of a command that was given hosts. */
const NETWORK_TIMEOUT_MS = 180_000;
const LONGEST_TIMEOUT_MS = 600_000;
/** For the sandbox to end what is left and tell about it. */
const ENDING_MS = 5_000;
const OUTPUT = { headBytes: 20_000, tailBytes: 12_000, maxBytes: 1024 ** 3 };
const LASTING_CPU_SECONDS = 4 * 3600;
const LIMITS: Limits = { memoryBytes: 4 * 1024 ** 3, cpuSeconds: 600, fileSizeBytes: 2 * 1024 ** 3, processes: 512 };

/** What is hidden from a command is looked for once, when it starts. */
const COULD_READ_LATER =
  'some files may not be read here (deny rules, or what other people have sent), and a command in the background could read one that appears later: run it without background';

export interface BashDependencies {
  /** The strongest one there is here. */
  sandbox(): Promise<Sandbox>;
  /** What the command finds in its environment. */
  environment: Readonly<Record<string, string>>;
  /** Absolute paths that no command may write, also while they do not exist. */
  protectedPaths(workspaceRoot: string): string[];
  settings?: CommandSettings;
  /** Where a command is on record while it runs; without it nothing is put back after a kill. */
  commandRecords?(): Promise<CommandRecords>;
}

export function createBashTool(dependencies: BashDependencies): ToolSpec {
  const { sandbox, environment, protectedPaths, settings = {}, commandRecords } = dependencies;
  const limits = limitsWith(LIMITS, settings);
  const { network: networkSetting = 'ask', privateHosts, ownProxy } = settings;
  // Loaded with the first command that may write.
  let watcher: ChangeWatcher | undefined;
  let watchPlants: WatchPlants | undefined;
  let knownSandbox: Sandbox | undefined;

  async function watchForUndo(...given: Parameters<ChangeWatcher['watch']>): Promise<ChangeWatch> {
    const { createChangeWatcher, unwatched } = await import('./watch-changes.ts');
    watcher ??= createChangeWatcher();
    return watcher.watch(...given).catch((error: unknown) => {
      given[1].signal.throwIfAborted();
      return unwatched(`the files could not be looked at: ${(error as Error).message}`);
    });
  }

  async function watchForPlants(...given: Parameters<WatchPlants>): Promise<PlantWatch> {
    const { createPlantWatcher } = await import('./watch-plants.ts');
    watchPlants ??= createPlantWatcher(environment.HOME ?? '', await commandRecords?.());
    return watchPlants(...given);
  }

  /** What the command cannot write. Another one could, from a workspace around this one: that one's own watch looks there. */
  function ownLeases(root: string, covered: readonly string[]): (path: string) => boolean {
    return (path) => (knownSandbox?.isOwn?.(path) ?? false) && covered.some((each) => coversLease(each, path, root));
  }

  return defineTool({
    name: 'bash',
    schema: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, maxLength: 100_000 },
        timeoutMs: { type: 'integer', minimum: 1, maximum: LONGEST_TIMEOUT_MS },
        cwd: { type: 'string', minLength: 1 },
        network: HOSTS_SCHEMA,
        background: { type: 'boolean', default: false },
      },
      required: ['command'],
      additionalProperties: false,
    },
    effect: 'exec',
    subject: ({ command, cwd, network = [], background }) => ({
      kind: 'command',
      command,
      directory: cwd,
      ...(networkSetting === 'ask' && { network }),
      ...(background && { runs: 'in-background' }),
    }),
    rules: { pattern: 'command' },
    // The profile below gives no network.
    isContained: async () => (await sandbox().catch(() => undefined))?.isolates ?? false,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    timeoutOf: ({ timeoutMs = NETWORK_TIMEOUT_MS }) => timeoutMs + ENDING_MS,
    async execute({ command, cwd = '.', network: asked, background, ...given }, context) {
      refuseNetwork(networkSetting, asked);
      if (background && context.hides) throw new ToolFailure(COULD_READ_LATER, { reason: 'denied' });
      const {
        network,
        workspace,
        signal,
        onlyReads = false,
        hides,
        changes,
        progress,
        spoolPath,
        afterwards,
      } = context;
      const { timeoutMs = network ? NETWORK_TIMEOUT_MS : DEFAULT_TIMEOUT_MS } = given;
      const held = await workspace.hold(cwd, signal).catch(orToolFailure);
      held.release();
      if (held.kind !== 'directory') throw new ToolFailure(`Not a directory: ${cwd}`, { code: 'invalid_args' });
      // Looked at while the sandbox is tried, which takes as long in a new process.
      const trying = sandbox();
      const protect = protectedPaths(workspace.root);
      const isOwn = ownLeases(workspace.root, protect);
      const lookingForPlants = onlyReads ? undefined : watchForPlants({ ...context, isOwn });
      // On record while the files are looked at and the sandbox is put together; the command starts once all that is done.
      const recording = lookingForPlants?.then(async (plants) => {
        if ((await trying).isolates) await plants.begin();
      });
      // One walk serves both.
      const walking = lookingForPlants?.then(
        (plants) => plants.walked(),
        () => undefined,
      );
      const watching = onlyReads
        ? undefined
        : watchForUndo(workspace, { hides, signal, now: context.now, isOwn, walking });
      for (const each of [recording, watching, trying]) each?.catch(() => {});
      const withdraw = async (error: unknown): Promise<never> => {
        await lookingForPlants?.then(
          (plants) => plants.end(),
          () => {},
        );
        throw error;
      };
      const backend = await trying.catch(orSandboxFailure);
      knownSandbox = backend;
      const hide = hides ? await hiddenFrom(backend, workspace, hides, signal).catch(withdraw) : [];
      const watch = await watching?.catch(withdraw);
      // Without a sandbox a command may do whatever the person may, and what it leaves is the least of it.
      const plants = backend.isolates ? await lookingForPlants : undefined;
      const recorded = plants && recording;
      const guard = { readOnly: onlyReads, workspaceRoot: workspace.root };
      // Unasked commands must be the system's own, and git must not run what a repository names.
      let env = guardedEnvironment(environment, guard);
      if (onlyReads && command.includes('git')) {
        const { withoutGitDrivers } = await import('./git-drivers.ts');
        const gitSettings = await withoutGitDrivers({
          workspaceRoot: workspace.root,
          environment: env,
          nested: !backend.isolates,
          signal,
        });
        env = guardedEnvironment(environment, { ...guard, gitSettings });
      }
      // What runs unasked because it only reads could not write if it wanted to; what outlives a tainted turn is not looked after.
      const access = onlyReads || (background && context.tainted) ? 'read-only' : 'read-write';
      const sandboxed = {
        argv: ['/bin/bash', '--noprofile', '--norc', '-c', command],
        cwd: join(workspace.root, held.path),
        env,
        profile: {
          workspace: { path: workspace.root, access } as const,
          protect,
          hide,
          limits,
        },
      };
      const moves = !background && !onlyReads && movesOnTimeout(settings, backend, context);
      const running =
        background || moves
          ? Promise.all([import('./background.ts'), recorded]).then(([{ runInBackground }]) =>
              runInBackground(backend, {
                command: { ...sandboxed, profile: { ...sandboxed.profile, limits: lastingLimits(limits, settings) } },
                text: command,
                waitMs: background ? undefined : timeoutMs,
                output: OUTPUT,
                privateHosts,
                ownProxy,
                plants,
                context,
              }),
            )
          : runSandboxed(backend, {
              command: sandboxed,
              timeoutMs,
              output: OUTPUT,
              signal,
              progress,
              spoolPath,
              afterwards,
              startsAfter: recorded,
              network,
              privateHosts,
              ownProxy,
            });
      // Also after a command that failed to run to its end, and before anyone learns that it has.
      const putBack = await running.then(
        (outcome) => {
          if (!('process' in outcome)) plants?.commandEnded();
          return plants?.putBack();
        },
        () => plants?.finish(),
      );
      const finished = await running;
      for (const note of putBack ?? []) progress(`[${note}]\n`);
      if ('process' in finished) {
        const compared = access === 'read-write' ? watch?.finish(plants?.walked()) : undefined;
        const undo = compared && (await recordChanges(compared, changes, [], finished.notCovered));
        return { ...finished.output, meta: { ...finished.output.meta, sandbox: backend.name, ...undo } };
      }
      const takenOff = plants?.end();
      const undo = watch && (await recordChanges(watch.finish(plants?.walked()), changes, finished.heardFrom));
      await takenOff;
      if (finished.cancelled) signal.throwIfAborted();
      const notes = [...(putBack ?? []), ...tellNetwork(finished, { backend, setting: networkSetting, progress })];
      return toOutput(finished, { sandbox: backend.name, ...undo }, timeoutMs, notes);
    },
  });
}

/** A command that took too long continues in the background, where the owner wants that. */
function movesOnTimeout(
  settings: CommandSettings,
  { endsWithUs }: Sandbox,
  { processes, tainted, hides }: ToolContext,
): boolean {
  return settings.onTimeout === 'background' && endsWithUs === true && processes !== undefined && !tainted && !hides;
}

/** What lasts takes more processor time than a command that is waited for. */
function lastingLimits(limits: Limits, { cpuSeconds = LASTING_CPU_SECONDS }: CommandSettings): Limits {
  return { ...limits, cpuSeconds };
}

/** What undo can put back of a command: how many files it changed, and why that is not everything. */
interface UndoFacts {
  files: number;
  notCovered?: string;
}

async function recordChanges(
  compared: Promise<CommandChanges>,
  changes: Changes,
  heardFrom: readonly string[] = [],
  more?: string,
): Promise<{ undo?: UndoFacts }> {
  const { changes: made, notCovered = more } = await compared.catch((error: unknown) => ({
    changes: [],
    notCovered: `the files could not be compared: ${(error as Error).message}`,
  }));
  if (made.length === 0 && notCovered === undefined) return {};
  const undo = { files: made.length, ...(notCovered !== undefined && { notCovered }) };
  // The command has run: a record that cannot be kept must not hide what it said.
  const fetchedFrom = heardFrom.map((host) => taintSource('host', host));
  return changes.recordMade({ changes: made, fetchedFrom, ...(notCovered !== undefined && { notCovered }) }).then(
    () => ({ undo }),
    (error: unknown) => ({ undo: { files: 0, notCovered: `it could not be recorded: ${(error as Error).message}` } }),
  );
}

/** A command does not see what deny rules keep from being read; where that cannot be arranged, nothing runs. */
export async function hiddenFrom(
  { isolates }: Sandbox,
  workspace: Workspace,
  hides: HidesPath,
  signal: AbortSignal,
): Promise<string[]> {
  const { findHidden } = await import('../search/hidden-files.ts');
  const hide = await findHidden(workspace, hides, signal);
  if (isolates || hide.length === 0) return hide;
  throw new ToolFailure(
    'deny rules keep files of the workspace from being read, and without a sandbox no command can be kept from them: install bubblewrap, or take the rules out of permissions.json',
    { reason: 'denied' },
  );
}

/**
 * A command that ran is a result whatever its exit code; one that had to be ended is a failure that shows what it said.
 * `notes`: our own words about it, one line each.
 */
export function toOutput(
  finished: SandboxedRun,
  facts: { sandbox: string; undo?: UndoFacts },
  timeoutMs: number,
  notes: readonly string[],
): ToolOutput {
  const { exitCode, signal, stdout, stderr, interleaved, spool, traffic, heardFrom = [] } = finished;
  const data = {
    exitCode,
    ...(signal && { signal }),
    stdout: stdout.text,
    stderr: stderr.text,
    output: interleaved.text,
    ...(spool && { fullOutputPath: spool.path }),
    ...(traffic && { network: traffic }),
    ...(notes.length > 0 && { notes }),
  };
  const whole = spool ? `\n[the whole output is in ${spool.path}]` : '';
  const ending = exitCode === 0 ? '' : `\n[exit code ${exitCode ?? signal ?? 'unknown'}]`;
  const output: ToolOutput = {
    data,
    text:
      `${interleaved.text.trimEnd()}${ending}${notes.map((note) => `\n[${note}]`).join('')}${whole}`.trim() ||
      '(no output)',
    meta: {
      ...facts,
      ...(spool && { fullOutputPath: spool.path }),
      ...(traffic && { network: traffic }),
      ...(heardFrom.length > 0 && { tainted: true, taintedBy: heardFrom.map((host) => taintSource('host', host)) }),
    },
  };
  if (finished.timedOut) {
    throw new ToolFailure(`the command took longer than ${timeoutMs} ms: it and everything it started was ended`, {
      reason: 'timeout',
      output,
    });
  }
  if (finished.limitExceeded) {
    throw new ToolFailure(`the command was ended because it exceeded its limit of ${finished.limitExceeded}`, {
      reason: 'limit',
      output,
    });
  }
  return output;
}
