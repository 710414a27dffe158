// Bubblewrap started before its command is known: it has made its namespaces and mounts, and inside them a shell waits for one
// script on its standard input, to become the command. It ends by itself when this process does.
import { EventEmitter } from 'node:events';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { atLatest } from './at-latest.ts';
import { FILTER_DESCRIPTOR, STATUS_DESCRIPTOR } from './bubblewrap-arguments.ts';
import { type Fifo, type OutputPipes, outputPipes } from './pipes.ts';
import type { Child } from './run-process.ts';
import { type SandboxCommand, SandboxError } from './sandbox.ts';
import { quoted } from './shell-quote.ts';
import type { Starter } from './starter.ts';

/** The descriptor on which the shell says that it waits: bubblewrap's status, which bubblewrap keeps from it under its own number. */
const WAITING_DESCRIPTOR = 5;
/** What bubblewrap runs: the same shell for every command. */
export const WAITING_SHELL = ['/bin/sh'];
const SAY_WAITING = `echo '{"waits":true}' >&${WAITING_DESCRIPTOR}\nexec ${WAITING_DESCRIPTOR}>&-\n`;
/** How long bubblewrap may take to mount everything. */
const START_MS = 10_000;

/** The kernel accepts no longer argument; a shell would only report it on stderr. */
const LONGEST_ARGUMENT = 131_000;
const MOST_BYTES = 1_000_000;
const NAME = /^[A-Za-z_]\w*$/;

/** How many pipes `startReadyProcess` needs. */
export const READY_FIFOS = 4;

export interface ReadyProcess {
  readonly child: Child;
  readonly pipes: OutputPipes;
  readonly isInGroup: boolean;
  /** Where bubblewrap reports. */
  readonly status: Readable;
  /** Resolves once the shell waits, and from then on keeps this process alive no longer. Rejects when it ended before. */
  waits(): Promise<void>;
  /** Keeps this process alive again. */
  ref(): void;
  /** Replaces the shell by the command. At most once. */
  become(command: Pick<SandboxCommand, 'argv' | 'cwd' | 'env'>): void;
  /** Closes our ends of its pipes. */
  abandon(): void;
}

/** False when a shell cannot exec this program: then it is started directly. */
export function canBecome({ argv, env, stdin }: Pick<SandboxCommand, 'argv' | 'env' | 'stdin'>): boolean {
  const texts = [...argv, ...Object.values(env)];
  const sizes = texts.map((text) => Buffer.byteLength(text));
  return (
    stdin === undefined &&
    Object.keys(env).every((name) => NAME.test(name)) &&
    sizes.every((size) => size < LONGEST_ARGUMENT) &&
    sizes.reduce((total, size) => total + size, 0) < MOST_BYTES
  );
}

export interface ReadyProcessOptions {
  /** Bubblewrap with its arguments, `WAITING_SHELL` last. */
  argv: readonly string[];
  /** What the shell runs first. It ends where a limit is refused. */
  limitScript: string;
  /** The file that takes a process into its control group. */
  group: string | undefined;
  /** As many as `READY_FIFOS`. Closed here, also when it rejects. */
  fifos: readonly Fifo[];
  starter: Starter;
  /** The filter of system calls, where there is one: a descriptor of ours that stays open. */
  filter: number | undefined;
}

export async function startReadyProcess(options: ReadyProcessOptions): Promise<ReadyProcess> {
  const { argv, limitScript, group, fifos, starter, filter } = options;
  const [stdout, stderr, status, script] = fifos as [Fifo, Fifo, Fifo, Fifo];
  const pipes = outputPipes([stdout, stderr]);
  const starting = starter.start({
    argv,
    group,
    descriptors: [
      { as: 0, from: script.reader, mode: 'read' },
      { as: 1, from: stdout.writer, mode: 'write' },
      { as: 2, from: stderr.writer, mode: 'write' },
      { as: STATUS_DESCRIPTOR, from: status.writer, mode: 'both' },
      { as: WAITING_DESCRIPTOR, from: status.writer, mode: 'write' },
      ...(filter === undefined ? [] : [{ as: FILTER_DESCRIPTOR.waiting, from: filter, mode: 'read' } as const]),
    ],
  });
  const input = new Socket({ fd: script.writer, readable: false, writable: true });
  const said = new Socket({ fd: status.reader, readable: true, writable: false });
  const abandon = (): void => {
    for (const pipe of Object.values(pipes)) pipe.abandon();
    input.destroy();
    said.destroy();
  };
  try {
    const { pid, isInGroup } = await starting;
    return { pipes, isInGroup, status: said, abandon, ...follow(pid, { input, said, starter, limitScript }) };
  } catch (error) {
    abandon();
    throw error;
  } finally {
    // What was started has its own.
    for (const descriptor of [stdout.writer, stderr.writer, status.writer, script.reader]) closeSync(descriptor);
  }
}

interface Ends {
  input: Socket;
  said: Socket;
  starter: Starter;
  limitScript: string;
}

function follow(
  pid: number,
  { input, said, starter, limitScript }: Ends,
): Pick<ReadyProcess, 'child' | 'waits' | 'ref' | 'become'> {
  const child = new FollowedChild(pid);
  const waiting = Promise.withResolvers<void>();
  waiting.promise.catch(() => {});
  input.on('error', () => {});
  said.on('error', () => {});
  let text = '';
  said.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.includes('"waits"')) waiting.resolve();
  });
  // Bubblewrap holds it open as long as it runs.
  said.once('close', () => {
    const code = /"exit-code": *(\d+)/.exec(text)?.[1];
    starter.forget(pid);
    waiting.reject(new SandboxError('setup-failed', 'bubblewrap ended before its command'));
    child.end(code === undefined ? undefined : Number(code));
  });
  input.write(limitScript + SAY_WAITING);
  return {
    child,
    async waits() {
      await atLatest(waiting.promise, START_MS, () =>
        waiting.reject(new SandboxError('setup-failed', 'bubblewrap took too long')),
      );
      for (const each of [input, said]) each.unref();
    },
    ref() {
      for (const each of [input, said]) each.ref();
    },
    become: (command) => void input.end(scriptOf(command)),
  };
}

/** A process that another one started: its end is seen by its pipe. */
class FollowedChild extends EventEmitter implements Child {
  readonly pid: number;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;

  constructor(pid: number) {
    super();
    this.pid = pid;
  }

  kill(signal: NodeJS.Signals): boolean {
    // Its number may be another's by now.
    if (this.exitCode !== null || this.signalCode !== null) return false;
    try {
      return process.kill(this.pid, signal);
    } catch {
      return false;
    }
  }

  /** Without an exit code it was killed. */
  end(code: number | undefined): void {
    if (code === undefined) this.signalCode = 'SIGKILL';
    else this.exitCode = code;
    this.emit('exit', this.exitCode, this.signalCode);
  }
}

/** For the shell. What the shell itself adds to an environment is taken out. */
function scriptOf({ argv, cwd, env }: Pick<SandboxCommand, 'argv' | 'cwd' | 'env'>): string {
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}`);
  const lines = [`cd ${quoted(cwd)} || exit 126`, 'unset OLDPWD SHLVL', ...exports];
  return `${[...lines, `exec ${argv.map(quoted).join(' ')} </dev/null`].join('\n')}\n`;
}
