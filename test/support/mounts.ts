// File systems with bad properties (full, read-only) in a mount namespace of their own: nothing of the machine's own
// mounts is touched, and all of it goes when the namespace's keeper ends. Also: running as a user without privileges.
import { spawn, spawnSync } from 'node:child_process';

const isRoot = process.getuid?.() === 0;
const NAMESPACE = isRoot ? ['-m'] : ['-Urm'];
const NOBODY = 65534;

/** False where the system lets nobody make a mount namespace (some containers). */
export const canMount = spawnSync('unshare', [...NAMESPACE, 'true']).status === 0;

/** Runs a command without the privileges that make file modes meaningless. */
export const unprivileged: readonly string[] = isRoot
  ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--inh-caps=-all', '--bounding-set=-all']
  : [];

/** Who owns what `unprivileged` commands write. */
export const unprivilegedUser: number = isRoot ? NOBODY : (process.getuid?.() ?? 0);

export interface Mount {
  /** Runs a command where the mount is. */
  wrapper: readonly string[];
  /** The mounted path as this process can see it. */
  outside(path: string): string;
  /** Changes the mount, e.g. `remount,ro`. */
  remount(options: string): void;
  close(): Promise<void>;
}

/** Mounts a tmpfs with these options on a directory, seen only by commands run through `wrapper`. */
export async function mountTmpfs(directory: string, options: string): Promise<Mount> {
  const script = 'mount -t tmpfs -o "$1" tmpfs "$2" && echo mounted && exec cat';
  const keeper = spawn('unshare', [...NAMESPACE, 'sh', '-c', script, 'sh', options, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => keeper.on('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    keeper.stdout.once('data', () => resolve());
    keeper.once('close', (code) => reject(new Error(`the mount failed with ${code}`)));
  });
  const enter = isRoot ? ['-m'] : ['-U', '--preserve-credentials', '-m'];
  const wrapper = ['nsenter', '-t', String(keeper.pid), ...enter, '--'];
  return {
    wrapper,
    outside: (path) => `/proc/${keeper.pid}/root${path}`,
    remount(changed) {
      const [program = '', ...args] = [...wrapper, 'mount', '-o', changed, directory];
      const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
      if (status !== 0) throw new Error(`cannot remount: ${stderr}`);
    },
    async close() {
      keeper.stdin.end();
      await ended;
    },
  };
}
