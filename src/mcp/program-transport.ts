// Talks to a server that is a program over its stdin and stdout. The program has its own process group, so that ending it also
// ends what it started (`npx` starts the real server), and Ctrl-C reaches us and not the program. Ending takes three steps:
// close its input, ask it to end, kill it. If this process exits without waiting, the program is killed at once.
import { type ChildProcess, spawn } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

const STEP_MS = 2_000;
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

export interface Program {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd?: string;
  onStderr(text: string): void;
}

export async function createProgramTransport({ command, args, env, cwd, onStderr }: Program): Promise<Transport> {
  const { ReadBuffer, serializeMessage } = await import('@modelcontextprotocol/client');
  const buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  let child: ChildProcess | undefined;

  function take(chunk: Buffer): void {
    buffer.append(chunk);
    for (;;) {
      let message: JSONRPCMessage | null;
      try {
        message = buffer.readMessage();
      } catch (error) {
        transport.onerror?.(error as Error);
        continue;
      }
      if (message === null) return;
      transport.onmessage?.(message);
    }
  }

  const transport: Transport = {
    async start() {
      const started = spawn(command, args, { env, cwd, stdio: 'pipe', detached: true });
      child = started;
      const end = (): void => signalGroup(started, 'SIGKILL');
      process.once('exit', end);
      started.once('close', () => {
        process.off('exit', end);
        transport.onclose?.();
      });
      started.stdin.on('error', (error) => transport.onerror?.(error));
      started.stderr.on('data', (chunk: Buffer) => onStderr(chunk.toString('utf8')));
      started.stdout.on('data', (chunk: Buffer) => {
        try {
          take(chunk);
        } catch (error) {
          transport.onerror?.(error as Error);
          void transport.close();
        }
      });
      await new Promise<void>((resolve, reject) => void started.once('spawn', resolve).once('error', reject));
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        if (!child?.stdin?.writable) return reject(new Error('the program has ended'));
        child.stdin.write(serializeMessage(message), () => resolve());
      }),
    async close() {
      const ending = child;
      if (ending?.pid === undefined) return;
      const { promise: ended, resolve } = Promise.withResolvers<true>();
      if (ending.exitCode !== null || ending.signalCode !== null) resolve(true);
      ending.once('exit', () => resolve(true));
      ending.stdin?.end();
      if (!(await within(ended))) signalGroup(ending, 'SIGTERM');
      await within(ended);
      // Also when it has ended itself: processes that it started may still run.
      signalGroup(ending, 'SIGKILL');
      await ended;
    },
  };
  return transport;
}

function within(ended: Promise<true>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), STEP_MS);
  return Promise.race([ended, late]).finally(() => clearTimeout(timer));
}

/** The group exists as long as any process is in it. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // No process is left.
  }
}
