// The contract of a sandbox: how a command is run, bounded and ended, whatever isolates it from the machine.
// Backends: bubblewrap (namespaces), docker (containers) and none, which says so.
import type { Writable } from 'node:stream';
import { CodedError } from '../vocabulary/coded-error.ts';

export type SandboxErrorCode =
  | 'unavailable' // the backend is not installed, or does not work on this machine
  | 'invalid-command' // nothing to run, a NUL character, a missing working directory, too many arguments
  | 'invalid-profile' // a path cannot be shown or protected safely
  | 'setup-failed'; // the backend could not prepare the sandbox; the command did not run

/** A failure of the sandbox, not of the command. The message says what to do. */
export class SandboxError extends CodedError<SandboxErrorCode> {}

export interface Limits {
  /** Memory of each process; of all of them together where `HeldLimits.memory` is `tree`. */
  memoryBytes: number;
  /** Processor time of each process. */
  cpuSeconds: number;
  /** Size of each file that is written. */
  fileSizeBytes: number;
  /** Processes and threads at one moment. */
  processes: number;
}

/** What a command may touch. The rest of the system is readable, never writable, its secrets are hidden, and it has no network. */
export interface Profile {
  workspace?: { path: string; access: 'read-write' | 'read-only' };
  /** A directory of the command's own, writable. */
  scratch?: string;
  /** Further directories and files that can be read. */
  readOnly?: readonly string[];
  /** Absolute paths that a command can never write, create, rename or replace, also while they do not exist. */
  protect: readonly string[];
  /** Existing files and directories of the workspace, absolute, that a command cannot read, write or move. */
  hide?: readonly string[];
  limits: Limits;
}

export interface SandboxCommand {
  argv: readonly string[];
  /** Absolute; must be within what the profile shows. */
  cwd: string;
  /** The whole environment: nothing is inherited from the caller. */
  env: Readonly<Record<string, string>>;
  /** Input of the command; empty by default. `open`: it is written while the command runs (`RunOptions.onStarted`). */
  stdin?: string | 'open';
  profile: Profile;
}

export type OutputStream = 'stdout' | 'stderr';

export interface OutputBounds {
  /** First bytes kept in memory of each stream, and of both interleaved. What lies between head and tail is cut. */
  headBytes: number;
  tailBytes: number;
  /** Limit on both streams together: one byte more ends the command with `limitExceeded: 'output'`. */
  maxBytes: number;
  /** File for the whole output as soon as some of it is cut from memory: created 0600, must not exist. */
  spoolPath?: string;
}

export interface RunOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  /** The command starts only once this has resolved, and not when it rejects; the sandbox is put together meanwhile. The caller handles its rejection too. */
  startsAfter?: Promise<unknown>;
  output: OutputBounds;
  /** Called as output arrives. The buffer is reused as soon as it returns. Must not throw. */
  onOutput?(stream: OutputStream, chunk: Buffer): void;
  /** Called once the command runs, where the backend can tell. */
  onStarted?(started: StartedCommand): void;
  /**
   * Gets the clean-up that continues after the result (removing the guards of the workspace), which never rejects.
   * Without this function the result waits for the clean-up.
   */
  afterwards?(work: Promise<void>): void;
  /** Another run like this one is likely: prepare it while this one runs. */
  expectsMore?: boolean;
}

export interface StartedCommand {
  /** The command, and everything that it has started, ends with this process of the machine. */
  firstProcess: number | undefined;
  /** Present where the input is `open`. */
  stdin?: Writable;
}

export interface Captured {
  /** Head and tail with a line between that says how much was cut. Invalid UTF-8 reads as U+FFFD. */
  text: string;
  /** Number of bytes written, cut or not. */
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
  /** As a shell reports it: 128 + n for a command that ended by signal n. Null when `run` ended the command. */
  exitCode: number | null;
  /** The signal that ended the command. */
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

/** The scope of each limit: each process alone, all processes of the command together, or not enforced. */
export interface HeldLimits {
  memory: 'tree' | 'process' | 'none';
  processes: 'tree' | 'none';
}

export type Availability =
  | { ok: true; version?: string; limits: HeldLimits }
  | { ok: false; reason: string; fix: string };

export interface Sandbox {
  readonly name: 'bubblewrap' | 'docker' | 'none';
  /** False: the profile is not enforced at all, the command can do everything the person can. */
  readonly isolates: boolean;
  /** A command can be given a way to permitted hosts (network/run-with-hosts.ts). Otherwise it has no network, and without isolation all of it. */
  readonly forwardsNetwork?: true;
  /** A command ends with this process, also when this process is killed. Otherwise nothing may run in the background. */
  readonly endsWithUs?: true;
  /** Why this one, where a stronger one was looked for and does not work here. */
  readonly because?: { reason: string; fix: string };
  /** A private directory that no command sees, whatever its workspace is. */
  readonly temporary?: string;
  /** True for the absolute path of a directory that it keeps in a workspace at this moment, and that no command can write. */
  isOwn?(path: string): boolean;
  /** Runs a test command. Never rejects. */
  available(): Promise<Availability>;
  /**
   * Resolves only after the command has ended, nothing it started is left alive and all its output is in. A command
   * that fails, times out or is cancelled is a result; only a failure of the sandbox itself rejects.
   */
  run(command: SandboxCommand, options: RunOptions): Promise<Finished>;
  /** Prepares a run like this one in advance. Never rejects. */
  prepare?(command: SandboxCommand): Promise<void>;
  /** Ends prepared runs that were not used. */
  close?(): Promise<void>;
}
