// The command line of bubblewrap. Order matters: the system first, then its parts from the outside in. Every bind costs
// about a quarter of a millisecond (bubblewrap reads the table of mounts again), an empty directory much less.
import { atMost } from './hard-limits.ts';
import type { Mount } from './mounts.ts';
import type { Limits } from './sandbox.ts';

export interface BubblewrapCommand {
  bwrap: string;
  prlimit: string;
  argv: readonly string[];
  cwd: string;
  /** A word on the command line of bubblewrap alone, by which its processes can be found. It changes nothing. */
  mark?: string;
  /** Such a word for all sandboxes of this process (`orphans.ts`). */
  owner?: string;
  /** True for a shell that waits itself for permission, and that applies the limits (`limitScript`). */
  waits?: boolean;
  /** The kernel refuses system calls (seccomp/filter.ts): bubblewrap reads the filter from the descriptor for it. */
  filters: boolean;
  mounts: readonly Mount[];
  limits: Limits;
  /** False where the kernel counts all processes of the user instead of those of one user namespace. */
  limitsProcesses: boolean;
  /** The text of /proc/self/limits. */
  ownLimits: string;
  features: Features;
}

export interface Features {
  /** `--size` of a private directory. */
  size: boolean;
  /** `--disable-userns`. */
  disableUserNamespaces: boolean;
}

/** Descriptors: on the first bubblewrap reports its status, on the second it waits for permission to start the command. */
export const STATUS_DESCRIPTOR = 3;
export const GATE_DESCRIPTOR = 4;
/** From which bubblewrap reads the filter of system calls: for a program that waits itself, another descriptor lies before it. */
export const FILTER_DESCRIPTOR = { direct: 5, waiting: 6 } as const;

const EMPTY_BYTES = 1_048_576;
const SHARED_MEMORY_BYTES = 268_435_456;

/** "bubblewrap 0.8.0". Undefined when it cannot be read. */
export function featuresOf(version: string): Features | undefined {
  const match = /(\d+)\.(\d+)/.exec(version);
  if (!match) return undefined;
  const minor = Number(match[1]) * 1000 + Number(match[2]);
  return { size: minor >= 7, disableUserNamespaces: minor >= 8 };
}

export function bubblewrapArguments(command: BubblewrapCommand): string[] {
  const { bwrap, argv, cwd, mark, owner, mounts, limits, features, filters, waits } = command;
  return [
    bwrap,
    ...[mark, owner].flatMap((word) => (word === undefined ? [] : ['--unsetenv', word])),
    ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup'],
    // There is no way to share the network: a command reaches hosts through a socket, if at all (network/forward.ts).
    '--unshare-net',
    ...(features.disableUserNamespaces ? ['--disable-userns'] : []),
    // bubblewrap itself sets no_new_privs.
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'],
    ...temporary('/dev/shm', { mode: '1777', bytes: Math.min(limits.memoryBytes, SHARED_MEMORY_BYTES), features }),
    ...mounts.flatMap((mount) => mountArguments(mount, limits, features)),
    // Root owns the files below /proc/sys: bubblewrap, which checks only the directory, would leave them writable,
    // and core_pattern names a program that the kernel runs on the host. In /dev a file could take half of the memory.
    ...['--remount-ro', '/proc', '--remount-ro', '/dev'],
    ...['--json-status-fd', String(STATUS_DESCRIPTOR)],
    ...(waits ? [] : ['--block-fd', String(GATE_DESCRIPTOR)]),
    ...(filters ? ['--seccomp', String(waits ? FILTER_DESCRIPTOR.waiting : FILTER_DESCRIPTOR.direct)] : []),
    ...['--chdir', cwd, '--'],
    ...(waits ? [] : limitArguments(command)),
    ...argv,
  ];
}

function mountArguments({ path, access, isDirectory }: Mount, limits: Limits, features: Features): string[] {
  switch (access) {
    case 'read-only':
      return ['--ro-bind', path, path];
    case 'read-write':
      return ['--bind', path, path];
    case 'private':
      return temporary(path, { mode: path.endsWith('/tmp') ? '1777' : '0755', bytes: limits.memoryBytes, features });
    case 'empty':
      // A device on a mount without devices cannot even be opened.
      if (!isDirectory) return ['--ro-bind', '/dev/null', path];
      // A command that changes the mode writes into a private directory that vanishes.
      return temporary(path, { mode: '0555', bytes: EMPTY_BYTES, features });
  }
}

function temporary(
  path: string,
  { mode, bytes, features }: { mode: string; bytes: number; features: Features },
): string[] {
  return ['--perms', mode, ...(features.size ? ['--size', String(bytes)] : []), '--tmpfs', path];
}

/**
 * Addresses that one process may reserve beyond its memory. The kernel counts what V8 reserves for compiled code as data,
 * 512 MiB in each thread from Node 24 on, though almost none of it is ever used: without this a pool of workers cannot start.
 * What is really used is held by the control group, or by watching the processes.
 */
const RESERVED_BYTES = 16 * 1024 ** 3;

export type Limited = Pick<BubblewrapCommand, 'limits' | 'limitsProcesses' | 'ownLimits'>;

/** Memory is counted as data, not as addresses: runtimes reserve far more addresses than they use. */
function kernelLimits({ limits, limitsProcesses, ownLimits }: Limited) {
  const { memoryBytes, fileSizeBytes, cpuSeconds, processes } = limits;
  return {
    data: atMost(ownLimits, 'data', memoryBytes + RESERVED_BYTES),
    fsize: atMost(ownLimits, 'fsize', fileSizeBytes),
    // The process gets a signal at the first limit and is killed at the second.
    cpu: [cpuSeconds, cpuSeconds + 1].map((seconds) => atMost(ownLimits, 'cpu', seconds)),
    nproc: limitsProcesses ? atMost(ownLimits, 'nproc', processes) : undefined,
  };
}

function limitArguments({ prlimit, ...limited }: Limited & { prlimit: string }): string[] {
  const { data, fsize, cpu, nproc } = kernelLimits(limited);
  return [
    ...[prlimit, '--core=0', `--data=${data}`, `--fsize=${fsize}`, `--cpu=${cpu.join(':')}`],
    ...(nproc === undefined ? [] : [`--nproc=${nproc}`]),
    '--',
  ];
}

/**
 * The same limits for a shell, which applies them to itself and ends when one is refused: this saves the start of a program.
 * Shells count in kilobytes and in blocks of 512 bytes, and disagree on the letter for processes.
 */
export function limitScript(limited: Limited): string {
  const { data, fsize, cpu, nproc } = kernelLimits(limited);
  const [soft, hard] = cpu;
  const options = [
    '-c 0',
    `-d ${Math.floor(data / 1024)}`,
    `-f ${Math.floor(fsize / 512)}`,
    `-S -t ${soft}`,
    `-H -t ${hard}`,
  ];
  const processes = nproc === undefined ? [] : [`{ ulimit -u ${nproc} || ulimit -p ${nproc}; } 2>/dev/null`];
  return `${[...options.map((option) => `ulimit ${option}`), ...processes].join(' && ')} || exit 126\n`;
}
