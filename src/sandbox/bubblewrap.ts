// The sandbox of a Linux machine: namespaces made by bubblewrap, as root or as any user. A run in order: plan the mounts →
// guard protected paths → bubblewrap mounts and waits at its gate → apply the limits to its first process → run the
// command → end everything in the namespace → remove the guards.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bubblewrapArguments, type Features, featuresOf, limitScript } from './bubblewrap-arguments.ts';
import { explainFailure, PROGRAMS_MISSING } from './bubblewrap-failures.ts';
import { type Cgroup, type CgroupDependencies, createCgroups } from './cgroup.ts';
import { type CommandSandbox, createDirectSandbox, type RunPlan } from './command-sandbox.ts';
import { readStat } from './end-tree.ts';
import { findProgram, SYSTEM_DIRECTORIES } from './find-program.ts';
import { type Leases, planGuards } from './guards.ts';
import { createInherited } from './inherited.ts';
import { planMounts, withGuards } from './mounts.ts';
import { ownerMark } from './orphans.ts';
import { realPath } from './path-inside.ts';
import { createFifoStock, type Fifo, mkfifoWith, outputPipes } from './pipes.ts';
import { createLeaseNames } from './placeholders.ts';
import { canBecome } from './ready-process.ts';
import { createReadyRuns } from './ready-runs.ts';
import { makeReadySandbox, type ReadySandbox, WAITING } from './ready-sandbox.ts';
import { checkCommand, type Exit, runProcess, signalOfCode } from './run-process.ts';
import type { Availability, Finished, Limits, RunOptions, Sandbox, SandboxCommand } from './sandbox.ts';
import { SandboxError } from './sandbox.ts';
import { createFilterFile } from './seccomp/filter-file.ts';
import { createSpareDirectories } from './spare-directories.ts';
import { createSparePlaceholders } from './spare-placeholders.ts';
import { createStarter } from './starter.ts';

export interface BubblewrapDependencies {
  /** The person's home: empty inside the sandbox, except for toolchains. */
  userHome: string;
  /** Never visible inside the sandbox, wherever it is. */
  lainclawHome: string;
  /** Further paths that are never visible inside the sandbox. */
  hide?: readonly string[];
  /** A private directory for pipes that no command sees; nothing is left in it. */
  temporary: string;
  newId(prefix: string): string;
  /** 0 is root: the kernel's limit on processes does not apply to root. */
  uid: number;
  /** "6.1.0-18-amd64". */
  kernel: string;
  cgroups: CgroupDependencies;
  /** Where programs of the machine keep temporary files. */
  systemTemporary?: string;
  /** Where the system's programs are. */
  directories?: readonly string[];
  /** As node names it; by default this machine's. */
  architecture?: string;
}

