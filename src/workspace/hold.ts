import { closeSync, constants, openSync } from 'node:fs';
import { toSystem, toText } from './byte-path.ts';
import { explain, notRegular } from './refusal.ts';
import type { Ground } from './trail.ts';
import { walk } from './walk.ts';
import type { HeldPath } from './workspace.ts';

/** Returns the walk's last grip. Where grips are only paths, opens the path and confirms that it is the same object. */
export async function hold(ground: Ground, path: string, signal?: AbortSignal): Promise<HeldPath> {
  const { grip, stats, path: found } = await walk(ground, { path, wanted: 'file', signal });
  try {
    if (!stats.isFile() && !stats.isDirectory()) throw notRegular(path);
    const facts = { kind: stats.isFile() ? 'file' : 'directory', path: toText(found) || '.' } as const;
    if (grip.descriptor !== undefined) return { ...facts, fd: grip.descriptor, release: grip.release };
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const fd = openSync(toSystem(grip.address), flags);
    try {
      await ground.grasp.confirm(grip);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    return { ...facts, fd, release: () => closeSync(fd) };
  } catch (error) {
    grip.release();
    throw explain(error, path, 'file');
  }
}
