// The workspace on this machine's disk: a path is walked (walk.ts), the object at its end is held (grip.ts), and only then
// opened, so the object that was checked is the one that is read. Changes (write.ts, remove.ts, make-directory.ts) happen
// in the directory that the walk holds (place.ts).
import { realpathSync, statSync } from 'node:fs';
import { toSystem, toText } from './byte-path.ts';
import { canHoldDescriptors, descriptorGrasp, pathGrasp } from './grip.ts';
import { hold } from './hold.ts';
import { listDirectory } from './list.ts';
import { makeDirectory } from './make-directory.ts';
import { locate } from './place.ts';
import { checkSpelling, explain, isDirectory, isProtected, notDirectory, notRegular } from './refusal.ts';
import { remove } from './remove.ts';
import { fingerprintOf, permissionsOf } from './stats.ts';
import type { Ground } from './trail.ts';
import { walk } from './walk.ts';
import type { ProtectedPaths, Workspace } from './workspace.ts';
import { writeFile } from './write.ts';

export interface WorkspaceOptions {
  /** An existing directory. Its real path is taken once: a link changed later does not move the workspace. */
  root: string;
  /** Use the weaker guarantee even where the stronger one works. */
  guarantee?: 'checked-path';
  /** Paths that may be read but never changed; none by default. */
  protectedPaths?: ProtectedPaths;
}

export async function createWorkspace({ root, guarantee, protectedPaths }: WorkspaceOptions): Promise<Workspace> {
  checkSpelling(root);
  const ground = await takeGround(root, guarantee).catch((error) => {
    throw explain(error, root, 'directory');
  });
  const absolute = toText(ground.path);

  function admit(bytePath: string): void {
    const path = toText(bytePath);
    const reason = protectedPaths?.(path, absolute === '/' ? `/${path}` : `${absolute}/${path}`);
    if (reason !== undefined) throw isProtected(path, reason);
  }

  return {
    root: absolute,
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
          return {
            handle,
            path: toText(found.path),
            size: Number(stats.size),
            mode: permissionsOf(stats),
            changedAt: Number(stats.ctimeMs),
            fingerprint: fingerprintOf(stats),
          };
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

    async hold(path, signal) {
      checkSpelling(path);
      return hold(ground, path, signal);
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

    async locate(path, signal) {
      checkSpelling(path);
      const found = await locate(ground, { path, wanted: 'file', signal, admit });
      return { path: toText(found.path) || '.', exists: found.exists };
    },

    async writeFile(path, bytes, options) {
      checkSpelling(path);
      return writeFile(ground, { ...options, path, bytes, admit });
    },

    async makeDirectory(path, signal) {
      checkSpelling(path);
      return makeDirectory(ground, { path, admit, signal });
    },

    async remove(path, options) {
      checkSpelling(path);
      return remove(ground, { ...options, path, admit });
    },
  };
}

async function takeGround(root: string, guarantee?: 'checked-path'): Promise<Ground> {
  const path = realpathSync.native(root, 'latin1');
  const stats = statSync(toSystem(path), { bigint: true });
  if (!stats.isDirectory()) throw notDirectory(root);
  const grasp = guarantee !== 'checked-path' && (await canHoldDescriptors(path)) ? descriptorGrasp : pathGrasp;
  return { path, dev: stats.dev, ino: stats.ino, grasp };
}
