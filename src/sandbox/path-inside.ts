import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** `/a/b` and `/a` are inside `/a`; `/ab` is not. Both absolute and normalised. */
export function isInside(parent: string, path: string): boolean {
  return path === parent || path.startsWith(parent === '/' ? '/' : `${parent}/`);
}

/**
 * True where protecting a path covers the lease of a sandbox (`placeholders.ts`): it lies at or below the path, or in the placeholder of a
 * directory that the path needs and that is missing. Nothing else has a lease, and the root of a workspace is not a placeholder.
 */
export function coversLease(protectedPath: string, lease: string, root: string): boolean {
  const placeholder = dirname(lease);
  return isInside(protectedPath, lease) || (placeholder !== root && isInside(placeholder, protectedPath));
}

/** The path without links; undefined when it does not exist or may not be read. */
export function realPath(path: string): string | undefined {
  try {
    // Most paths asked for do not exist, and an exception costs more than a look.
    return lstatSync(path, { throwIfNoEntry: false }) && realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** The path without links as far as it exists; the missing rest is appended unchanged. */
export function realPathSoFar(path: string): string {
  const real = realPath(path);
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(realPathSoFar(dirname(path)), basename(path));
}
