// The workspace on this machine's disk: paths are walked (walk.ts), what they end at is held (grip.ts), and only
// then opened, so what was checked is what is read.
import type { BigIntStats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { toSystem, toText } from './byte-path.ts';
import { canHoldDescriptors, descriptorGrasp, pathGrasp } from './grip.ts';
import { listDirectory } from './list.ts';
import { checkSpelling, explain, isDirectory, notDirectory, notRegular } from './refusal.ts';
import type { Ground } from './trail.ts';
import { walk } from './walk.ts';
import type { Workspace } from './workspace.ts';

export interface WorkspaceOptions {
  /** An existing directory. Its real path is taken once: a link changed later does not move the workspace. */
  root: string;
  /** Take the weaker way even where the stronger one works. */
  guarantee?: 'checked-path';
}

export async function createWorkspace({ root, guarantee }: WorkspaceOptions): Promise<Workspace> {
  checkSpelling(root);
  const ground = await takeGround(root, guarantee).catch((error) => {
    throw explain(error, root, 'directory');
  });

  return {
    root: toText(ground.path),
    guarantee: ground.grasp.guarantee,

    async openFile(path, signal) {
      checkSpelling(path);
      const found = await walk(ground, { path, wanted: 'file', signal });
      try {
        if (found.stats.isDirectory()) throw isDirectory(path);
        if (!found.stats.isFile()) throw notRegular(path);
        const handle = await ground.grasp.read(found.grip);
        try {
          const stats = await handle.stat({ bigint: true });
          if (!stats.isFile()) throw notRegular(path);
          return { handle, path: toText(found.path), size: Number(stats.size), fingerprint: fingerprintOf(stats) };
        } catch (error) {
          await handle.close();
          throw error;
        }
      } catch (error) {
        throw explain(error, path, 'file');
      } finally {
        found.grip.release();
      }
    },

    async list(path, options) {
      checkSpelling(path);
      const found = await walk(ground, { path, wanted: 'directory', signal: options.signal });
      try {
        if (!found.stats.isDirectory()) throw notDirectory(path);
        return { path: toText(found.path) || '.', ...(await listDirectory(ground.grasp, found.grip, options)) };
      } catch (error) {
        throw options.signal?.aborted ? error : explain(error, path, 'directory');
      } finally {
        found.grip.release();
      }
    },
  };
}

async function takeGround(root: string, guarantee?: 'checked-path'): Promise<Ground> {
  const path = await realpath(root, 'latin1');
  const stats = await stat(toSystem(path), { bigint: true });
  if (!stats.isDirectory()) throw notDirectory(root);
  const grasp = guarantee !== 'checked-path' && (await canHoldDescriptors(path)) ? descriptorGrasp : pathGrasp;
  return { path, dev: stats.dev, ino: stats.ino, grasp };
}

function fingerprintOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join('-');
}