export function createBubblewrap(dependencies: BubblewrapDependencies): Sandbox {
  const { uid, kernel, newId, temporary, systemTemporary = tmpdir(), directories = SYSTEM_DIRECTORIES } = dependencies;
  const inherited = createInherited();
  const leases: Leases = { newLease: createLeaseNames(newId), inWorkspaces: new Set() };
  const rlimitHoldsProcesses = uid !== 0 && countsProcessesPerNamespace(kernel);
  let known: Programs | undefined;
  let owner: string | undefined;

  async function programs(): Promise<Programs> {
    known ??= await findPrograms(directories);
    return known;
  }

  const filter = createFilterFile({ temporary, architecture: dependencies.architecture ?? process.arch });
  const fifos = createFifoStock(temporary);
  const starter = createStarter({ mkfifo: async () => (await programs()).mkfifo, inherited });
  const store = join(dependencies.lainclawHome, 'sandbox');
  const leaseDirectories = createSpareDirectories({ store, newName: leases.newLease });
  const sparePlaceholders = createSparePlaceholders({ store, newName: leases.newLease });
  const readyRuns = createReadyRuns<ReadySandbox>(endUnused);
  const newGroup = createCgroups(dependencies.cgroups);
  const removingGroups = new Set<Promise<void>>();

  function planRun({ profile, env }: SandboxCommand, tools: Programs): RunPlan {
    const planned = planMounts({
      profile,
      userHome: dependencies.userHome,
      hidden: [dependencies.lainclawHome, ...(dependencies.hide ?? [])],
      searchPath: env.PATH ?? '',
      systemTemporary,
    });
    owner ??= ownerMark({ pid: process.pid, started: readStat(process.pid)?.started ?? 0 });
    const common = {
      ...tools,
      owner,
      limits: profile.limits,
      limitsProcesses: rlimitHoldsProcesses,
      filters: filter.descriptor() !== undefined,
      ownLimits: readFileSync('/proc/self/limits', 'latin1'),
    };
    const { workspace, limits, readOnly, scratch } = profile;
    const guards = planGuards(profile);
    const mountsWith: RunPlan['mountsWith'] = (made) => withGuards(planned, made);
    const argvFor: RunPlan['argvFor'] = (mounts, { argv, cwd, mark, waits }) =>
      bubblewrapArguments({ ...common, mounts, argv, cwd: realPath(cwd) ?? cwd, mark, waits });
    return {
      guards,
      mountsWith,
      argvFor,
      limitScript: limitScript(common),
      wanted: {
        place: workspace?.path ?? '',
        kind: JSON.stringify([workspace?.access, limits, readOnly, scratch]),
        state: JSON.stringify([limitScript(common), argvFor(mountsWith(guards.mounts), WAITING)]),
        changesPlace: guards.missing.length > 0,
      },
    };
  }

  async function makeReady(plan: RunPlan, limits: Limits): Promise<ReadySandbox> {
    const cgroup = newGroup(newId('run'), withOneMore(limits));
    try {
      const common = { limits, cgroup, store, leases, leaseDirectories, sparePlaceholders, starter };
      const openFifos = async (count: number): Promise<Fifo[]> =>
        (await starter.openPipes(count)) ?? fifos.take(count, starter.makeFifos);
      return await makeReadySandbox(plan, { ...common, openFifos, filter: filter.descriptor() });
    } catch (error) {
      await cgroup?.remove();
      throw error;
    }
  }

  /** Takes the plan over. `runs`: how many commands are likely to follow. Never rejects. */
  async function prepareBy(plan: RunPlan, limits: Limits, runs: number): Promise<void> {
    // Two at once would change the workspace under each other.
    const wanted = { ...plan.wanted, runs: plan.guards.missing.length > 0 ? 1 : runs };
    await readyRuns.prepare(wanted, () => makeReady({ ...plan, guards: plan.guards.share() }, limits));
    plan.guards.release();
  }

  async function prepare(command: SandboxCommand): Promise<void> {
    if (!canBecome(command)) return;
    const planning = programs().then((tools) => planRun(command, tools));
    // What is wrong with the plan is found again by the command, and reported.
    const plan = await planning.catch(() => undefined);
    if (plan) await prepareBy(plan, command.profile.limits, 1);
  }

  async function sandboxFor(command: SandboxCommand): Promise<CommandSandbox> {
    const tools = await programs();
    await readyRuns.settled(command.profile.workspace?.path ?? '');
    const plan = planRun(command, tools);
    const ready = canBecome(command) ? await readyRuns.take(plan.wanted) : undefined;
    const prepared = await ready?.sandboxFor(command, plan);
    if (prepared) return prepared;
    if (ready) await endUnused(ready);
    return createDirectSandbox(ready ? planRun(command, tools) : plan, command, {
      temporary,
      leases,
      mark: newId('lainclaw-run'),
      insure: starter.insure,
      inherited: inherited(),
      openFilter: filter.open,
      openPipes: async (onMaker) => outputPipes(await fifos.take(2, mkfifoWith(tools.mkfifo, onMaker))),
      cgroup: newGroup(newId('run'), command.profile.limits),
    });
  }

  async function run(command: SandboxCommand, options: RunOptions): Promise<Finished> {
    return (await runHolding(command, options)).finished;
  }

  async function runHolding(command: SandboxCommand, options: RunOptions) {
    checkCommand(command);
    const { plan, namespace, limiter, cgroup, start, follow, releaseScript, release } = await sandboxFor(command);
    let isOver = false;
    let uninsure = (): void => {};
    /** When this process is killed, the guards go with the command. */
    function insure(): void {
      const script = isOver ? '' : releaseScript();
      if (script !== '') uninsure = starter.insure(script);
    }
    try {
      const { finished, exit } = await runProcess(start, options, {
        started(child, stop) {
          follow(stop, () => {
            setImmediate(insure);
            options.onStarted?.({ firstProcess: namespace.firstProcess, stdin: child.stdin ?? undefined });
          });
          if (!options.expectsMore || !canBecome(command)) return;
          const next = { ...plan, guards: plan.guards.share() };
          setImmediate(() => void prepareBy(next, command.profile.limits, MOST_AHEAD));
        },
        end: (child) => namespace.end(child),
      });
      const limits = limiter.held(rlimitHoldsProcesses);
      const exitCode = exit.signal ? undefined : await namespace.exitCode();
      return { finished: judge(finished, { exit, exitCode, cgroup }), limits };
    } catch (error) {
      throw startFailure(error);
    } finally {
      isOver = true;
      limiter.release();
      const cleaning = release().then(uninsure);
      const removed = cleaning.then(() => removeGroup(cgroup));
      if (options.afterwards) options.afterwards(cleaning);
      else await removed;
    }
  }

  /** The kernel keeps a group until it has taken the last process apart. Nothing of a workspace depends on it, so no command waits for that. */
  async function removeGroup(cgroup: Cgroup | undefined): Promise<void> {
    if (!cgroup) return;
    const removing = cgroup.remove();
    removingGroups.add(removing);
    await removing;
    removingGroups.delete(removing);
  }

  async function available(): Promise<Availability> {
    try {
      const { version } = await programs();
      const { finished, limits } = await runHolding(TRIAL, TRIAL_OPTIONS);
      if (finished.exitCode === 0) return { ok: true, version, limits };
      return { ok: false, ...explainFailure(finished.stderr.text.trim() || 'a test run did not end in time') };
    } catch (error) {
      if (!(error instanceof SandboxError)) return { ok: false, ...explainFailure(String(error)) };
      return error.code === 'unavailable'
        ? { ok: false, reason: error.message, fix: PROGRAMS_MISSING }
        : { ok: false, ...explainFailure(error.message) };
    }
  }

  async function close(): Promise<void> {
    await readyRuns.close();
    await Promise.all(removingGroups);
    await leaseDirectories.close();
    sparePlaceholders.close();
    await starter.close();
    fifos.close();
    filter.close();
  }

  return {
    name: 'bubblewrap',
    isolates: true,
    forwardsNetwork: true,
    endsWithUs: true,
    temporary,
    isOwn: (path) => leases.inWorkspaces.has(path),
    available,
    run,
    prepare,
    close,
  };
}

