// The sandbox of a Linux machine: namespaces made by bubblewrap, as root or as anybody. A run in order: what is seen is
// planned → protected paths are guarded → bubblewrap mounts and waits at its gate → the limits are laid on its first
// process → the command runs → everything in the namespace ends → guards are taken away.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { promisify } from 'node:util';
import { bubblewrapArguments, type Features, featuresOf } from './bubblewrap-arguments.ts';
import { explainFailure, PROGRAMS_MISSING } from './bubblewrap-failures.ts';
import { type Cgroup, type CgroupDependencies, createCgroup } from './cgroup.ts';
import { findProgram, SYSTEM_DIRECTORIES } from './find-program.ts';
import { type Guards, guardWorkspace } from './guards.ts';
import { createInherited } from './inherited.ts';
import { planMounts, withGuards } from './mounts.ts';
import { createNamespace } from './namespace.ts';
import { realPath } from './path-inside.ts';
import { checkCommand, type Ending, type Launch, runProcess, signalOfCode } from './run-process.ts';
import type { Availability, Finished, HeldLimits, Profile, RunOptions, Sandbox, SandboxCommand } from './sandbox.ts';
import { SandboxError } from './sandbox.ts';
import { watchMemory } from './watch-memory.ts';

export interface BubblewrapDependencies {
  /** The person's home: empty inside, but for toolchains. */
  userHome: string;
  /** Never seen from inside, wherever it lies. */
  lainclawHome: string;
  /** Further paths never seen from inside. */
  hide?: readonly string[];
  /** A private directory for pipes; nothing is left in it. */
  temporary: string;
  newId(prefix: string): string;
  /** 0 is root, on whom the kernel's limit on processes does not bind. */
  uid: number;
  /** "6.1.0-18-amd64". */
  kernel: string;
  cgroups: CgroupDependencies;
  /** Where the system's programs are. */
  directories?: readonly string[];
}

/** Behind what the person does: a command that spins must not make Lainclaw wait. */
const NICENESS = 5;
/** When memory runs out, these go first. */
const OUT_OF_MEMORY_SCORE = '1000';

export function createBubblewrap(dependencies: BubblewrapDependencies): Sandbox {
  const { uid, kernel, newId, directories = SYSTEM_DIRECTORIES } = dependencies;
  const inherited = createInherited();
  const rlimitHoldsProcesses = uid !== 0 && countsProcessesPerNamespace(kernel);
  let known: Programs | undefined;

  async function programs(): Promise<Programs> {
    known ??= await findPrograms(directories);
    return known;
  }

  async function run(command: SandboxCommand, options: RunOptions): Promise<Finished> {
    return (await runHolding(command, options)).finished;
  }

  async function runHolding(command: SandboxCommand, options: RunOptions) {
    checkCommand(command);
    const tools = await programs();
    const { profile } = command;
    const cgroup = createCgroup(dependencies.cgroups, newId('run'), profile.limits);
    const namespace = createNamespace();
    const limiter = createLimiter(profile, cgroup);
    let guards: Guards | undefined;

    function prepare(): Launch {
      const mounts = planMounts({
        profile,
        userHome: dependencies.userHome,
        hidden: [dependencies.lainclawHome, ...(dependencies.hide ?? [])],
        searchPath: command.env.PATH ?? '',
      });
      guards = guardWorkspace(profile, newId);
      const argv = bubblewrapArguments({
        ...tools,
        argv: command.argv,
        cwd: realPath(command.cwd) ?? command.cwd,
        mounts: withGuards(mounts, guards.mounts),
        network: profile.network,
        limits: profile.limits,
        limitsProcesses: rlimitHoldsProcesses,
        ownLimits: readFileSync('/proc/self/limits', 'latin1'),
      });
      return { argv, cwd: '/', env: command.env, stdin: command.stdin, channels: 2 };
    }

    try {
      const { finished, exit } = await runProcess(
        prepare,
        options,
        {
          started: (child, stop) => namespace.follow(child, (pid) => limiter.hold(pid, stop)),
          end: (child) => namespace.end(child),
        },
        { temporary: dependencies.temporary, mkfifo: tools.mkfifo, inherited: inherited(), onMaker: limiter.warm },
      );
      const limits = limiter.held(rlimitHoldsProcesses);
      return { finished: exit.signal ? finished : judge(finished, await namespace.exitCode(), cgroup), limits };
    } catch (error) {
      throw startFailure(error);
    } finally {
      limiter.release();
      guards?.release();
      await cgroup?.remove();
    }
  }

  async function available(): Promise<Availability> {
    try {
      const { version } = await programs();
      const { finished, limits } = await runHolding(TRIAL, TRIAL_OPTIONS);
      if (finished.exitCode === 0) return { ok: true, version, limits };
      return { ok: false, ...explainFailure(finished.stderr.text.trim() || 'a trial did not end in time') };
    } catch (error) {
      if (!(error instanceof SandboxError)) return { ok: false, ...explainFailure(String(error)) };
      return error.code === 'unavailable'
        ? { ok: false, reason: error.message, fix: PROGRAMS_MISSING }
        : { ok: false, ...explainFailure(error.message) };
    }
  }

  return { name: 'bubblewrap', isolates: true, available, run };
}

const TRIAL: SandboxCommand = {
  argv: ['true'],
  cwd: '/',
  env: { PATH: SYSTEM_DIRECTORIES.join(':') },
  profile: {
    protect: [],
    network: false,
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

/** What is laid on the first process of the sandbox while it waits at its gate; all others inherit it. */
function createLimiter({ limits }: Profile, cgroup: Cgroup | undefined) {
  let isInGroup = false;
  let isReleased = false;
  let watch: { stop(): void } | undefined;
  return {
    /**
     * The first change of membership after a quiet time costs the kernel some ten milliseconds, the next one nothing:
     * a process that is about to end anyway takes the wait upon itself while the mounts are still being planned.
     */
    warm: (pid: number): void => void cgroup?.add(pid).catch(() => {}),
    /** Never rejects. */
    async hold(pid: number, stop: (ending: Ending) => void): Promise<void> {
      tryTo(() => setPriority(pid, NICENESS));
      tryTo(() => writeFileSync(`/proc/${pid}/oom_score_adj`, OUT_OF_MEMORY_SCORE));
      isInGroup =
        (await cgroup?.add(pid).then(
          () => true,
          () => false,
        )) ?? false;
      if (isReleased || (isInGroup && cgroup?.holdsMemory)) return;
      watch = watchMemory(pid, limits.memoryBytes, () => stop('memory'));
    },
    release(): void {
      isReleased = true;
      watch?.stop();
    },
    held: (rlimitHoldsProcesses: boolean): HeldLimits => ({
      memory: 'tree',
      processes: rlimitHoldsProcesses || isInGroup ? 'tree' : 'none',
    }),
  };
}

function judge(finished: Finished, exitCode: number | undefined, cgroup: Cgroup | undefined): Finished {
  if (finished.exitCode === null) return finished;
  if (exitCode === undefined) {
    throw new SandboxError('setup-failed', `bubblewrap could not prepare the sandbox: ${finished.stderr.text.trim()}`);
  }
  const limitExceeded = cgroup?.ranOutOfMemory() ? 'memory' : undefined;
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

/** Since 5.14; before, the limit counts everything the user runs anywhere. */
function countsProcessesPerNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10));
  return major > 5 || (major === 5 && minor >= 14);
}

function tryTo(action: () => void): void {
  try {
    action();
  } catch {
    // The process has gone, or the system does not allow it; the limits do not depend on it.
  }
}
