// Test support: a real bash as the oracle of what a command text runs. PATH holds nothing but stubs that note their name and
// words in a file, and links to the real wrappers under test; the working directory is a temporary one. Texts with a "/"
// are refused, so that no program outside the stubs can be named.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Ran {
  program: string;
  args: readonly string[];
}

export interface BashOracle {
  run(text: string): Promise<readonly Ran[]>;
  remove(): void;
}

const STUBS = ['ls', 'cat', 'rm', 'mv', 'git', 'curl', 'wc', 'evil'] as const;
const WRAPPERS = ['env', 'xargs', 'timeout', 'nice', 'nohup', 'setsid', 'stdbuf', 'find', 'bash', 'sh'];
const LIMIT_MS = 3_000;
/** Could reach a program that is not a stub, or another process. */
export const REFUSED = /\/|\bkill\b|\bulimit\b|-p\b/;

export function createBashOracle(): BashOracle {
  const root = mkdtempSync(join(tmpdir(), 'lainclaw-oracle-'));
  const bin = join(root, 'bin');
  const work = join(root, 'work');
  mkdirSync(bin);
  mkdirSync(work);
  writeFileSync(join(work, 'a.txt'), '');
  writeFileSync(join(work, 'b c.txt'), '');
  for (const name of STUBS)
    writeFileSync(join(bin, name), `#!/bin/bash\nprintf '%s\\0' "\${0##*/}" "$@" END >> "$ORACLE_LOG"\n`, {
      mode: 0o755,
    });
  for (const name of WRAPPERS) {
    const real = ['/usr/bin', '/bin'].map((directory) => join(directory, name)).find(existsSync);
    if (real !== undefined) symlinkSync(real, join(bin, name));
  }
  let count = 0;
  return {
    async run(text) {
      if (REFUSED.test(text)) throw new Error(`not for the oracle: ${text}`);
      count += 1;
      const log = join(root, `log-${count}`);
      await runBash(text, { cwd: work, env: { PATH: bin, HOME: work, ORACLE_LOG: log, FUNCNEST: '5' } });
      return existsSync(log) ? readLog(readFileSync(log, 'utf8')) : [];
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Ends with the whole process group gone. */
function runBash(text: string, options: { cwd: string; env: Record<string, string> }): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('/bin/bash', ['--noprofile', '--norc', '-c', text], {
      ...options,
      detached: true,
      stdio: 'ignore',
    });
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Nobody is left.
      }
    };
    const timer = setTimeout(end, LIMIT_MS);
    child.on('error', reject);
    child.on('exit', () => {
      clearTimeout(timer);
      // Parts in the background may still be starting.
      setTimeout(() => resolve(end()), /&|coproc|[<>]\(/.test(text) ? 40 : 0);
    });
  });
}

function readLog(log: string): Ran[] {
  return log
    .split('\0END\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [program = '', ...args] = entry.split('\0');
      return { program, args };
    });
}