/** A run is ready while the one behind it is made. */
const MOST_AHEAD = 2;

const TRIAL: SandboxCommand = {
  argv: ['true'],
  cwd: '/',
  env: { PATH: SYSTEM_DIRECTORIES.join(':') },
  profile: {
    protect: [],
    limits: { memoryBytes: 268_435_456, cpuSeconds: 10, fileSizeBytes: 1_048_576, processes: 32 },
  },
};
const TRIAL_OPTIONS: RunOptions = {
  timeoutMs: 10_000,
  output: { headBytes: 4_096, tailBytes: 0, maxBytes: 65_536 },
};

interface Programs {
  bwrap: string;
  prlimit: string;
  mkfifo: string;
  version: string;
  features: Features;
}

async function findPrograms(directories: readonly string[]): Promise<Programs> {
  const [bwrap, prlimit, mkfifo] = ['bwrap', 'prlimit', 'mkfifo'].map((name) => {
    const path = findProgram(name, directories);
    if (!path) throw new SandboxError('unavailable', `${name} was not found in ${directories.join(', ')}`);
    return path;
  }) as [string, string, string];
  const { stdout } = await promisify(execFile)(bwrap, ['--version'], { env: {} });
  const version = stdout.trim();
  const features = featuresOf(version);
  if (!features) throw new SandboxError('unavailable', `${bwrap} --version says "${version}"`);
  return { bwrap, prlimit, mkfifo, version, features };
}

/** The kernel counts bubblewrap itself, which the starter puts into the group, among the command's processes. */
function withOneMore(limits: Limits): Limits {
  return { ...limits, processes: limits.processes + 1 };
}

async function endUnused(ready: ReadySandbox): Promise<void> {
  await ready.discard();
  await ready.cgroup?.remove();
}

interface Judged {
  exit: Exit;
  /** The exit code of the command, as bubblewrap reported it. */
  exitCode: number | undefined;
  cgroup: Cgroup | undefined;
}

function judge(finished: Finished, { exit, exitCode, cgroup }: Judged): Finished {
  // Lainclaw ended the command.
  if (finished.exitCode === null) return finished;
  const limitExceeded = cgroup?.ranOutOfMemory() ? 'memory' : undefined;
  // Bubblewrap itself was killed: by the kernel, where it counts among the command's processes.
  if (exit.signal) return limitExceeded ? { ...finished, limitExceeded } : finished;
  if (exitCode === undefined) {
    throw new SandboxError('setup-failed', `bubblewrap could not prepare the sandbox: ${finished.stderr.text.trim()}`);
  }
  return { ...finished, exitCode, signal: signalOfCode(exitCode), limitExceeded };
}

function startFailure(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'E2BIG')
    return new SandboxError('invalid-command', 'the command has too many or too long arguments', error);
  if (code === 'ENOENT' || code === 'EACCES')
    return new SandboxError('unavailable', `bubblewrap cannot be started: ${message}`, error);
  return error;
}

/** True since Linux 5.14; before, the limit counts everything the user runs anywhere. */
function countsProcessesPerNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10));
  return major > 5 || (major === 5 && minor >= 14);
}
