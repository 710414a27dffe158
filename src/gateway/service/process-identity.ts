// A process by more than its number: numbers are used again. The second part is when it started, as the system counts it.
import { readFile } from 'node:fs/promises';

export interface ProcessIdentity {
  pid: number;
  /** Opaque: the same for the same process, another for every other one with this number. */
  pidStart: string;
}

/** Undefined: there is no such process, or it has ended and only waits to be collected. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const pidStart = process.platform === 'linux' ? await linuxStart(pid) : await psStart(pid);
  return pidStart === undefined ? undefined : { pid, pidStart };
}

export async function isRunning({ pid, pidStart }: ProcessIdentity): Promise<boolean> {
  return (await identify(pid))?.pidStart === pidStart;
}

/** Only ever signals the very process that was meant. False: it has ended. */
export async function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): Promise<boolean> {
  if (!(await isRunning(identity))) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

async function linuxStart(pid: number): Promise<string | undefined> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    ]);
    // The name in parentheses may hold anything; the fields behind it are plain.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state] = fields;
    const ticks = fields[19];
    return state === 'Z' || state === 'X' || ticks === undefined ? undefined : `${boot.trim().slice(0, 8)}/${ticks}`;
  } catch {
    return undefined;
  }
}

async function psStart(pid: number): Promise<string | undefined> {
  const { execFile } = await import('node:child_process');
  return new Promise((resolve) => {
    execFile(
      'ps',
      ['-o', 'stat=,lstart=', '-p', String(pid)],
      { env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' } },
      (error, out) => {
        const [, state = '', started] = /^\s*(\S+)\s+(.+?)\s*$/.exec(out ?? '') ?? [];
        resolve(error || state.startsWith('Z') ? undefined : started);
      },
    );
  });
}
