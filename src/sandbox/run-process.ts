// One command from start to end, the same for every backend: spawn → read both pipes → wait for its exit, the timeout,
// the caller's signal or a limit → end all that is left → read the pipes to their end. The backend ends the process tree;
// the result is returned only after that.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { atLatest } from './at-latest.ts';
import { createOutput } from './output.ts';
import { type OutputPipes, openContent } from './pipes.ts';
import { type Finished, type OutputStream, type RunOptions, type SandboxCommand, SandboxError } from './sandbox.ts';
import { stdioFor } from './spawn-stdio.ts';

/** How long a pipe may stay open and silent after everything that should hold it has ended. */
const SILENCE_MS = 1_000;
/** The longest timer of node: a longer one would fire at once. */
const LONGEST_MS = 2_147_483_647;

export type Ending = 'timeout' | 'cancelled' | 'output' | 'memory';

export interface Launch {
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  stdin?: SandboxCommand['stdin'];
  /** Pipes to the child beyond the three, as descriptors 3, 4, … */
  channels?: number;
  /** Opens descriptors that follow them; they are closed once the child has them. */
  openFiles?(): number[];
}

/** What is needed of a process, however it was started. */
export interface Child extends NodeJS.EventEmitter {
  readonly pid?: number;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  readonly stdin?: Writable | null;
  kill(signal: NodeJS.Signals): boolean;
}

export interface Tree<Started extends Child = Child> {
  /** Called once the child exists, before it can have done much. `stop` ends the command. */
  started?(child: Started, stop: (ending: Ending) => void): void;
  /** Resolves once nothing the command started is alive. Called at an ending and again after every exit. */
  end(child: Started): Promise<void>;
}

export interface ProcessDependencies {
  /** A private directory for the input; nothing is left in it. */
  temporary: string;
  openPipes(): Promise<OutputPipes>;
  /** Descriptors that must not reach the child, ascending. */
  inherited: readonly number[];
}

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export interface StartedProcess<Started extends Child = Child> {
  child: Started;
  /** The writing ends are closed here. */
  pipes: OutputPipes;
}

export async function runProcess<Started extends Child>(
  start: () => Promise<StartedProcess<Started>>,
  options: RunOptions,
  tree: Tree<Started>,
): Promise<{ finished: Finished; exit: Exit }> {
  const output = createOutput(options.output);
  await options.startsAfter;
  if (options.signal?.aborted) return finish({ code: null, signal: null }, 'cancelled', await output.finish());

  const { child, pipes } = await start();

  let ending: Ending | undefined;
  const stop = (why: Ending): void => {
    if (ending || child.exitCode !== null || child.signalCode !== null) return;
    ending = why;
    void tree.end(child);
  };
  const take = (name: OutputStream, chunk: Buffer): Promise<void> | undefined => {
    options.onOutput?.(name, chunk);
    const kept = output.add(name, chunk);
    if (output.isFull) stop('output');
    return kept;
  };

  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const reading = readAll(pipes, take);
  const timer = setTimeout(() => stop('timeout'), Math.min(options.timeoutMs, LONGEST_MS));
  const onAbort = (): void => stop('cancelled');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  tree.started?.(child, stop);
  if (options.signal?.aborted) onAbort();
  try {
    const [code, signal] = await exited;
    clearTimeout(timer);
    await tree.end(child);
    await reading.done();
    return finish({ code, signal }, ending ?? (output.isFull ? 'output' : undefined), await output.finish());
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    pipes.stdout.abandon();
    pipes.stderr.abandon();
  }
}

/** Throws `invalid-command` for a command that no system could run. */
export function checkCommand({ argv, cwd, env }: SandboxCommand): void {
  if (!argv[0]) throw new SandboxError('invalid-command', 'the command is empty');
  const texts = [...argv, cwd, ...Object.entries(env).flat()];
  if (texts.some((text) => text.includes('\0'))) {
    throw new SandboxError(
      'invalid-command',
      'a command, its directory and its environment cannot hold a NUL character',
    );
  }
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SandboxError('invalid-command', `no such directory to run in: ${cwd}`);
  }
}

export function signalOfCode(code: number | null): NodeJS.Signals | undefined {
  if (code === null || code <= 128) return undefined;
  const found = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return found?.[0] as NodeJS.Signals | undefined;
}

function finish(
  exit: Exit,
  ending: Ending | undefined,
  output: Awaited<ReturnType<ReturnType<typeof createOutput>['finish']>>,
) {
  const code = exit.code ?? (exit.signal ? 128 + constants.signals[exit.signal] : null);
  const finished: Finished = {
    exitCode: ending ? null : code,
    signal: ending ? 'SIGKILL' : (exit.signal ?? signalOfCode(exit.code)),
    timedOut: ending === 'timeout',
    cancelled: ending === 'cancelled',
    limitExceeded: ending === 'output' || ending === 'memory' ? ending : undefined,
    ...output,
  };
  return { finished, exit };
}

/** Reads both pipes until every writer is gone or, once `done` was called, until nothing was written for a while. */
function readAll(pipes: OutputPipes, take: (name: OutputStream, chunk: Buffer) => Promise<void> | undefined) {
  let chunks = 0;
  const drain = (name: OutputStream): Promise<void> =>
    pipes[name].drain((chunk) => {
      chunks += 1;
      return take(name, chunk);
    });
  let isDrained = false;
  const drained = Promise.all([drain('stdout'), drain('stderr')]).then(() => {
    isDrained = true;
  });
  return {
    async done(): Promise<void> {
      for (let before = -1; !isDrained && before !== chunks; ) {
        before = chunks;
        const silence = Promise.withResolvers<void>();
        await atLatest(Promise.race([drained, silence.promise]), SILENCE_MS, silence.resolve);
      }
    },
  };
}

/** `prepare` is called while the pipes are made. Rejects with the system's error when the program cannot be started. */
export async function startProcess(
  prepare: () => Promise<Launch>,
  dependencies: ProcessDependencies,
): Promise<StartedProcess<ChildProcess>> {
  const opening = dependencies.openPipes();
  const prepared = prepare();
  prepared.catch(() => {});
  const pipes = await opening;
  try {
    return { pipes, child: await spawnOn(pipes, await prepared, dependencies) };
  } catch (error) {
    for (const pipe of Object.values(pipes)) pipe.abandon();
    throw error;
  } finally {
    for (const pipe of Object.values(pipes)) closeSync(pipe.writer);
  }
}

async function spawnOn(
  pipes: OutputPipes,
  { argv, cwd, env, stdin, channels = 0, openFiles = () => [] }: Launch,
  { temporary, inherited }: ProcessDependencies,
): Promise<ChildProcess> {
  const [file = '', ...rest] = argv;
  const input = stdin === undefined ? 'nothing' : stdin === 'open' ? 'pipe' : openContent(stdin, temporary);
  const outputs = [pipes.stdout.writer, pipes.stderr.writer];
  const files = openFiles();
  const { stdio, close } = stdioFor({ input, outputs, channels, files, inherited });
  try {
    // In its own session: what a person types at the terminal goes to Lainclaw.
    const child = spawn(file, rest, { cwd, env: { ...env }, detached: true, stdio });
    if (child.pid === undefined) throw (await once(child, 'error'))[0];
    return child;
  } finally {
    close();
    for (const file of files) closeSync(file);
    if (typeof input === 'number') closeSync(input);
  }
}
