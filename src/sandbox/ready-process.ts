// A process made ready for the next command while Lainclaw waits for something else. It is a shell with real pipes as output,
// already in its control group, that reads one script from its standard input: to become bubblewrap. It knows nothing of the
// previous command, and ends by itself when this process does, because its input then ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Pipe } from './pipes.ts';
import type { Launch } from './run-process.ts';
import type { OutputStream } from './sandbox.ts';
import { stdioFor } from './spawn-stdio.ts';

const SHELL = '/bin/sh';
/** The kernel accepts no longer argument; a shell would only report it on stderr. */
const LONGEST_ARGUMENT = 131_000;
const MOST_BYTES = 1_000_000;
const NAME = /^[A-Za-z_]\w*$/;

export interface ReadyProcess {
  readonly child: ChildProcess;
  readonly pipes: Record<OutputStream, Pipe>;
  /** Replaces the shell by the program. At most once. */
  become(launch: Launch): void;
  /** Resolves once the process is gone. */
  discard(): Promise<void>;
}

/** False when a shell cannot exec this program: then it is started directly. */
export function canBecome({ argv, env, stdin }: Launch): boolean {
  const texts = [...argv, ...Object.values(env)];
  const sizes = texts.map((text) => Buffer.byteLength(text));
  return (
    stdin === undefined &&
    Object.keys(env).every((name) => NAME.test(name)) &&
    sizes.every((size) => size < LONGEST_ARGUMENT) &&
    sizes.reduce((total, size) => total + size, 0) < MOST_BYTES
  );
}

/** Closes the writing ends of the pipes, also when it throws. `channels`: pipes to the child beyond the standard three. */
export function startReadyProcess(
  pipes: Record<OutputStream, Pipe>,
  { channels, inherited }: { channels: number; inherited: readonly number[] },
): ReadyProcess {
  const { stdio, close } = stdioFor({ input: 'pipe', pipes, channels, inherited });
  let child: ChildProcess;
  try {
    child = spawn(SHELL, [], { cwd: '/', env: {}, detached: true, stdio });
  } finally {
    close();
    for (const { writer } of Object.values(pipes)) closeSync(writer);
  }
  const sockets = child.stdio.filter((stream): stream is Socket => stream !== null) as Socket[];
  for (const each of [child, ...sockets]) each.unref();
  // Only its end matters, and that is awaited elsewhere.
  child.on('error', () => {});
  child.stdin?.on('error', () => {});
  return {
    child,
    pipes,
    become({ argv, env }) {
      for (const each of [child, ...sockets]) each.ref();
      child.stdin?.end(scriptOf(argv, env));
    },
    async discard() {
      for (const pipe of Object.values(pipes)) pipe.abandon();
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.ref();
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** One command for the shell. Single quotes keep every character literal. */
function scriptOf(argv: readonly string[], env: Readonly<Record<string, string>>): string {
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}`);
  return `${[...exports, `exec ${argv.map(quoted).join(' ')} </dev/null`].join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
