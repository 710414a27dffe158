// Ends every process of a command that no namespace holds together: those of its session and group, their descendants,
// and every process started with the command's token in its environment, even a detached one. Kills and looks again until
// two looks in a row find no process. A process escapes when it detached, outlived its parent and cleared its environment
// before the first look.
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 5;
const DEADLINE_MS = 5_000;
/** A flag of the kernel. */
const EXITING = 4;

export interface TreeMarks {
  /** The command itself, leader of its session. */
  leader: number;
  /** `NAME=value`, in the environment of no other process. */
  token: string;
  /** When the leader was started, as `readStat` returns it: no process that it started is older. */
  since: number;
}

/** Resolves once no process is found, or after five seconds. */
export async function endTree(marks: TreeMarks): Promise<void> {
  for (let waited = 0, clear = 0; clear < 2 && waited < DEADLINE_MS; waited += PAUSE_MS) {
    // A whole group at once: no process in it can escape by forking.
    kill(-marks.leader);
    const alive = await findMembers(marks);
    for (const pid of alive) kill(pid);
    clear = alive.length === 0 ? clear + 1 : 0;
    if (alive.length > 0) await sleep(PAUSE_MS);
  }
}

async function findMembers({ leader, token, since }: TreeMarks): Promise<number[]> {
  const processes = listProcesses().filter(({ started }) => started >= since);
  const own = processes.filter(({ session, group }) => session === leader || group === leader);
  const members = new Set(own.map(({ pid }) => pid));
  const carriesToken = await Promise.all(processes.map(async ({ pid }) => !members.has(pid) && hasToken(pid, token)));
  for (const [index, { pid }] of processes.entries()) if (carriesToken[index]) members.add(pid);
  for (let before = -1; before !== members.size; ) {
    before = members.size;
    for (const { pid, parent } of processes) if (members.has(parent)) members.add(pid);
  }
  return [...members];
}

interface Process {
  pid: number;
  parent: number;
  group: number;
  session: number;
  started: number;
}

/** Living processes; empty where there is no /proc: then only the group is ended. */
function listProcesses(): Process[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    const stat = readStat(pid);
    return !stat || stat.state === 'Z' || stat.state === 'X' ? [] : [{ pid, ...stat }];
  });
}

/** `started`, in ticks since the system booted, distinguishes processes that had the same pid. Undefined: no such process. */
export function readStat(pid: number) {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name in brackets may hold anything, brackets and spaces included.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  return {
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started: Number(fields[19]),
    /** True once the process runs nothing any more and the kernel takes it apart. */
    isExiting: (Number(fields[6]) & EXITING) !== 0,
  };
}

/** Off the main thread: reading the environment of a process can block for as long as the process forks. */
async function hasToken(pid: number, token: string): Promise<boolean> {
  const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
  return environment?.includes(token) ?? false;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process is gone, or the group is empty.
  }
}
