// A model in a folder of this machine. Links are followed: download caches are full of them, and the owner chose the folder.
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { copyStream } from './copy-file.ts';
import type { ModelSource } from './model-files.ts';

export function folderSource(
  folder: string,
  directory: string,
  { from = folder, name = basename(folder), isRemote = false } = {},
): ModelSource {
  return {
    from,
    name,
    isRemote,
    async take(path, limit, signal) {
      const source = join(folder, path);
      const isFile = await stat(source).then(
        (stats) => stats.isFile(),
        () => false,
      );
      if (!isFile) return undefined;
      const handle = await open(source, constants.O_RDONLY | constants.O_NONBLOCK);
      // The stream closes the handle.
      const stream = handle.createReadStream({ highWaterMark: 1 << 20 }) as AsyncIterable<Uint8Array>;
      return copyStream(stream, { directory, path, limit, from: source, signal });
    },
  };
}
