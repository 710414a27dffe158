// Limits on all processes of a command together, where the kernel's control groups can be used: by root, and by a person
// whose session was given a part of the tree (systemd's user services). Version 2 holds memory and processes; of
// version 1 only the processes are used. A group is made beside the one this process is in, never in it: version 2
// allows no limits on the children of a group that has processes.
import { accessSync, constants, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readStat } from './end-tree.ts';
import type { Limits } from './sandbox.ts';

export interface Cgroup {
  readonly holdsMemory: boolean;
  readonly holdsProcesses: boolean;
  /** The file that takes a process in. */
  readonly members: string;
  /** Adds a process and all it will start. Rejects when the kernel refuses. Off the main thread: it takes milliseconds. */
  add(pid: number): Promise<void>;
  /** True once the kernel killed a process of the group because memory ran out. */
  ranOutOfMemory(): boolean;
  /** Every process of the group must have ended. Never rejects. Off the main thread: it takes milliseconds. What the kernel keeps longer is removed with a later group. */
  remove(): Promise<void>;
}

interface Place {
  directory: string;
  controllers: readonly string[];
}

export interface CgroupDependencies {
  /** Where the kernel shows its control groups; another tree in tests. */
  root: string;
  /** The text of /proc/self/cgroup. */
  membership: string;
}

/** The place of the groups stays the same while this process lives: it is looked for, and tidied, with the first group. */
export function createCgroups(dependencies: CgroupDependencies): (id: string, limits: Limits) => Cgroup | undefined {
  let found: { place: Place | undefined } | undefined;
  /** Groups that the kernel still kept when their removal was given up. Tried again with the next group. */
  const left = new Set<string>();
  return (id, limits) => {
    if (!found) {
      found = { place: findPlace(dependencies) };
      if (found.place) sweep(found.place.directory);
    }
    for (const directory of left) if (tryTo(() => rmdirSync(directory))) left.delete(directory);
    return found.place && createCgroup(found.place, { id, limits, onLeft: (directory) => left.add(directory) });
  };
}

interface NewGroup {
  id: string;
  limits: Limits;
  /** Called with a group that could not be removed in time. */
  onLeft(directory: string): void;
}

/** Undefined where no group can be made. */
function createCgroup(place: Place, { id, limits, onLeft }: NewGroup): Cgroup | undefined {
  const directory = join(place.directory, `lainclaw-${process.pid}-${id}`);
  const holdsMemory = place.controllers.includes('memory');
  try {
    mkdirSync(directory);
    writeFileSync(join(directory, 'pids.max'), String(limits.processes));
    if (holdsMemory) {
      writeFileSync(join(directory, 'memory.max'), String(limits.memoryBytes));
      // Missing where the kernel has no swap accounting, or is old.
      tryTo(() => writeFileSync(join(directory, 'memory.swap.max'), '0'));
      tryTo(() => writeFileSync(join(directory, 'memory.oom.group'), '1'));
    }
  } catch {
    tryTo(() => rmdirSync(directory));
    return undefined;
  }
  return {
    holdsMemory,
    holdsProcesses: true,
    members: join(directory, 'cgroup.procs'),
    add: (pid) => writeFile(join(directory, 'cgroup.procs'), String(pid)),
    ranOutOfMemory: () => holdsMemory && /^oom_kill [1-9]/m.test(readText(join(directory, 'memory.events'))),
    async remove() {
      for (let attempt = 0; attempt < 50; attempt += 1) {
        const isRemoved = await rmdir(directory).then(
          () => true,
          () => false,
        );
        if (isRemoved) return;
        await sleep(2);
      }
      onLeft(directory);
    },
  };
}

/** Removes groups that a killed process left behind. A group in use cannot be removed. */
function sweep(directory: string): void {
  for (const name of readdirSync(directory)) {
    const pid = /^lainclaw-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || Number(pid) === process.pid) continue;
    if (readStat(Number(pid)) === undefined) tryTo(() => rmdirSync(join(directory, name)));
  }
}

function findPlace({ root, membership }: CgroupDependencies): Place | undefined {
  const isVersion2 = readText(join(root, 'cgroup.controllers')) !== '';
  if (!isVersion2) {
    const own = /^\d+:pids:(.+)$/m.exec(membership)?.[1];
    const directory = own === undefined ? undefined : join(root, 'pids', own);
    return directory && isWritable(directory) ? { directory, controllers: ['pids'] } : undefined;
  }
  const own = /^0::(.+)$/m.exec(membership)?.[1];
  if (own === undefined) return undefined;
  for (let at = own === '/' ? '/' : dirname(own); ; at = dirname(at)) {
    const directory = join(root, at);
    const controllers = readText(join(directory, 'cgroup.subtree_control')).trim().split(' ');
    if (controllers.includes('pids')) return isWritable(directory) ? { directory, controllers } : undefined;
    if (at === '/') return undefined;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function isWritable(path: string): boolean {
  return tryTo(() => accessSync(path, constants.W_OK));
}

function tryTo(action: () => void): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
