// One command of the background from its start to its end: its output, its input, and what is waited for.
import type { Duplex, Writable } from 'node:stream';
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { TaintSource } from '../../vocabulary/taint-source.ts';
import type { Finished, RunOptions } from '../sandbox.ts';
import type { KnownProcesses } from './known-processes.ts';
import { createOutputLog, type OutputLog, removeOutputLog } from './output-log.ts';

export type ProcessesErrorCode =
  | 'PROCESS_UNKNOWN' // no such process in this session
  | 'PROCESS_ENDED' // nothing reads what would be written
  | 'PROCESS_LIMIT'; // too many run already

export class ProcessesError extends CodedError<ProcessesErrorCode> {}

export interface ProcessRequest {
  sessionId: string;
  sessionKey?: string;
  /** As the model wrote it. */
  command: string;
  cwd: string;
  /** Absolute and without links. */
  workspaceRoot: string;
  /** Names that it may reach. */
  hosts?: readonly string[];
  /** For its output; must not exist. */
  logPath: string;
  /** Where content from outside came from that its output may hold. */
  taintedBy: readonly TaintSource[];
  /** It can write nothing of the workspace and reach no host. */
  isConfined?: boolean;
  /** Keeps it from leaving what other programs run; absent where it cannot write. */
  guard?: ProcessGuard;
  /** It is waited for, and listed only once it has moved to the background. */
  isForeground?: boolean;
  /** To a port of loopback inside its sandbox; undefined when nothing listens there. */
  connect?(port: number): Promise<Duplex | undefined>;
  run(options: Pick<RunOptions, 'signal' | 'onOutput' | 'onStarted'>): Promise<Finished>;
  /** Once it has ended, however it ended. Our own words about it, one line each. */
  onEnd?(): Promise<readonly string[]>;
}

/** Looks after a command whose files a tainted turn may change, and which may run them. */
export interface ProcessGuard {
  /**
   * Resolves when files that other programs run are on record as they are now. From then on what the command changes of them is put back,
   * and the command is ended. `sources`: of the content that it may run.
   */
  begin(sources: readonly TaintSource[]): Promise<void>;
  /** Somebody else is about to give the file at this absolute path this content, which is theirs. */
  accept(path: string, file: { bytes: Uint8Array; mode: number }): Promise<void>;
  /** Somebody else may change what is at or below these absolute paths until the returned function is called. */
  approve(paths: readonly string[]): () => Promise<void>;
}

export interface BackgroundProcess {
  readonly id: string;
  readonly sessionId: string;
  readonly sessionKey: string | undefined;
  readonly command: string;
  readonly cwd: string;
  readonly workspaceRoot: string;
  readonly hosts: readonly string[];
  readonly guard: ProcessGuard | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly state: 'running' | 'ended';
  /** Of a process that has ended; null when it was ended. */
  readonly exitCode: number | null | undefined;
  /** Why it could not be run, or was ended. */
  readonly problem: string | undefined;
  readonly outputBytes: number;
  readonly taintedBy: readonly TaintSource[];
  readonly isConfined: boolean;
  /** What was done after its end. */
  readonly notes: readonly string[];
  /** Resolves with the end; never rejects. */
  readonly ended: Promise<Finished | undefined>;
  /** What was printed since then, or since the last read. */
  read(since?: number): { text: string; skipped: number; next: number };
  /**
   * Resolves with true once one of the texts was printed, read or not, since this was last true; with false at its end. Rejects
   * when the signal fires.
   */
  printed(texts: readonly string[], signal: AbortSignal): Promise<boolean>;
  /** The same for any output beyond a number of bytes. */
  printedMore(than: number, signal: AbortSignal): Promise<boolean>;
  /** `taintedBy`: of the text; from now on its output may hold that content too. */
  write(text: string, taintedBy?: readonly TaintSource[]): Promise<void>;
  /** To one of its own servers; undefined when nothing listens on the port of its loopback. */
  connect(port: number): Promise<Duplex | undefined>;
  /** From now on its output may hold content from there. */
  taint(sources: readonly TaintSource[]): void;
  /** `because`: the problem that the process reports. */
  end(because?: string): Promise<void>;
  /** From now on it is one of the background. Throws ProcessesError when too many run there. */
  moveToBackground(): void;
}

/** Of each process, on disk. */
const LOG_BYTES = 16 * 1024 ** 2;
const READ_BYTES = 64 * 1024;

export interface OwnProcess extends BackgroundProcess {
  readonly isForeground: boolean;
  /** Once it has ended. */
  forget(): void;
}

