// Placeholders made before their command: the mounts of a prepared sandbox need them, and the workspace must not show them
// while a model thinks. A mount is on a directory entry and moves with it. So the placeholders are made inside a lease,
// where no running command reaches them (the lease is in a placeholder that every sandbox covers); bubblewrap mounts on them
// there; they are moved out of the workspace; and each is moved to its place when the command comes. Leases are used again.
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import {
  type GuardPlan,
  type Guards,
  keep,
  type Leases,
  type MissingPath,
  type PlacedGuard,
  releaseAll,
  releaseGuard,
} from './guards.ts';
import {
  entriesOf,
  type HeldDirectory,
  holdDirectory,
  placedPlaceholder,
  placeholderIn,
  staleIn,
} from './placeholders.ts';
import { SandboxError } from './sandbox.ts';
import type { SpareDirectories } from './spare-directories.ts';
import { isKept, removeKept, type SparePlaceholders } from './spare-placeholders.ts';

export interface PreparedPlaceholders {
  /** Where the mount of a path is made for now. */
  currentPath(path: string): string;
  /** What the kernel's list of mounts, read before `withdraw`, must be after `place`. */
  expectedMounts(mounts: string): string;
  /** Moves them out of the workspace. */
  withdraw(): Promise<void>;
  /** Moves each to its place. Throws when a place is taken; then nothing of them is left. Releases the plan, at the end or then. */
  place(plan: GuardPlan): Promise<Guards>;
  /** Removes them, wherever they are. Never rejects. */
  discard(): Promise<void>;
}

export interface PreparedDependencies {
  /** A private directory that no sandbox shows. It must be on the file system of the workspace, else this throws. */
  store: string;
  leases: Leases;
  leaseDirectories: SpareDirectories;
  sparePlaceholders: SparePlaceholders;
}

/** The placeholders of one directory. */
interface Group {
  cover: PlacedGuard;
  /** The directory that has them, and where it is. */
  holder: HeldDirectory;
  address: string;
  /** By name; each has a lease of its own, for when it is in its place. */
  leases: Map<string, string>;
}

/** Uses the directories of the plan until `withdraw` or `discard`, which release it. */
export async function preparePlaceholders(
  plan: GuardPlan,
  { store, leases: known, leaseDirectories, sparePlaceholders }: PreparedDependencies,
): Promise<PreparedPlaceholders> {
  const groups = new Map<string, Group>();
  const covers: PlacedGuard[] = [];
  const { newLease } = known;
  const directories = { ...leaseDirectories, keep: sparePlaceholders.keep };

  function groupOf({ above, parent, name }: MissingPath): Group {
    const existing = groups.get(above);
    if (existing) return existing;
    const lease = newLease();
    const placeholder = placeholderIn(parent, name, lease, directories);
    if (!placeholder) throw new SandboxError('setup-failed', `nothing can be made in ${above}`);
    const cover = keep({ above, placeholder }, known);
    covers.push(cover);
    const address = `${parent.address}/${placeholder.lease}`;
    const group = { cover, holder: holdDirectory(address), address, leases: new Map<string, string>() };
    groups.set(above, group);
    // Before anything is started for them: between some file systems and mounts nothing can be moved.
    renameSync(address, `${store}/${lease}`);
    renameSync(`${store}/${lease}`, address);
    return group;
  }

  function make(missing: MissingPath): void {
    const { holder, leases } = groupOf(missing);
    const lease = newLease();
    leases.set(missing.name, lease);
    const isReused =
      entriesOf(missing.name).isDirectory && sparePlaceholders.reuse(`${holder.address}/${missing.name}`, lease);
    if (!isReused && !placeholderIn(holder, missing.name, lease, leaseDirectories))
      throw new SandboxError('setup-failed', `nothing can be made in ${missing.above}`);
  }

  let isInWorkspace = true;
  async function leaveWorkspace(): Promise<void> {
    if (!isInWorkspace) return;
    isInWorkspace = false;
    await Promise.all(covers.map((cover) => releaseGuard(cover, known)));
    plan.release();
  }

  async function discard(): Promise<void> {
    const all = [...groups.values()];
    groups.clear();
    for (const { address, holder } of all) {
      // Empty once each placeholder is in its place.
      await leaseDirectories.remove(address);
      rmSync(address, { recursive: true, force: true });
      holder.release();
    }
    await leaveWorkspace();
  }

  try {
    if (plan.missing.length > 0) sweep(store);
    for (const missing of plan.missing) make(missing);
  } catch (error) {
    await discard();
    throw error;
  }

  return {
    currentPath(path) {
      const [, above = '', name = ''] = /^(.*)\/([^/]*)$/.exec(path) ?? [];
      const group = groups.get(above);
      const isOurs = [...(group?.leases.keys() ?? [])].some((each) => entriesOf(each).names.includes(name));
      return group && isOurs ? `${above}/${group.cover.placeholder.lease}/${name}` : path;
    },

    expectedMounts: (mounts) =>
      groups.values().reduce((text, { cover }) => text.replaceAll(`/${cover.placeholder.lease}`, ''), mounts),

    async withdraw() {
      for (const group of groups.values()) {
        const aside = `${store}/${group.cover.placeholder.lease.split('/').at(-1)}`;
        renameSync(group.address, aside);
        group.address = aside;
      }
      await leaveWorkspace();
    },

    async place(now) {
      const placed: PlacedGuard[] = [];
      const scripts: string[] = [];
      try {
        for (const { above, parent, name } of now.missing) {
          const group = groups.get(above);
          const lease = group?.leases.get(name);
          if (!group || !lease) throw new SandboxError('setup-failed', `${above}/${name} was not prepared`);
          // A file last: only a directory is never put in the place of something.
          for (const entry of entriesOf(name).names.toReversed()) {
            const place = `${parent.address}/${entry}`;
            if (lstatSync(place, { throwIfNoEntry: false }))
              throw new SandboxError('setup-failed', `${above}/${entry} is there already`);
            renameSync(`${group.holder.address}/${entry}`, place);
          }
          const placeholder = placedPlaceholder(parent, name, lease, directories);
          placed.push(keep({ above, placeholder }, known));
          scripts.push(placeholder.releaseScript(above));
        }
      } catch (error) {
        await Promise.all([releaseAll(placed, now, known), discard()]);
        throw error;
      }
      await discard();
      return { mounts: now.mounts, releaseScript: scripts.join('\n'), release: () => releaseAll(placed, now, known) };
    },

    discard,
  };
}

/** Makes the directory, and removes what killed processes left in it. */
function sweep(store: string): void {
  mkdirSync(store, { recursive: true, mode: 0o700 });
  for (const entry of staleIn(readdirSync(store)))
    if (isKept(entry)) removeKept(`${store}/${entry}`);
    else rmSync(`${store}/${entry}`, { recursive: true, force: true });
}
