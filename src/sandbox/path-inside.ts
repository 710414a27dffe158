import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** `/a/b` and `/a` are inside `/a`; `/ab` is not. Both absolute and normalised. */
export function isInside(parent: string, path: string): boolean {
  return path === parent || path.startsWith(parent === '/' ? '/' : `${parent}/`);
}

/** Without links; undefined when there is nothing, or nothing that may be looked at. */
export function realPath(path: string): string | undefined {
  try {
    // Most paths asked for do not exist, and an exception costs more than a look.
    return lstatSync(path, { throwIfNoEntry: false }) && realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Without links as far as it exists; what does not exist yet is added as it is written. */
export function realPathSoFar(path: string): string {
  const real = realPath(path);
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(realPathSoFar(dirname(path)), basename(path));
}
