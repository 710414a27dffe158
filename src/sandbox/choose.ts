// The strongest sandbox this machine offers, or the one the owner chose. Tried once in a process.
import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import type { Config } from '../config/config.ts';
import { createBubblewrap } from './bubblewrap.ts';
import { createDocker } from './docker.ts';
import { createNone } from './none.ts';
import { type Sandbox, SandboxError } from './sandbox.ts';

export interface ChooseOptions {
  choice: Config['sandbox'];
  /** Required for docker. The image must be present: nothing is pulled. */
  dockerImage?: string;
  userHome: string;
  lainclawHome: string;
  temporary: string;
  variables: Readonly<Record<string, string | undefined>>;
  newId(prefix: string): string;
}

/** Rejects when the chosen sandbox does not work here: it is never replaced by a weaker one. */
export async function chooseSandbox(options: ChooseOptions): Promise<Sandbox> {
  const { choice, userHome, lainclawHome, temporary, variables, newId, dockerImage = 'debian:stable-slim' } = options;
  if (choice === 'none') return createNone({ temporary, newId });
  const uid = process.getuid?.() ?? -1;
  const common = { userHome, lainclawHome, temporary, newId };
  const sandbox =
    choice === 'docker'
      ? createDocker({ ...common, image: dockerImage, user: `${uid}:${process.getgid?.() ?? uid}`, cpus: 2, variables })
      : createBubblewrap({
          ...common,
          uid,
          kernel: release(),
          cgroups: { root: '/sys/fs/cgroup', membership: ownCgroup() },
        });
  const state = await sandbox.available();
  if (state.ok) return sandbox;
  const { reason, fix } = state;
  if (choice === 'auto') return createNone({ temporary, newId, because: { reason, fix } });
  throw new SandboxError('unavailable', `${sandbox.name} does not work here: ${reason}. ${fix}`);
}

function ownCgroup(): string {
  try {
    return readFileSync('/proc/self/cgroup', 'utf8');
  } catch {
    return '';
  }
}
