import type { BigIntStats } from 'node:fs';

/** Changes whenever the file's identity, size, mtime or ctime does. */
export function fingerprintOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join('-');
}

/** Without the set-user-id, set-group-id and sticky bits. */
export function permissionsOf({ mode }: BigIntStats): number {
  return Number(mode & 0o777n);
}
