// The commands that may write and run now, each with what its workspace had before it: one file a command, there only while it runs. A
// file whose process is gone tells that Lainclaw was killed: what the command left is put back from it (`finish-killed-commands.ts`).
import { readdirSync, rmSync, statSync } from 'node:fs';
import { readFile, unlink, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readStat } from '../../sandbox/end-tree.ts';
import type { Owner } from '../../sandbox/orphans.ts';
import { ensureDirectory, writeAtomically } from '../../storage/private-files.ts';
import type { ExecutedStates } from '../../workspace/executed/watch-executed.ts';
import type { EntryState } from '../../workspace/repositories/git-entries.ts';
import type { RepositoryStates } from '../../workspace/repositories/watch-repositories.ts';

const VERSION = 1;
/** How exactly the time of a kill is known. */
const ALIVE_MS = 1_000;

export interface RecordedCommand {
  /** Of the workspace: absolute and without links. */
  root: string;
  repositories: RepositoryStates;
  /** Of a tainted turn alone. */
  executed: ExecutedStates | undefined;
  /** Paths, relative to the root, that a person approved for the command. */
  approved: readonly string[];
}

export interface KilledCommand extends RecordedCommand {
  /** When it ended, or its process was last known to live, in milliseconds since the epoch. */
  aliveAt: number;
}

export interface RunningRecord {
  /** The command has ended: `aliveAt` stays what it is now. */
  stopClock(): void;
  /** Takes the command off the record. */
  remove(): Promise<void>;
}

export interface CommandRecords {
  /** Durable when it resolves; nothing is on record when it rejects. */
  begin(command: RecordedCommand): Promise<RunningRecord>;
  /** The process that wrote such a file. */
  ownerOf(path: string): Owner;
  /** The files of commands whose process is gone. Removes what such a process left half written. */
  killed(): string[];
  /** Undefined when the record is damaged. */
  read(path: string): Promise<KilledCommand | undefined>;
  /** Once everything was put back. */
  remove(path: string): Promise<void>;
}

export function createCommandRecords(directory: string, newId: (prefix: string) => string): CommandRecords {
  let started: number | undefined;
  const remove = (path: string): Promise<void> => unlink(path).catch(() => {});
  return {
    async begin(command) {
      started ??= readStat(process.pid)?.started ?? 0;
      const path = join(directory, `${process.pid}-${started}-${newId('command')}.json`);
      await ensureDirectory(directory);
      await writeAtomically(path, `${JSON.stringify(toWritten(command))}\n`).catch(async (error: unknown) => {
        // It may be in its place already. The command does not start, and nothing is to be put back for it.
        await remove(path);
        throw error;
      });
      // Said by the time of the file.
      const alive = setInterval(() => {
        const at = Date.now() / 1_000;
        void utimes(path, at, at).catch(() => {});
      }, ALIVE_MS).unref();
      const stopClock = (): void => clearInterval(alive);
      return {
        stopClock,
        remove() {
          stopClock();
          return remove(path);
        },
      };
    },
    ownerOf: (path) => ownerIn(basename(path)) ?? { pid: 0, started: 0 },
    killed() {
      const ofDead = namesIn(directory).filter((name) => isOfDead(name));
      for (const name of ofDead) if (isHalfWritten(name)) rmSync(join(directory, name), { force: true });
      return ofDead.filter((name) => !isHalfWritten(name)).map((name) => join(directory, name));
    },
    async read(path) {
      try {
        const command = fromWritten(JSON.parse(await readFile(path, 'utf8')) as Written);
        return { ...command, aliveAt: statSync(path).mtimeMs };
      } catch {
        return undefined;
      }
    },
    remove,
  };
}

/** Its writer was killed before the command started. */
function isHalfWritten(name: string): boolean {
  return name.startsWith('.');
}

function ownerIn(name: string): Owner | undefined {
  const [, pid, started] = /^\.?(\d+)-(\d+)-/.exec(name) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), started: Number(started) };
}

function isOfDead(name: string): boolean {
  const owner = ownerIn(name);
  if (!owner) return false;
  const stat = readStat(owner.pid);
  return stat?.started !== owner.started || stat.state === 'Z' || stat.state === 'X';
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

type WrittenState =
  | { kind: Exclude<EntryState['kind'], 'file' | 'link'> }
  | WrittenFile
  | { kind: 'link'; target: string };
interface WrittenFile {
  kind: 'file';
  /** As base64. */
  bytes: string;
  mode: number;
}

interface Written {
  version: number;
  root: string;
  states: [path: string, state: WrittenState][];
  repositories: string[];
  hookDirectories: string[];
  settings: string[];
  /** Absent in records of earlier versions. */
  programs?: string[];
  executed?: [path: string, state: WrittenState][];
  approved: string[];
}

function toWritten({ root, repositories, executed, approved }: RecordedCommand): Written {
  const { states, named } = repositories;
  return {
    version: VERSION,
    root,
    states: [...states].map(([path, state]) => [path, writtenState(state)]),
    repositories: [...repositories.repositories],
    hookDirectories: [...named.hookDirectories],
    settings: [...named.settings],
    programs: [...named.programs],
    ...(executed && { executed: [...executed].map(([path, state]) => [path, writtenState(state)]) }),
    approved: [...approved],
  };
}

function fromWritten(written: Written): RecordedCommand {
  if (written.version !== VERSION || !written.root.startsWith('/')) throw new Error('not a record of a command');
  const { root, states, repositories, hookDirectories, settings, programs, executed, approved } = written;
  return {
    root,
    repositories: {
      states: new Map(states.map(([path, state]) => [path, readState(state)])),
      repositories: new Set(repositories),
      named: { hookDirectories: new Set(hookDirectories), settings: new Set(settings), programs: new Set(programs) },
    },
    executed: executed && new Map(executed.map(([path, state]) => [path, readState(state)])),
    approved,
  };
}

function writtenState(state: EntryState): WrittenState {
  return state.kind === 'file' ? { ...state, bytes: state.bytes.toString('base64') } : state;
}

function readState(state: WrittenState): EntryState {
  return state.kind === 'file' ? { ...state, bytes: Buffer.from(state.bytes, 'base64') } : state;
}
