// A grip holds the object that a walk has reached. With /proc it is a descriptor: whatever happens to the path afterwards,
// its address leads to the same object. Without /proc it is only the path, checked again after use.
import { type BigIntStats, closeSync, constants, fstat, lstatSync, open as openDescriptor } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { promisify } from 'node:util';
import { toSystem } from './byte-path.ts';
import type { WorkspaceGuarantee } from './workspace.ts';

export interface Grip {
  /** Byte path that leads to the held object; names below it are joined to this. */
  readonly address: string;
  /** Set where the grip is a descriptor. */
  readonly descriptor?: number;
  stat(): Promise<BigIntStats>;
  release(): void;
}

export interface Grasp {
  readonly guarantee: WorkspaceGuarantee;
  /** Holds a directory; fails with ENOTDIR on anything else. A link in the last component is never followed. */
  directory(address: string): Promise<Grip>;
  /** Holds the object itself, even a link. Never opens it for reading, so a FIFO or device is not affected. */
  anything(address: string): Promise<Grip>;
  /** Opens the held object for reading, without ever waiting for a writer. */
  read(grip: Grip): Promise<FileHandle>;
  /** Fails with ESTALE when the bytes read through the grip may belong to another object. */
  confirm(grip: Grip): Promise<void>;
}

// Linux only, and not among node's constants. libuv adds O_CLOEXEC to every open.
const O_PATH = 0o10000000;
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

export const descriptorGrasp: Grasp = {
  guarantee: 'descriptor-walk',
  directory: (address) => hold(address, O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY),
  anything: (address) => hold(address, O_PATH | constants.O_NOFOLLOW),
  // The address is a link of /proc to the held inode itself, so here the link must be followed.
  read: (grip) => open(toSystem(grip.address), READ),
  confirm: async () => {},
};

export const pathGrasp: Grasp = {
  guarantee: 'checked-path',
  async directory(address) {
    const stats = await lstat(toSystem(address), { bigint: true });
    if (!stats.isDirectory()) throw systemError('ENOTDIR');
    return remember(address, stats);
  },
  async anything(address) {
    return remember(address, await lstat(toSystem(address), { bigint: true }));
  },
  async read(grip) {
    const handle = await open(toSystem(grip.address), READ | constants.O_NOFOLLOW);
    try {
      if (!isSame(await handle.stat({ bigint: true }), await grip.stat())) throw systemError('ESTALE');
      await pathGrasp.confirm(grip);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  },
  async confirm(grip) {
    const path = toSystem(grip.address);
    const now = await lstat(path, { bigint: true });
    const real = await realpath(path, 'latin1');
    if (real !== grip.address || !isSame(now, await grip.stat())) throw systemError('ESTALE');
  },
};

/** True when /proc leads from a descriptor to its object; a container or another system may not offer that. */
export async function canHoldDescriptors(directory: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  try {
    const grip = await descriptorGrasp.directory(directory);
    try {
      const throughProc = lstatSync(toSystem(`${grip.address}/.`), { bigint: true });
      return isSame(throughProc, await grip.stat());
    } finally {
      grip.release();
    }
  } catch {
    return false;
  }
}

export function isSame(a: Identity, b: Identity): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}

export interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

const openAsync = promisify(openDescriptor);
const fstatAsync = promisify(fstat);

async function hold(address: string, flags: number): Promise<Grip> {
  const descriptor = await openAsync(toSystem(address), flags);
  let isHeld = true;
  return {
    address: `/proc/self/fd/${descriptor}`,
    descriptor,
    stat: () => fstatAsync(descriptor, { bigint: true }),
    // Nothing was read or written through it, so closing does not wait. Closing twice could close another file's descriptor.
    release() {
      if (isHeld) closeSync(descriptor);
      isHeld = false;
    },
  };
}

function remember(address: string, stats: BigIntStats): Grip {
  return { address, stat: async () => stats, release: () => {} };
}

export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
