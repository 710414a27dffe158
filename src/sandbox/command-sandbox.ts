// The sandbox of one command, and the plan that it is made from: started for the command, or prepared before (`ready-sandbox.ts`).
import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { type BubblewrapCommand, GATE_DESCRIPTOR, STATUS_DESCRIPTOR } from './bubblewrap-arguments.ts';
import type { Cgroup } from './cgroup.ts';
import { type GuardMount, type GuardPlan, type Guards, type Leases, placeGuards } from './guards.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import type { Mount } from './mounts.ts';
import { createNamespace, type Namespace } from './namespace.ts';
import type { OutputPipes } from './pipes.ts';
import type { Wanted } from './ready-runs.ts';
import {
  type Ending,
  type Launch,
  type ProcessDependencies,
  type StartedProcess,
  startProcess,
} from './run-process.ts';
import type { SandboxCommand } from './sandbox.ts';

/** What a command is to see, and what is guarded from it, as everything is now. */
export interface RunPlan {
  /** To be released. */
  readonly guards: GuardPlan;
  /** What a sandbox prepared by this plan is good for: where bubblewrap would be given the same arguments. */
  readonly wanted: Wanted;
  /** All mounts, with these guards. */
  mountsWith(guards: readonly GuardMount[]): Mount[];
  /** For a shell that waits for the command: applies the limits. */
  readonly limitScript: string;
  /** Bubblewrap with its arguments. */
  argvFor(mounts: readonly Mount[], command: Pick<BubblewrapCommand, 'argv' | 'cwd' | 'mark' | 'waits'>): string[];
}

export interface CommandSandbox {
  /** As it was when the command came. Used until `release`. */
  readonly plan: RunPlan;
  readonly namespace: Namespace;
  readonly limiter: Limiter;
  readonly cgroup: Cgroup | undefined;
  /** Starts the command, at most once. Its guards are in place before it runs. */
  start(): Promise<StartedProcess>;
  /** Called at once after the start. `stop` ends the command; `onRunning` is called once its first process is known. */
  follow(stop: (ending: Ending) => void, onRunning: () => void): void;
  /**
   * For a shell: ends the command and removes its guards, when this process cannot. Empty when there is nothing to remove.
   * Known once the first process is.
   */
  releaseScript(): string;
  /** Once the command has ended, or instead of starting it. Never rejects. */
  release(): Promise<void>;
}

/** One to report status, one to wait for permission to start. */
const CHANNELS = 2;
/** How often a process is looked for that should have ended. */
const END_LOOKS = 500;
/** Twentieths of a second without a process of bubblewrap. */
const QUIET_LOOKS = 10;

export interface DirectDependencies extends Omit<ProcessDependencies, 'openPipes'> {
  /** `onMaker` is called with the pid of a process that makes the pipes, when one must be started for that. */
  openPipes(onMaker: (pid: number) => void): ReturnType<ProcessDependencies['openPipes']>;
  cgroup: Cgroup | undefined;
  leases: Leases;
  /** A name that no other run has. */
  mark: string;
  /** Has another process run this script when this process ends before the returned function is called. */
  insure(script: string): () => void;
  /** Opens the filter of system calls, where there is one. */
  openFilter(): number[];
}

/** Nothing is prepared: bubblewrap starts with the command. */
export function createDirectSandbox(
  plan: RunPlan,
  command: SandboxCommand,
  dependencies: DirectDependencies,
): CommandSandbox {
  const { cgroup, leases, mark } = dependencies;
  const namespace = createNamespace();
  const limiter = createLimiter(command.profile.limits, cgroup);
  let guards: Guards | undefined;
  let child: ChildProcess | undefined;
  let uninsure = (): void => {};

  async function launch(): Promise<Launch> {
    uninsure = dependencies.insure(endMarked(mark));
    guards = await placeGuards(plan.guards, leases);
    const argv = plan.argvFor(plan.mountsWith(guards.mounts), { ...command, mark });
    const { env, stdin } = command;
    return { argv, cwd: '/', env, stdin, channels: CHANNELS, openFiles: dependencies.openFilter };
  }

  return {
    plan,
    namespace,
    limiter,
    cgroup,
    async start() {
      const openPipes = (): Promise<OutputPipes> => dependencies.openPipes(limiter.warm);
      const started = await startProcess(launch, { ...dependencies, openPipes });
      child = started.child;
      return started;
    },
    follow(stop, onRunning) {
      const stdio = child?.stdio ?? [];
      namespace.follow(stdio[STATUS_DESCRIPTOR] as Readable, {
        open: stdio[GATE_DESCRIPTOR] as Writable,
        async ready(pid) {
          await limiter.hold(pid);
          limiter.watch(pid, stop);
          onRunning();
        },
      });
    },
    releaseScript: () => endAndRelease(namespace, guards?.releaseScript),
    async release() {
      uninsure();
      await (guards ?? plan.guards).release();
    },
  };
}

/**
 * For a shell: kills bubblewrap wherever it is in its start. When this process is killed while bubblewrap makes its namespaces, bubblewrap
 * dies too, but not the first process of the sandbox: that one waits for it and would wait for ever. Looks again for a while: what was
 * forked by this process may not be bubblewrap yet.
 */
function endMarked(mark: string): string {
  return `n=0; m=0; while [ $n -lt ${QUIET_LOOKS} ] && [ $m -lt ${END_LOOKS} ]; do n=$((n+1)); m=$((m+1))
for d in /proc/[0-9]*; do
w=; read -r w <$d/comm; [ "$w" = bwrap ] || continue
w=; read -r w <$d/cmdline; case $w in *${mark}*) kill -9 \${d#/proc/}; n=0;; esac
done; sleep 0.05; done`;
}

/** Guards must stay as long as anything of the command is alive. */
export function endAndRelease({ firstProcess }: Namespace, release: string | undefined): string {
  if (!release || firstProcess === undefined) return '';
  const isAlive = `kill -0 ${firstProcess}`;
  const wait = `n=0; while ${isAlive} && [ $n -lt ${END_LOOKS} ]; do sleep 0.01; n=$((n+1)); done`;
  return `kill -9 ${firstProcess}; ${wait}\n${isAlive} || {\n${release}\n}`;
}
