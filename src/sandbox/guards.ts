// Turns protected paths inside a writable directory into mounts. An existing path is mounted read-only; a missing one gets
// a placeholder at its first missing component. Every directory above it becomes a mount point too ("pinned"), because a
// mount moves with a renamed ancestor and would leave the path free. A path with a link cannot be pinned and is refused.
import { lstatSync, type Stats } from 'node:fs';
import { relative, resolve } from 'node:path';
import { isInside, realPath } from './path-inside.ts';
import {
  entriesOf,
  type HeldDirectory,
  holdDirectory,
  isPlaceholder,
  type Placeholder,
  placeholderIn,
} from './placeholders.ts';
import { type Profile, SandboxError } from './sandbox.ts';

export interface GuardMount {
  path: string;
  /** `pinned` stays writable. `empty` hides the content. */
  access: 'read-only' | 'pinned' | 'empty';
  isDirectory: boolean;
}

/** A protected path that does not exist: where its placeholder belongs. */
export interface MissingPath {
  /** The path of the directory that must hold the placeholder, and the directory itself. */
  above: string;
  parent: HeldDirectory;
  name: string;
}

/** What must be guarded, as it is now. Nothing is made yet. */
export interface GuardPlan {
  /** As if every placeholder were in its place. */
  readonly mounts: readonly GuardMount[];
  readonly missing: readonly MissingPath[];
  /** For one more user, who releases it too. */
  share(): GuardPlan;
  /** Once for each user. */
  release(): void;
}

export interface Guards {
  readonly mounts: readonly GuardMount[];
  /** What `release` does, for a shell; empty when there is nothing to do. */
  readonly releaseScript: string;
  /** Removes every placeholder that no other run needs. Never rejects. */
  release(): Promise<void>;
}

/** Makes leases, and knows those that are in a workspace: no command can write them while they are there. */
export interface Leases {
  newLease(): string;
  /** Their absolute paths. */
  readonly inWorkspaces: Set<string>;
}

/** Plans the guards and makes the placeholders. */
export async function guardWorkspace(profile: Profile, leases: Leases): Promise<Guards> {
  return placeGuards(planGuards(profile), leases);
}

/** A workspace that cannot be written needs no guards. Paths may lead to it through a link. */
export function planGuards({ workspace, protect, hide }: Profile): GuardPlan {
  const root = workspace && realPath(workspace.path);
  if (!workspace || !root) return NOTHING_TO_GUARD;
  const spelled = resolve(workspace.path);
  const real = (paths: readonly string[] = []): string[] =>
    paths.map((path) => (isInside(spelled, path) ? resolve(root, relative(spelled, path)) : resolve(path)));
  const isWritable = workspace.access === 'read-write';
  return planPaths({ root, isWritable, protect: isWritable ? real(protect) : [], hide: real(hide) });
}

export interface Guarded {
  /** Absolute and without links. Paths outside the root need no guard. */
  root: string;
  /** In a read-only root nothing can be renamed, and pinning a directory would make it writable. */
  isWritable: boolean;
  protect: readonly string[];
  /** Paths that do not exist are skipped. */
  hide?: readonly string[];
}

/** Makes the placeholders of a plan, which is released with the guards. */
export async function placeGuards(plan: GuardPlan, leases: Leases): Promise<Guards> {
  const placed: PlacedGuard[] = [];
  const scripts: string[] = [];
  const release = (): Promise<void> => releaseAll(placed, plan, leases);
  const unplaced = new Set<string>();
  try {
    for (const { above, parent, name } of plan.missing) {
      const placeholder = placeholderIn(parent, name, leases.newLease());
      if (placeholder) {
        placed.push(keep({ above, placeholder }, leases));
        scripts.push(placeholder.releaseScript(above));
      } else for (const entry of entriesOf(name).names) unplaced.add(`${above}/${entry}`);
    }
  } catch (error) {
    await release();
    throw error;
  }
  const mounts = plan.mounts.filter(({ path }) => !unplaced.has(path));
  return { mounts, releaseScript: scripts.join('\n'), release };
}

