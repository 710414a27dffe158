// Turns protected paths inside a writable directory into mounts. What exists is mounted read-only; what does not gets a
// placeholder at the first missing component. Every directory on the way is made a mount point of its own ("pinned"),
// for a mount moves with a renamed ancestor and would leave the path free. A link on the way cannot be pinned: refused.
import { lstatSync, type Stats } from 'node:fs';
import { relative, resolve } from 'node:path';
import { isInside, realPath } from './path-inside.ts';
import { type HeldDirectory, holdDirectory, isPlaceholder, type Placeholder, placeholderIn } from './placeholders.ts';
import { type Profile, SandboxError } from './sandbox.ts';

export interface GuardMount {
  path: string;
  /** `pinned` stays writable. `empty` hides what is there. */
  access: 'read-only' | 'pinned' | 'empty';
  isDirectory: boolean;
}

export interface Guards {
  readonly mounts: readonly GuardMount[];
  /** Takes every placeholder away that no other run needs. Never rejects. */
  release(): Promise<void>;
}

/** Nothing to protect when the workspace cannot be written. Paths may be spelled through a link that leads to it. */
export async function guardWorkspace(
  { workspace, protect, hide }: Profile,
  newId: (prefix: string) => string,
): Promise<Guards> {
  const root = workspace && realPath(workspace.path);
  if (!workspace || !root) return { mounts: [], release: async () => {} };
  const spelled = resolve(workspace.path);
  const real = (paths: readonly string[] = []): string[] =>
    paths.map((path) => (isInside(spelled, path) ? resolve(root, relative(spelled, path)) : resolve(path)));
  const isWritable = workspace.access === 'read-write';
  return guardPaths({ root, isWritable, protect: isWritable ? real(protect) : [], hide: real(hide), newId });
}

export interface Guarded {
  /** Absolute and without links. Paths outside of it need no guard. */
  root: string;
  /** Otherwise nothing on the way can be renamed, and a pinned directory would be the one that can be written. */
  isWritable: boolean;
  protect: readonly string[];
  /** What is not there, or not there any more, needs no hiding. */
  hide?: readonly string[];
  newId(prefix: string): string;
}

export async function guardPaths({ root, isWritable, protect, hide = [], newId }: Guarded): Promise<Guards> {
  const mounts = new Map<string, GuardMount>();
  const placeholders: Placeholder[] = [];
  const held = new Map<string, HeldDirectory>();
  const release = async (): Promise<void> => {
    await Promise.all(placeholders.map((placeholder) => placeholder.release()));
    for (const directory of held.values()) directory.release();
  };

  function hold(path: string, address = path): HeldDirectory {
    const directory = held.get(path) ?? holdDirectory(address);
    held.set(path, directory);
    return directory;
  }

  function cover(path: string, access: GuardMount['access'], isDirectory: boolean): void {
    // A path that is protected itself is not merely pinned for the sake of one below it.
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
        const placeholder = placeholderIn(parent, name, newId('lease'));
        if (!placeholder) return;
        placeholders.push(placeholder);
        for (const [rank, made] of placeholder.names.entries()) {
          const isDirectory = placeholder.isDirectory || rank > 0;
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
    // Hidden ones first: what is below them has no need of more.
    for (const path of hide) if (path !== root && isInside(root, path)) guard(path, 'empty');
    for (const path of protect) if (path !== root && isInside(root, path)) guard(path, 'read-only');
  } catch (error) {
    await release();
    throw error;
  }
  return { mounts: [...mounts.values()], release };
}

function look(address: string): Stats | 'unreachable' | undefined {
  try {
    return lstatSync(address);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'unreachable';
  }
}

function linkRefused(link: string, path: string): SandboxError {
  return new SandboxError(
    'invalid-profile',
    `${path} has to be protected, but ${link} is a symbolic link, which a command could replace: choose another workspace, or put a real file or directory in its place`,
  );
}
