// A place to try sandboxes in: a workspace, a home with secrets and a toolchain, a directory outside, all real and all
// removed afterwards. Needs no test runner: other processes use it too.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { release, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { newId } from '../../src/lib/new-id.ts';
import { type BubblewrapDependencies, createBubblewrap } from '../../src/sandbox/bubblewrap.ts';
import { createNone } from '../../src/sandbox/none.ts';
import { protectedPaths } from '../../src/sandbox/protected.ts';
import type { Limits, OutputBounds, Profile, RunOptions, Sandbox, SandboxCommand } from '../../src/sandbox/sandbox.ts';

export const TRIAL_LIMITS: Limits = {
  memoryBytes: 1024 * 1024 * 1024,
  cpuSeconds: 30,
  fileSizeBytes: 64 * 1024 * 1024,
  processes: 128,
};

export interface Trial {
  readonly root: string;
  readonly workspace: string;
  readonly scratch: string;
  readonly home: string;
  readonly lainclawHome: string;
  readonly temporary: string;
  path(...parts: string[]): string;
  write(path: string, text: string): void;
  /** A bash script in the workspace, which it may write. */
  script(text: string, change?: Partial<SandboxCommand>, profile?: Partial<Profile>): SandboxCommand;
  bubblewrap(change?: Partial<BubblewrapDependencies>): Sandbox;
  /** The same, with every run made ready before it is asked for. */
  readyBubblewrap(): Sandbox;
  none(): Sandbox;
  remove(): void;
}

export function createTrial(parent = tmpdir()): Trial {
  const root = realpathSync(mkdtempSync(join(parent, 'sandbox-trial-')));
  const path = (...parts: string[]): string => join(root, ...parts);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  for (const name of ['workspace', 'scratch', 'home', 'lainclaw', 'temporary', 'outside']) mkdirSync(path(name));
  const places = { workspace: path('workspace'), userHome: path('home'), lainclawHome: path('lainclaw') };
  const profile: Profile = {
    workspace: { path: places.workspace, access: 'read-write' },
    protect: protectedPaths(places),
    limits: TRIAL_LIMITS,
  };
  const bubblewrap: Trial['bubblewrap'] = (change = {}) =>
    createBubblewrap({
      userHome: places.userHome,
      lainclawHome: places.lainclawHome,
      temporary: path('temporary'),
      newId,
      uid: process.getuid?.() ?? -1,
      kernel: release(),
      cgroups: { root: '/sys/fs/cgroup', membership: readText('/proc/self/cgroup') },
      ...change,
    });
  return {
    root,
    workspace: places.workspace,
    scratch: path('scratch'),
    home: places.userHome,
    lainclawHome: places.lainclawHome,
    temporary: path('temporary'),
    path,
    write,
    script: (text, change = {}, changed = {}) => ({
      argv: ['bash', '-c', text],
      cwd: places.workspace,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', HOME: places.userHome },
      profile: { ...profile, ...changed },
      ...change,
    }),
    bubblewrap,
    readyBubblewrap() {
      const sandbox = bubblewrap();
      return {
        ...sandbox,
        async run(command, options) {
          await sandbox.prepare?.(command);
          return sandbox.run(command, options);
        },
      };
    },
    none: () => createNone({ temporary: path('temporary'), newId }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** How a sandbox comes by its process: what it isolates must not depend on that. */
export const WAYS: readonly (readonly [name: string, open: (trial: Trial) => Sandbox])[] = [
  ['started when it is needed', (trial) => trial.bubblewrap()],
  ['made ready before', (trial) => trial.readyBubblewrap()],
];

export function trialOptions(change: Partial<RunOptions> = {}, output: Partial<OutputBounds> = {}): RunOptions {
  const bounds = { headBytes: 8_192, tailBytes: 8_192, maxBytes: 1_073_741_824, ...output };
  return { timeoutMs: 20_000, output: bounds, ...change };
}

/** Living processes that carry the text on their command line or in their environment. */
export function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid)
    .filter((pid) => ['cmdline', 'environ'].some((name) => readText(`/proc/${pid}/${name}`).includes(text)));
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
