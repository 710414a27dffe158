import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { findRipgrep } from '../../tools/search/program.ts';

const MOST = 200_000;
// An ignore file holds also where nobody has made a repository yet.
const ARGS = ['--no-config', '--files', '--hidden', '--no-require-git', '--glob', '!.git'];

/** The files of a directory that no ignore file hides. Their names are shown as they are typed. */
export async function* listFiles(root: string, signal: AbortSignal): AsyncGenerator<string> {
  const program = await findRipgrep();
  if (signal.aborted) return;
  const child = spawn(program, ARGS, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  let count = 0;
  try {
    child.on('error', () => {});
    for await (const line of createInterface({ input: child.stdout })) {
      // A name that a terminal cannot show cannot be typed either.
      if (!/\p{Cc}/u.test(line)) yield line;
      count += 1;
      if (count >= MOST) break;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}
