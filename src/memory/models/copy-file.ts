// Writes a stream into a new private file and computes its size and checksum; resolves once it is on disk.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ensureDirectory } from '../../storage/private-files.ts';
import { type CopiedFile, notAsAnnounced, tooLarge } from './model-files.ts';

export interface CopyOptions {
  directory: string;
  path: string;
  limit: number;
  /** Names the source in the error for a file that is too large. */
  from: string;
  signal?: AbortSignal;
  /** What the checksum must be, where it is known. */
  sha256?: string;
}

export async function copyStream(stream: AsyncIterable<Uint8Array>, options: CopyOptions): Promise<CopiedFile> {
  const { directory, path, limit, from, signal, sha256: wanted } = options;
  const target = join(directory, path);
  await ensureDirectory(dirname(target));
  const handle = await open(target, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
  const sum = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      signal?.throwIfAborted();
      bytes += chunk.length;
      if (bytes > limit) throw tooLarge(from);
      sum.update(chunk);
      for (let at = 0; at < chunk.length; ) at += (await handle.write(chunk, at)).bytesWritten;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  const sha256 = sum.digest('hex');
  if (wanted !== undefined && wanted !== sha256) throw notAsAnnounced(from);
  return { path, bytes, sha256 };
}
