// Bubblewrap started before its command is known: it has made its namespaces and mounts, and inside them a shell waits for one
// script on its standard input, to become the command. It ends by itself when this process does.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { OutputPipes } from './pipes.ts';
import { type SandboxCommand, SandboxError } from './sandbox.ts';
import { stdioFor } from './spawn-stdio.ts';

/** The descriptor on which the shell says that it waits, after those of bubblewrap. */
const WAITING_DESCRIPTOR = 5;
const CHANNELS = 3;
/** What bubblewrap runs: the same shell for every command. */
export const WAITING_SHELL = ['/bin/sh'];
const SAY_WAITING = `echo >&${WAITING_DESCRIPTOR}\nexec ${WAITING_DESCRIPTOR}>&-\n`;

/** The kernel accepts no longer argument; a shell would only report it on stderr. */
const LONGEST_ARGUMENT = 131_000;
const MOST_BYTES = 1_000_000;
const NAME = /^[A-Za-z_]\w*$/;

export interface ReadyProcess {
  readonly child: ChildProcess;
  readonly pipes: OutputPipes;
  /** Resolves once the shell waits, and from then on keeps this process alive no longer. Rejects when it ended before. */
  waits(): Promise<void>;
  /** Replaces the shell by the command. At most once. */
  become(command: Pick<SandboxCommand, 'argv' | 'cwd' | 'env'>): void;
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

/** `argv`: bubblewrap with its arguments, `WAITING_SHELL` last. Closes the writing ends of the pipes, also when it throws. */
export function startReadyProcess(
  argv: readonly string[],
  { pipes, inherited }: { pipes: OutputPipes; inherited: readonly number[] },
): ReadyProcess {
  const { stdio, close } = stdioFor({ input: 'pipe', pipes, channels: CHANNELS, inherited });
  const [program = '', ...rest] = argv;
  let child: ChildProcess;
  try {
    child = spawn(program, rest, { cwd: '/', env: {}, detached: true, stdio });
  } finally {
    close();
    for (const { writer } of Object.values(pipes)) closeSync(writer);
  }
  // The standard output and error are real pipes: node has no streams for them.
  const streams: readonly unknown[] = child.stdio;
  const sockets = streams.filter((stream): stream is Socket => stream !== null);
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  child.once('error', (error) => ended.reject(error));
  child.once('exit', () => ended.reject(new SandboxError('setup-failed', 'bubblewrap ended before its command')));
  child.stdin?.on('error', () => {});
  child.stdin?.write(SAY_WAITING);
  return {
    child,
    pipes,
    async waits() {
      const said = streams[WAITING_DESCRIPTOR] as Readable;
      const heard = new Promise<void>((resolve) => said.once('data', () => resolve()));
      await Promise.race([heard, ended.promise]);
      for (const each of [child, ...sockets]) each.unref();
    },
    become(command) {
      for (const each of [child, ...sockets]) each.ref();
      child.stdin?.end(scriptOf(command));
    },
  };
}

/** For the shell. Single quotes keep every character literal. What the shell itself adds to an environment is taken out. */
function scriptOf({ argv, cwd, env }: Pick<SandboxCommand, 'argv' | 'cwd' | 'env'>): string {
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}`);
  const lines = [`cd ${quoted(cwd)} || exit 126`, 'unset OLDPWD SHLVL', ...exports];
  return `${[...lines, `exec ${argv.map(quoted).join(' ')} </dev/null`].join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
