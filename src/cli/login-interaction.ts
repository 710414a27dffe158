// What a person sees and types while signing in. All of it goes to stderr: stdout holds only the result.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline/promises';
import type { LoginInteraction } from '../adapters/auth/codex-login.ts';
import type { Environment } from '../config/environment.ts';
import { printable, type Terminal } from './terminal.ts';

/** Whether a browser on this machine could be shown to the person at this terminal. */
export function hasBrowser({ variables }: Environment): boolean {
  if (variables.SSH_CONNECTION || variables.SSH_TTY) return false;
  if (process.platform === 'darwin' || process.platform === 'win32') return true;
  return Boolean(variables.DISPLAY || variables.WAYLAND_DISPLAY);
}

/** Shows it, and opens it where that can be done. */
export function showAddress(url: string, { err, environment }: Terminal): void {
  err.write(`Sign in with your browser:\n${printable(url)}\n`);
  if (hasBrowser(environment)) openBrowser(url, environment);
}

export function createLoginInteraction({ input, err, environment }: Terminal): LoginInteraction {
  const say = (line: string): void => err.write(`${printable(line)}\n`);
  return {
    showUrl(url) {
      say('Sign in with your browser:');
      say(url);
      say('If it ends on a page that cannot be reached, paste the address of that page here.');
      openBrowser(url, environment);
    },
    showDeviceCode({ userCode, verificationUrl }) {
      say(`On any device open ${verificationUrl} and enter the code ${userCode}`);
    },
    async readPastedCode(signal) {
      if (input.kind() !== 'terminal') return new Promise<string>(() => {});
      const lines = createInterface({ input: input.stream(), output: err.stream() });
      try {
        return await lines.question('', { signal });
      } finally {
        lines.close();
      }
    },
    progress: say,
  };
}

/** The address is given as an argument, never through a shell. Failing is fine: it is on the screen. */
function openBrowser(url: string, { variables }: Environment): void {
  const [program, ...before]: [string, ...string[]] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['explorer'] : ['xdg-open'];
  const child = spawn(program, [...before, url], { env: { ...variables }, stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
