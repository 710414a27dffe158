// The harness: runs commands on a home with a clean environment. `lainclaw` runs one in this process, which takes a tenth of the
// time; `runBinary`, `startLainclaw` and `terminal` start the built binary, through pipes or on a real terminal, for what needs a
// process of its own. Needs no test runner: the benchmarks use it too.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { AskResult } from '../../src/pipeline/events.ts';
import type { Home } from './home.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Another build can be put under test, an installed package for example. */
export const BINARY = process.env.LAINCLAW_TEST_BINARY ?? join(ROOT, 'bin', 'lainclaw.js');

/** Just before the test's own, to say what the command had said. */
const DEFAULT_TIMEOUT_MS = 170_000;
const IS_OTHER_BINARY = process.env.LAINCLAW_TEST_BINARY !== undefined;

interface CommonOptions {
  home: Home;
  /** Added to an environment that holds nothing of the caller's but PATH. */
  env?: Record<string, string>;
  /** Written and closed; by default there is no input. */
  stdin?: string | Buffer;
  /** By default the home's workspace. */
  cwd?: string;
  /** A command that runs longer is ended, and the call rejects with what it had said. */
  timeoutMs?: number;
}

/** Of a command in this process. */
export interface RunOptions extends CommonOptions {
  /** Another time than the machine's. */
  now?: () => number;
  wrapper?: never;
  program?: never;
}

/** Of the binary. */
export interface ProcessOptions extends CommonOptions {
  /** Runs the command inside another: `['setpriv', '--reuid=65534']`. */
  wrapper?: readonly string[];
  /** Another entry than the built one. */
  program?: string;
}

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** The whole of stdout as one JSON value; throws with everything that was said when it is none. */
  json<T = AskResult>(): T;
}