export function startProcess(
  id: string,
  request: ProcessRequest,
  { known, now, checkRoom }: { known: KnownProcesses; now(): number; checkRoom(sessionId: string): void },
): OwnProcess {
  const { sessionId, sessionKey, command, cwd, workspaceRoot, logPath, run, onEnd } = request;
  const { hosts = [], isConfined = false, guard } = request;
  const startedAt = now();
  const log: OutputLog = createOutputLog(logPath, LOG_BYTES);
  const ending = new AbortController();
  const watchers = new Set<() => void>();
  const wake = (): void => {
    for (const each of watchers) each();
  };
  let position = 0;
  let matchedTo = 0;
  let stdin: Writable | undefined;
  let state: BackgroundProcess['state'] = 'running';
  let exitCode: number | null | undefined;
  let problem: string | undefined;
  let endedBecause: string | undefined;
  let notes: readonly string[] = [];
  let { taintedBy } = request;
  let isForeground = request.isForeground ?? false;
  let firstProcess: number | undefined;
  let telling: Promise<void> = Promise.resolve();

  /** For `lainclaw ps`, which works without it too, only not from another process. */
  function tell(): void {
    if (isForeground || firstProcess === undefined || state === 'ended') return;
    const told = { id, pid: firstProcess, sessionId, sessionKey, command, cwd, workspaceRoot, isConfined, startedAt };
    telling = known.add(told).catch(() => {});
  }

  async function live(): Promise<Finished | undefined> {
    try {
      const finished = await run({
        signal: ending.signal,
        onOutput(_stream, chunk) {
          log.append(chunk);
          wake();
        },
        onStarted(started) {
          stdin = started.stdin;
          // A program that does not read its input closes it.
          stdin?.on('error', () => {});
          firstProcess = started.firstProcess;
          tell();
        },
      });
      exitCode = finished.exitCode;
      if (finished.limitExceeded) problem = `it exceeded its limit of ${finished.limitExceeded}`;
      else if (finished.timedOut) problem = 'it ran for too long';
      else problem = endedBecause;
      return finished;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      exitCode = null;
      return undefined;
    } finally {
      notes = (await onEnd?.().catch((error: Error) => [error.message])) ?? [];
      state = 'ended';
      wake();
      await telling;
      if (!isForeground) await known.remove(id).catch(() => {});
    }
  }

  /** Resolves with false where it has not happened by the end. */
  function happens(signal: AbortSignal, hasHappened: () => boolean): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        watchers.delete(look);
        signal.removeEventListener('abort', cancel);
      };
      const cancel = (): void => {
        stop();
        reject(signal.reason);
      };
      const look = (): void => {
        const isThere = hasHappened();
        if (!isThere && state === 'running') return;
        stop();
        resolve(isThere);
      };
      if (signal.aborted) return cancel();
      watchers.add(look);
      signal.addEventListener('abort', cancel, { once: true });
      look();
    });
  }

  function taint(sources: readonly TaintSource[]): void {
    taintedBy = [...new Set([...taintedBy, ...sources])];
  }

  const ended = live();
  return {
    id,
    sessionId,
    sessionKey,
    command,
    cwd,
    startedAt,
    workspaceRoot,
    hosts,
    guard,
    ended,
    isConfined,
    get taintedBy() {
      return taintedBy;
    },
    get isForeground() {
      return isForeground;
    },
    get state() {
      return state;
    },
    get exitCode() {
      return exitCode;
    },
    get problem() {
      return problem;
    },
    get outputBytes() {
      return log.total;
    },
    get notes() {
      return notes;
    },
    read(since = position) {
      const { text, skipped } = log.read(since, READ_BYTES);
      position = log.total;
      return { text, skipped, next: position };
    },
    printed(texts, signal) {
      const wanted = texts.map((text) => text.toLowerCase());
      return happens(signal, () => {
        const text = log.read(matchedTo, READ_BYTES).text.toLowerCase();
        if (!wanted.some((each) => text.includes(each))) return false;
        matchedTo = log.total;
        return true;
      });
    },
    printedMore: (than, signal) => happens(signal, () => log.total > than),
    connect: async (port) => (state === 'running' ? request.connect?.(port) : undefined),
    async write(text, from = []) {
      if (state === 'ended' || !stdin || stdin.destroyed)
        throw new ProcessesError('PROCESS_ENDED', `${id} reads no input any more`);
      const target = stdin;
      taint(from);
      await new Promise<void>((resolve, reject) => target.write(text, (error) => (error ? reject(error) : resolve())));
    },
    taint,
    async end(because) {
      if (state === 'running') endedBecause ??= because;
      ending.abort();
      await ended;
    },
    moveToBackground() {
      if (!isForeground) return;
      checkRoom(sessionId);
      isForeground = false;
      tell();
    },
    forget() {
      log.close();
      removeOutputLog(logPath);
    },
  };
}