/** A placeholder in its place, below `above`. */
export interface PlacedGuard {
  above: string;
  placeholder: Placeholder;
}

/** From now until its release its lease is known as one in a workspace. */
export function keep(guard: PlacedGuard, { inWorkspaces }: Leases): PlacedGuard {
  inWorkspaces.add(leasePath(guard));
  return guard;
}

export async function releaseAll(guards: readonly PlacedGuard[], plan: GuardPlan, leases: Leases): Promise<void> {
  await Promise.all(guards.map((guard) => releaseGuard(guard, leases)));
  plan.release();
}

export async function releaseGuard(guard: PlacedGuard, { inWorkspaces }: Leases): Promise<void> {
  await guard.placeholder.release();
  inWorkspaces.delete(leasePath(guard));
}

function leasePath({ above, placeholder }: PlacedGuard): string {
  return `${above === '/' ? '' : above}/${placeholder.lease}`;
}

export function planPaths({ root, isWritable, protect, hide = [] }: Guarded): GuardPlan {
  const mounts = new Map<string, GuardMount>();
  const missing: MissingPath[] = [];
  const held = new Map<string, HeldDirectory>();
  let users = 1;
  const release = (): void => {
    users -= 1;
    if (users === 0) for (const directory of held.values()) directory.release();
  };

  function hold(path: string, address = path): HeldDirectory {
    const directory = held.get(path) ?? holdDirectory(address);
    held.set(path, directory);
    return directory;
  }

  function cover(path: string, access: GuardMount['access'], isDirectory: boolean): void {
    // Pinning a directory for a path below it must not weaken the directory's own protection.
    if (access !== 'pinned' || !mounts.has(path)) mounts.set(path, { path, access, isDirectory });
  }

  function guard(path: string, access: 'read-only' | 'empty'): void {
    let parent = hold(root);
    let at = root;
    const names = relative(root, path).split('/');
    for (const [index, name] of names.entries()) {
      const above = at;
      at = `${at === '/' ? '' : at}/${name}`;
      const stats = look(`${parent.address}/${name}`);
      if (stats === 'unreachable' || mounts.get(at)?.access === 'empty') return;
      if (stats?.isSymbolicLink()) throw linkRefused(at, path);
      if (access === 'empty' && !stats) return;
      if (!stats || isPlaceholder(parent, name)) {
        missing.push({ above, parent, name });
        const entries = entriesOf(name);
        for (const [rank, made] of entries.names.entries()) {
          const isDirectory = entries.isDirectory || rank > 0;
          cover(`${above}/${made}`, isDirectory ? 'empty' : 'read-only', isDirectory);
        }
        return;
      }
      if (index === names.length - 1 || !stats.isDirectory()) {
        cover(at, access, stats.isDirectory());
        return;
      }
      if (isWritable) cover(at, 'pinned', true);
      parent = hold(at, `${parent.address}/${name}`);
    }
  }

  try {
    // Hidden paths first: nothing below them needs another guard.
    for (const path of hide) if (path !== root && isInside(root, path)) guard(path, 'empty');
    for (const path of protect) if (path !== root && isInside(root, path)) guard(path, 'read-only');
  } catch (error) {
    release();
    throw error;
  }
  const plan: GuardPlan = {
    mounts: [...mounts.values()],
    missing,
    share() {
      users += 1;
      return plan;
    },
    release,
  };
  return plan;
}

const NOTHING_TO_GUARD: GuardPlan = { mounts: [], missing: [], share: () => NOTHING_TO_GUARD, release: () => {} };

function look(address: string): Stats | 'unreachable' | undefined {
  try {
    return lstatSync(address, { throwIfNoEntry: false });
  } catch {
    return 'unreachable';
  }
}

function linkRefused(link: string, path: string): SandboxError {
  return new SandboxError(
    'invalid-profile',
    `${path} must be protected, but ${link} is a symbolic link, which a command could replace: choose another workspace, or put a real file or directory in its place`,
  );
}