export interface Running {
  /** Resolves once stdout and stderr together contain the text; rejects when the process ends without it. */
  saw(text: string): Promise<void>;
  /** Resolves once the system has taken all of it: more than it buffers (a megabyte) means the process has read. */
  write(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Stdout and then stderr, so far. */
  said(): string;
  readonly ended: Promise<Finished>;
}

/** Runs a command to its end, in this process. */
export async function lainclaw(args: readonly string[], options: RunOptions): Promise<Finished> {
  // Another build can only be put under test as a process.
  if (IS_OTHER_BINARY && !options.now) return runBinary(args, options);
  const { home, env, stdin, cwd = home.workspace, timeoutMs = DEFAULT_TIMEOUT_MS, now } = options;
  const { runInProcess } = await import('./run-in-process.ts');
  const variables = cleanEnvironment(home, env);
  const self = [process.execPath, BINARY];
  const { code, stdout, stderr } = await runInProcess({ args, variables, cwd, stdin, self, timeoutMs, now });
  return finishedOf(code, null, stdout, stderr);
}

/** Runs the built binary to its end. */
export function runBinary(args: readonly string[], options: ProcessOptions): Promise<Finished> {
  const running = start([process.execPath, options.program ?? BINARY, ...args], options, 'closed');
  return running.ended;
}

/** Starts a command and leaves its standard input open. */
export function startLainclaw(args: readonly string[], options: ProcessOptions): Running {
  return start([process.execPath, options.program ?? BINARY, ...args], options, 'open');
}

/** One turn that must succeed; returns its result. */
export async function ask(home: Home, input: string, ...flags: string[]): Promise<AskResult> {
  return resultOf(await lainclaw(['ask', ...flags, '--', input], { home }));
}

/** The same, as a process of its own. */
export async function askBinary(home: Home, input: string, ...flags: string[]): Promise<AskResult> {
  return resultOf(await runBinary(['ask', ...flags, '--', input], { home }));
}

function resultOf(finished: Finished): AskResult {
  if (finished.code !== 0) throw new Error(`ask ended with ${finished.code}: ${described(finished)}`);
  return finished.json();
}

export interface TerminalFinished extends Omit<Finished, 'stderr'> {
  /** What the terminal received, stdout and stderr together, with plain newlines. */
  stdout: string;
}

/** Runs a command on a terminal of its own (util-linux `script` makes the pseudo-terminal). */
export async function terminal(args: readonly string[], options: ProcessOptions): Promise<TerminalFinished> {
  return startTerminal(args, options).ended;
}

/** Starts a command on a terminal; `write('\x03')` is Ctrl-C. */
export function startTerminal(args: readonly string[], options: ProcessOptions): Running {
  const { wrapper = [], env, ...rest } = options;
  const command = [...wrapper, process.execPath, options.program ?? BINARY, ...args].map(quoted).join(' ');
  const onTerminal = { ...rest, env: { TERM: 'xterm-256color', SHELL: '/bin/sh', ...env } };
  const running = start(['script', '-qec', `exec ${command}`, '/dev/null'], onTerminal, 'open', (text) =>
    text.replaceAll('\r\n', '\n'),
  );
  const ended = running.ended.then(({ code, signal, stdout, stderr }) =>
    finishedOf(code, signal, withoutWaitingLines(stdout), stderr),
  );
  ended.catch(() => {});
  return { ...running, ended };
}

/** A line about waiting is shown only where a model takes its time: on a busy machine that is anywhere. */
function withoutWaitingLines(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/\x1b\[\?7l[\s\S]*?\r\x1b\[K\x1b\[\?7h/g, '');
}

function start(
  command: readonly string[],
  { home, env, stdin, cwd = home.workspace, timeoutMs = DEFAULT_TIMEOUT_MS, wrapper = [] }: ProcessOptions,
  input: 'open' | 'closed',
  clean: (text: string) => string = (text) => text,
): Running {
  const [program = '', ...args] = [...wrapper, ...command];
  const child = spawn(program, args, { cwd, env: cleanEnvironment(home, env), stdio: ['pipe', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const listeners = new Set<() => void>();
  const said = (parts: Buffer[]): string => clean(Buffer.concat(parts).toString('utf8'));
  child.stdout.on('data', (chunk: Buffer) => collect(out, chunk));
  child.stderr.on('data', (chunk: Buffer) => collect(err, chunk));
  // A process may end without reading its input.
  child.stdin.on('error', () => {});
  if (stdin !== undefined || input === 'closed') child.stdin.end(stdin);

  function collect(parts: Buffer[], chunk: Buffer): void {
    parts.push(chunk);
    for (const listener of listeners) listener();
  }

  const ended = new Promise<Finished>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(
        new Error(
          `no end after ${timeoutMs} ms: ${command.slice(1).join(' ').slice(0, 300)}\n${said(out)}\n${said(err)}`,
        ),
      );
    }, timeoutMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve(finishedOf(code, signal, said(out), said(err)));
    });
  });
  ended.catch(() => {});

  return {
    ended,
    write: (text) => new Promise((resolve) => child.stdin.write(text, () => resolve())),
    kill: (signal) => void child.kill(signal),
    said: () => said(out) + said(err),
    async saw(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => {
        if (said(out).includes(text) || said(err).includes(text)) resolve();
      };
      listeners.add(look);
      look();
      const unseen = ended.then((finished) => {
        look();
        throw new Error(`ended without saying "${text}": ${described(finished)}`);
      });
      unseen.catch(() => {});
      await Promise.race([promise, unseen]).finally(() => listeners.delete(look));
    },
  };
}

function finishedOf(code: number | null, signal: NodeJS.Signals | null, stdout: string, stderr: string): Finished {
  const finished: Finished = {
    code,
    signal,
    stdout,
    stderr,
    json<T>() {
      try {
        return JSON.parse(stdout) as T;
      } catch (error) {
        throw new Error(`stdout is not one JSON value: ${described(finished)}`, { cause: error });
      }
    },
  };
  return finished;
}

/** Nothing of the caller's settings, certificates or colours may reach the program under test. */
function cleanEnvironment(home: Home, env: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HOME: home.base, LANG: 'C.UTF-8', LAINCLAW_HOME: home.path, ...env };
}

function described({ code, signal, stdout, stderr }: Finished): string {
  return `exit ${code ?? signal}\n--- stdout\n${stdout.slice(-2_000)}\n--- stderr\n${stderr.slice(-2_000)}`;
}

function quoted(argument: string): string {
  return `'${argument.replaceAll("'", "'\\''")}'`;
}
