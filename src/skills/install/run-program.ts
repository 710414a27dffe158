// Runs git or npm to its end, with bounded output. At a timeout or cancellation every process it started ends too.
import { spawn } from 'node:child_process';
import { SkillError } from '../skill-error.ts';

const STDERR_KEPT = 4_000;

export interface Program {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  stdin?: string;
  maxOutputBytes: number;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Rejects with SkillError when the program cannot be started, fails, writes too much or takes too long. */
export async function runProgram(program: Program): Promise<Buffer> {
  const { file, args, cwd, env, stdin, maxOutputBytes, timeoutMs, signal } = program;
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const child = spawn(file, args, {
    cwd,
    env: env as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const out: Buffer[] = [];
  let size = 0;
  let said = '';
  const end = (error: unknown): void => {
    reject(error);
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The program has ended already.
    }
  };
  const timer = setTimeout(
    () => end(failed(`${file} took longer than ${timeoutMs / 1_000} s and was stopped`)),
    timeoutMs,
  );
  const onAbort = (): void => end(signal?.reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxOutputBytes) end(new SkillError('SKILL_LIMIT', `${file} gave more than ${maxOutputBytes} bytes`));
    else out.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-STDERR_KEPT);
  });
  child.stdin.on('error', () => {});
  child.stdin.end(stdin ?? '');
  child.on('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === 'ENOENT'
        ? failed(`${file} is needed for this and was not found: install it`)
        : failed(error.message),
    ),
  );
  child.on('close', (code) => {
    if (code === 0) resolve(Buffer.concat(out));
    else reject(failed(`${file} failed: ${said.trim() || `it ended with ${code}`}`));
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** The variables that git and npm need to reach their servers; never keys of providers. */
export function environmentFor(
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const needed =
    /^(PATH|HOME|USER|LOGNAME|LANG|LC_.*|TMPDIR|XDG_.*|SSH_AUTH_SOCK|SSH_AGENT_PID|GIT_SSH|GIT_SSH_COMMAND|GIT_SSL_CAINFO|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|(https?|all|no)_proxy|npm_config_.*)$/i;
  return Object.fromEntries(Object.entries(variables).filter(([name]) => needed.test(name)));
}

function failed(message: string): SkillError {
  return new SkillError('SKILL_FETCH', message);
}
