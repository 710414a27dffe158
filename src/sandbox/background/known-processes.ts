// The commands that run in the background of any process of this home, for `lainclaw ps`: a file that is there only while some run. What it
// says of a process that is gone does not count.
import type { OwnerFiles } from '../../storage/storage.ts';
import { readStat } from '../end-tree.ts';

export interface KnownProcess {
  id: string;
  /** The first process of its sandbox: everything in it ends with this one. */
  pid: number;
  sessionId: string;
  sessionKey?: string | undefined;
  command: string;
  cwd: string;
  /** Absent in entries of earlier versions. */
  workspaceRoot?: string;
  /** It can write nothing of the workspace and reach no host. */
  isConfined?: boolean;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

export interface KnownProcesses {
  add(process: KnownProcess): Promise<void>;
  remove(id: string): Promise<void>;
  /** Those that are alive, oldest first. */
  list(): Promise<KnownProcess[]>;
  /** False when there is no such process. */
  kill(id: string): Promise<boolean>;
}

interface Entry extends KnownProcess {
  /** When the system started it: a pid is used again. */
  started: number;
}

const FILE = 'processes.json';

/** `files` are those of this machine. */
export function createKnownProcesses(files: OwnerFiles): KnownProcesses {
  const change = (next: (entries: Entry[]) => Entry[]): Promise<void> =>
    files.update(FILE, (current) => {
      const entries = next(parse(current).filter(isAlive));
      if (entries.length === 0) return current === undefined ? undefined : null;
      return `${JSON.stringify({ version: 1, processes: entries })}\n`;
    });
  const alive = async (): Promise<Entry[]> => parse(await files.read(FILE)).filter(isAlive);
  return {
    async add(process) {
      const started = readStat(process.pid)?.started;
      if (started !== undefined) {
        const others = (entries: Entry[]): Entry[] => entries.filter(({ id }) => id !== process.id);
        await change((entries) => [...others(entries), { ...process, started }]);
      }
    },
    remove: (id) => change((entries) => entries.filter((each) => each.id !== id)),
    async list() {
      return (await alive())
        .map(({ started: _, ...rest }) => rest)
        .sort((one, other) => one.startedAt - other.startedAt);
    },
    async kill(id) {
      const found = (await alive()).find((each) => each.id === id);
      if (!found) return false;
      process.kill(found.pid, 'SIGKILL');
      return true;
    },
  };
}

function isAlive({ pid, started }: Entry): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.started === started && stat.state !== 'Z' && stat.state !== 'X';
}

/** A file that cannot be parsed knows nothing. */
function parse(text: string | undefined): Entry[] {
  try {
    const { processes } = JSON.parse(text ?? '{}') as { processes?: unknown };
    return Array.isArray(processes) ? processes.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is Entry {
  const { id, pid, started, command } = (value ?? {}) as Partial<Record<keyof Entry, unknown>>;
  return typeof id === 'string' && typeof command === 'string' && Number.isInteger(pid) && Number.isInteger(started);
}
