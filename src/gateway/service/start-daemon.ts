// Starts the gateway in the background and waits for its word: ready, or why not. It lives on in a session of its own; what it
// writes to stderr before it has a log (or instead of one) is kept beside the log.
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { LASTING_VARIABLES } from '../../config/lasting-process.ts';
import { ensureDirectory } from '../../storage/private-files.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import { ServiceError } from './service-error.ts';
import type { ServiceState } from './service-state.ts';

/** What the background process tells the one that started it. */
export type DaemonWord = { type: 'ready'; state: ServiceState } | { type: 'failed'; code: string; message: string };

export interface DaemonOptions {
  /** The program and its arguments: the same command, in the background. */
  command: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  cwd: string;
  logPath: string;
  /** Ends the start, and what was started. */
  signal: AbortSignal;
  patienceMs?: number;
}

/** Generous: a platform may be slow to answer. */
const PATIENCE_MS = 120_000;
const LAST_WORDS = 2_000;

export async function startDaemon(options: DaemonOptions): Promise<ServiceState> {
  const { command, environment, cwd, logPath, signal, patienceMs = PATIENCE_MS } = options;
  const folder = dirname(logPath);
  await ensureDirectory(folder);
  const errorsPath = join(folder, 'gateway.stderr');
  const errors = await open(errorsPath, constants.O_CREAT | constants.O_TRUNC | constants.O_WRONLY, 0o600);
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd,
    env: { ...LASTING_VARIABLES, ...environment },
    detached: true,
    stdio: ['ignore', errors.fd, errors.fd, 'ipc'],
  });
  await errors.close();
  const over = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  const word = await new Promise<DaemonWord | 'ended' | 'over' | Error>((resolve) => {
    child.once('message', (message) => resolve(message as DaemonWord));
    child.once('exit', () => resolve('ended'));
    child.once('error', resolve);
    over.addEventListener('abort', () => resolve('over'), { once: true });
  });
  if (child.connected) child.disconnect();
  child.unref();
  if (word instanceof Error)
    throw new ServiceError('GATEWAY_START_FAILED', `the gateway could not be started: ${word.message}`, word);
  if (word === 'over') {
    child.kill('SIGTERM');
    signal.throwIfAborted();
    throw new ServiceError(
      'GATEWAY_START_FAILED',
      `the gateway was not ready after ${patienceMs / 1000} s: ${logPath} tells how far it came`,
    );
  }
  if (word === 'ended') {
    const lastWords = (await readFile(errorsPath, 'utf8').catch(() => '')).trim().slice(-LAST_WORDS);
    throw new ServiceError(
      'GATEWAY_START_FAILED',
      `the gateway ended before it was ready: ${lastWords || `${logPath} may tell why`}`,
    );
  }
  if (word.type === 'failed') throw new DaemonFailed(word.code, word.message);
  return word.state;
}

/** The reason that the background process gave, under its own code. */
export class DaemonFailed extends CodedError {}
