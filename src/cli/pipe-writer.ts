// Whether somebody beside us in this pipeline still writes to our standard input. A shell starts the commands of a
// pipeline in one process group; a pipe whose writer is elsewhere was merely inherited, and nothing may ever come.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Undefined where it cannot be known (no /proc). */
export function isFedByPipeline(): boolean | undefined {
  try {
    const pipe = readlinkSync('/proc/self/fd/0');
    const group = groupOf('self');
    return readdirSync('/proc').some(
      (pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && groupOf(pid) === group && writesTo(pipe, pid),
    );
  } catch {
    return undefined;
  }
}

function groupOf(pid: string): string | undefined {
  try {
    // The name in parentheses may hold anything; state, parent and group follow it.
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[2];
  } catch {
    return undefined;
  }
}

function writesTo(pipe: string, pid: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => isWriteEnd(pipe, pid, fd));
  } catch {
    return false;
  }
}

function isWriteEnd(pipe: string, pid: string, fd: string): boolean {
  try {
    if (readlinkSync(`/proc/${pid}/fd/${fd}`) !== pipe) return false;
    const [, flags = '0'] = /flags:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'latin1')) ?? [];
    return (Number.parseInt(flags, 8) & 3) !== 0;
  } catch {
    return false;
  }
}
