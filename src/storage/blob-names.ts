import type { StoredBlob } from './blobs.ts';
import { StorageError } from './storage.ts';

/** Throws for a name that could lead out of the folder of its scope: it may come from a transcript or another machine. */
export function checkBlobName(scope: string, name: string): void {
  const parts = [scope, ...name.split('/')];
  const isPlain = parts.every((part) => part !== '' && !part.startsWith('.') && !/[\\\0]/.test(part));
  if (!isPlain || scope.includes('/'))
    throw new StorageError('STORAGE_FAILED', `"${scope}/${name}" is not the name of a kept file`);
}

export function inNameOrder(blobs: readonly StoredBlob[]): StoredBlob[] {
  return blobs.toSorted((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}
