import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { findRipgrep } from '../../tools/search/program.ts';

const MOST = 20_000;

/** The files of a directory that no ignore file hides, as far as they can be listed in time. Their names are shown as they are typed. */
export async function listFiles(root: string, signal: AbortSignal): Promise<string[]> {
  const child = spawn(await findRipgrep(), ['--no-config', '--files', '--hidden', '--glob', '!.git'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stop = (): void => void child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  const files: string[] = [];
  try {
    child.on('error', () => {});
    for await (const line of createInterface({ input: child.stdout })) {
      // A name that a terminal cannot show cannot be typed either.
      if (!/\p{Cc}/u.test(line)) files.push(line);
      if (files.length >= MOST) break;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
  return files;
}
