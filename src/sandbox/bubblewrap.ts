// The sandbox of a Linux machine: namespaces made by bubblewrap, as root or as any user. A run in order: plan the mounts →
// guard protected paths → bubblewrap mounts and waits at its gate → apply the limits to its first process → run the
// command → end everything in the namespace → remove the guards.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { bubblewrapArguments, type Features, featuresOf } from './bubblewrap-arguments.ts';
import { explainFailure, PROGRAMS_MISSING } from './bubblewrap-failures.ts';
import { type Cgroup, type CgroupDependencies, createCgroup } from './cgroup.ts';
import { findProgram, SYSTEM_DIRECTORIES } from './find-program.ts';
import { type Guards, guardWorkspace } from './guards.ts';
import { createInherited } from './inherited.ts';
import { createLimiter, layLimits } from './limiter.ts';
import { planMounts, withGuards } from './mounts.ts';
import { createNamespace } from './namespace.ts';
import { realPath } from './path-inside.ts';
import { openPipes } from './pipes.ts';
import { canBecome, startReadyProcess } from './ready-process.ts';
import { createReadyRuns, type ReadyRun } from './ready-runs.ts';
import {
  checkCommand,
  type Exit,
  type Launch,
  runProcess,
  type StartedProcess,
  signalOfCode,
  startProcess,
} from './run-process.ts';
import type { Availability, Finished, Limits, RunOptions, Sandbox, SandboxCommand } from './sandbox.ts';
import { SandboxError } from './sandbox.ts';

export interface BubblewrapDependencies {
  /** The person's home: empty inside the sandbox, except for toolchains. */
  userHome: string;
  /** Never visible inside the sandbox, wherever it is. */
  lainclawHome: string;
  /** Further paths that are never visible inside the sandbox. */
  hide?: readonly string[];
  /** A private directory for pipes; nothing is left in it. */
  temporary: string;
  newId(prefix: string): string;
  /** 0 is root: the kernel's limit on processes does not apply to root. */
  uid: number;
  /** "6.1.0-18-amd64". */
  kernel: string;
  cgroups: CgroupDependencies;
  /** Where the system's programs are. */
  directories?: readonly string[];
}

/** One to report status, one to wait for permission to start. */
const CHANNELS = 2;

export function createBubblewrap(dependencies: BubblewrapDependencies): Sandbox {
  const { uid, kernel, newId, directories = SYSTEM_DIRECTORIES } = dependencies;
  const inherited = createInherited();
  const rlimitHoldsProcesses = uid !== 0 && countsProcessesPerNamespace(kernel);
  let known: Programs | undefined;

  async function programs(): Promise<Programs> {
    known ??= await findPrograms(directories);
    return known;
  }

  const readyRuns = createReadyRuns(makeReady);

  async function run(command: SandboxCommand, options: RunOptions): Promise<Finished> {
    return (await runHolding(command, options)).finished;
  }

  /** Prepares all that does not depend on the command: pipes, a control group with a process in it. */
  async function makeReady(limits: Limits): Promise<ReadyRun> {
    const { mkfifo } = await programs();
    const cgroup = createCgroup(dependencies.cgroups, newId('run'), withOneMore(limits));
    try {
      const pipes = await openPipes(['stdout', 'stderr'], { temporary: dependencies.temporary, mkfifo });
      const ready = startReadyProcess(pipes, { channels: CHANNELS, inherited: inherited() });
      const { pid } = ready.child;
      if (pid !== undefined) return { process: ready, cgroup, isInGroup: await layLimits(pid, cgroup) };
      await ready.discard();
      throw new SandboxError('unavailable', 'no shell could be started');
    } catch (error) {
      await cgroup?.remove();
      throw error;
    }
  }

  async function runHolding(command: SandboxCommand, options: RunOptions) {
    checkCommand(command);
    const tools = await programs();
    const { profile } = command;
    const namespace = createNamespace();
    let guards: Guards | undefined;

    async function prepare(): Promise<Launch> {
      const mounts = planMounts({
        profile,
        userHome: dependencies.userHome,
        hidden: [dependencies.lainclawHome, ...(dependencies.hide ?? [])],
        searchPath: command.env.PATH ?? '',
      });
      guards = await guardWorkspace(profile, newId);
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
      return { argv, cwd: '/', env: command.env, stdin: command.stdin, channels: CHANNELS };
    }

    const ready = canBecome(command) ? await readyRuns.take(profile.limits) : undefined;
    const cgroup = ready ? ready.cgroup : createCgroup(dependencies.cgroups, newId('run'), profile.limits);
    const limiter = createLimiter(profile, cgroup, ready?.isInGroup);

    async function start(): Promise<StartedProcess> {
      if (ready) {
        ready.process.become(await prepare());
        return ready.process;
      }
      const { temporary } = dependencies;
      return startProcess(prepare, { temporary, mkfifo: tools.mkfifo, inherited: inherited(), onMaker: limiter.warm });
    }

    try {
      const { finished, exit } = await runProcess(start, options, {
        started(child, stop) {
          namespace.follow(child, (pid) => limiter.hold(pid, stop));
          if (options.expectsMore) setImmediate(() => void readyRuns.prepare(profile.limits));
        },
        end: (child) => namespace.end(child),
      });
      const limits = limiter.held(rlimitHoldsProcesses);
      const exitCode = exit.signal ? undefined : await namespace.exitCode();
      return { finished: judge(finished, { exit, exitCode, cgroup }), limits };
    } catch (error) {
      throw startFailure(error);
    } finally {
      limiter.release();
      await ready?.process.discard();
      const cleaning = Promise.all([guards?.release(), cgroup?.remove()]).then(() => {});
      if (options.afterwards) options.afterwards(cleaning);
      else await cleaning;
    }
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

  const { prepare, close } = readyRuns;
  return { name: 'bubblewrap', isolates: true, available, run, prepare, close };
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

/** Where the kernel counts the processes of the whole group, the process that waits for the command is one of them. */
function withOneMore(limits: Limits): Limits {
  return { ...limits, processes: limits.processes + 1 };
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
