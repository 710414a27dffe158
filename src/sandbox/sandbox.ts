// The contract of a sandbox: how a command is run, bounded and ended, whatever stands between it and the machine.
// Backends: bubblewrap (namespaces), docker (containers) and none, which says so.
import { CodedError } from '../vocabulary/coded-error.ts';

export type SandboxErrorCode =
  | 'unavailable' // the backend is not installed, or this machine does not let it work
  | 'invalid-command' // nothing to run, a NUL character, a missing working directory, too many arguments
  | 'invalid-profile' // what was asked to be reachable or protected cannot be granted safely
  | 'setup-failed'; // the backend could not prepare the sandbox; the command did not run

/** Every failure that is not the command's own. The message says what to do. */
export class SandboxError extends CodedError<SandboxErrorCode> {}

export interface Limits {
  /** Of every process; of all of them together where `HeldLimits.memory` is `tree`. */
  memoryBytes: number;
  /** Processor time of each process. */
  cpuSeconds: number;
  /** Of each file that is written. */
  fileSizeBytes: number;
  /** Processes and threads at one moment. */
  processes: number;
}

/** What a command may touch. Everything not named is the system: readable, never writable, and no secrets in it. */
export interface Profile {
  workspace?: { path: string; access: 'read-write' | 'read-only' };
  /** A directory of the command's own, writable. */
  scratch?: string;
  /** Further directories and files that can be read. */
  readOnly?: readonly string[];
  /** Absolute paths that can never be written, created, renamed or replaced from inside, also while they do not exist. */
  protect: readonly string[];
  /** Files and directories of the workspace, absolute, that exist and cannot be read, written or moved from inside. */
  hide?: readonly string[];
  network: boolean;
  limits: Limits;
}

export interface SandboxCommand {
  argv: readonly string[];
  /** Absolute; must be within what the profile shows. */
  cwd: string;
  /** The whole environment: nothing of the caller's is added. */
  env: Readonly<Record<string, string>>;
  /** Read by the command; without it there is nothing to read. */
  stdin?: string;
  profile: Profile;
}

export type OutputStream = 'stdout' | 'stderr';

export interface OutputBounds {
  /** Kept in memory of each stream, and of both interleaved. What lies between is cut. */
  headBytes: number;
  tailBytes: number;
  /** Of both streams together: one byte more ends the command with `limitExceeded: 'output'`. */
  maxBytes: number;
  /** Where the whole output goes as soon as some of it is cut from memory: created 0600, must not exist. */
  spoolPath?: string;
}

export interface RunOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  output: OutputBounds;
  /** Called as output arrives. The bytes are used again as soon as it returns. Must not throw. */
  onOutput?(stream: OutputStream, chunk: Buffer): void;
  /**
   * Told of the cleaning up that continues after the result: what protected the workspace is taken away. It never rejects.
   * Without this function the result waits for it.
   */
  afterwards?(work: Promise<void>): void;
  /** Another run with the same limits is likely: what it needs is made ready while this one runs. */
  expectsMore?: boolean;
}

export interface Captured {
  /** Head and tail with a line between that says how much was cut. Bytes that are no UTF-8 read as U+FFFD. */
  text: string;
  /** All that was written, cut or not. */
  bytes: number;
  cut: boolean;
}

export interface Spool {
  path: string;
  bytes: number;
  /** Why the file does not hold everything. */
  problem?: string;
}

export interface Finished {
  /** As a shell tells it: 128 + n for a command that ended by signal n. Null when it was ended by `run`. */
  exitCode: number | null;
  /** The signal that `exitCode` or the ending stands for. */
  signal?: NodeJS.Signals;
  timedOut: boolean;
  cancelled: boolean;
  limitExceeded?: 'output' | 'memory';
  stdout: Captured;
  stderr: Captured;
  /** Both streams in order of arrival. Writes to different streams within about a millisecond may change places. */
  interleaved: Captured;
  /** Present when something was cut and a `spoolPath` was given. */
  spool?: Spool;
}

/** How far limits reach: each process for itself, all processes of the command together, or not at all. */
export interface HeldLimits {
  memory: 'tree' | 'process' | 'none';
  processes: 'tree' | 'none';
}

export type Availability =
  | { ok: true; version?: string; limits: HeldLimits }
  | { ok: false; reason: string; fix: string };

export interface Sandbox {
  readonly name: 'bubblewrap' | 'docker' | 'none';
  /** False: the profile is not enforced at all, the command can do whatever the person can. */
  readonly isolates: boolean;
  /** Tries it. Never throws. */
  available(): Promise<Availability>;
  /**
   * Resolves only after the command has ended, nothing it started is left alive and all its output is in. A command
   * that fails, times out or is cancelled is a result; only a sandbox that could not do its work rejects.
   */
  run(command: SandboxCommand, options: RunOptions): Promise<Finished>;
  /** Makes ready what the next run with these limits needs, while something else is waited for. Never rejects. */
  prepare?(limits: Limits): Promise<void>;
  /** Ends what was made ready and not used. */
  close?(): Promise<void>;
}
