// A sandbox prepared for a command that is not known yet: bubblewrap has mounted everything that the plan of the last command
// asked for, and a shell waits inside. It is used only when it is exactly what the next command needs: the plan made then gives
// the same arguments (compared by `ready-runs.ts`), and the kernel's list of its mounts is as it was when they were made, except
// for the placeholders, which must be in their places. A file that was replaced or removed meanwhile takes its mount with it,
// and the list shows that.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Cgroup } from './cgroup.ts';
import { type CommandSandbox, endAndRelease, type RunPlan } from './command-sandbox.ts';
import { readStat } from './end-tree.ts';
import type { Leases } from './guards.ts';
import { createLimiter } from './limiter.ts';
import { createNamespace, type Namespace } from './namespace.ts';
import { realPath } from './path-inside.ts';
import type { Fifo } from './pipes.ts';
import { type PreparedPlaceholders, preparePlaceholders } from './prepared-placeholders.ts';
import { READY_FIFOS, type ReadyProcess, startReadyProcess, WAITING_SHELL } from './ready-process.ts';
import type { Limits, SandboxCommand } from './sandbox.ts';
import type { SpareDirectories } from './spare-directories.ts';
import type { SparePlaceholders } from './spare-placeholders.ts';
import type { Starter } from './starter.ts';

export interface ReadySandbox {
  readonly cgroup: Cgroup | undefined;
  /** Puts the guards in place, and takes the plan over. Undefined when the sandbox is not what it was any more. */
  sandboxFor(command: SandboxCommand, plan: RunPlan): Promise<CommandSandbox | undefined>;
  /** Resolves once nothing of it is left but its control group. */
  discard(): Promise<void>;
}

export interface ReadyDependencies {
  limits: Limits;
  openFifos(count: number): Promise<Fifo[]>;
  starter: Starter;
  cgroup: Cgroup | undefined;
  /** Where placeholders wait for their command. */
  store: string;
  leases: Leases;
  leaseDirectories: SpareDirectories;
  sparePlaceholders: SparePlaceholders;
  /** The filter of system calls, where there is one. */
  filter: number | undefined;
}

/** For `bubblewrapArguments`: a shell that waits for its command. */
export const WAITING = { argv: WAITING_SHELL, cwd: '/', waits: true };

/** Takes the plan over. */
export async function makeReadySandbox(plan: RunPlan, dependencies: ReadyDependencies): Promise<ReadySandbox> {
  const { limits, cgroup, openFifos, starter, filter } = dependencies;
  const limiter = createLimiter(limits, cgroup);
  const namespace = createNamespace();
  let placeholders: PreparedPlaceholders | undefined;
  let process: ReadyProcess | undefined;

  async function discard(): Promise<void> {
    limiter.release();
    if (process) await endProcess(process, namespace);
    process?.abandon();
    await placeholders?.discard();
  }

  try {
    placeholders = await preparePlaceholders(plan.guards, dependencies);
    const { currentPath, expectedMounts, withdraw, place } = placeholders;
    const mounts = plan.mountsWith(plan.guards.mounts).map((mount) => ({ ...mount, path: currentPath(mount.path) }));
    const argv = plan.argvFor(mounts, WAITING);
    const fifos = await openFifos(READY_FIFOS);
    const started = await startReadyProcess({
      ...{ argv, limitScript: plan.limitScript, group: cgroup?.members },
      ...{ fifos, starter, filter },
    });
    process = started;
    namespace.follow(started.status);
    limiter.holds(started.isInGroup);
    await started.waits();
    const parent = parentOf(started.child);
    const expected = expectedMounts(readMounts(namespace));
    await withdraw();
    return {
      cgroup,
      discard,
      async sandboxFor(command, now) {
        const guards = await place(now.guards).catch(() => undefined);
        if (!guards) return undefined;
        if (!isWaiting(started.child, parent) || !hasMounts(namespace, expected)) {
          await guards.release();
          return undefined;
        }
        return {
          ...{ plan: now, namespace, limiter, cgroup },
          async start() {
            started.ref();
            started.become({ ...command, cwd: realPath(command.cwd) ?? command.cwd });
            return started;
          },
          follow(stop, onRunning) {
            limiter.watch(namespace.firstProcess as number, stop);
            onRunning();
          },
          releaseScript: () => endAndRelease(namespace, guards.releaseScript),
          async release() {
            await discard();
            await guards.release();
          },
        };
      },
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** The kernel's list of what is mounted in the sandbox, and where. */
function readMounts({ firstProcess }: Namespace): string {
  return readFileSync(`/proc/${firstProcess}/mountinfo`, 'latin1');
}

/** False also when the first process has ended, which bubblewrap may not have noticed yet. */
function hasMounts(namespace: Namespace, expected: string): boolean {
  try {
    return readMounts(namespace) === expected;
  } catch {
    return false;
  }
}

async function endProcess({ child, ref }: ReadyProcess, namespace: Namespace): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  ref();
  await namespace.end(child);
  await gone;
}

function parentOf({ pid }: ReadyProcess['child']): number | undefined {
  return pid === undefined ? undefined : readStat(pid)?.parent;
}

/**
 * Asks the kernel: node may not have reported the end of the process yet. One with another parent is about to end, because it ends with
 * the shell that started it.
 */
function isWaiting({ pid, exitCode, signalCode }: ReadyProcess['child'], parent: number | undefined): boolean {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false;
  const stat = readStat(pid);
  return stat !== undefined && stat.parent === parent && stat.state !== 'Z' && stat.state !== 'X';
}
