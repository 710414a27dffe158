// Outputs that every gateway can read: each is a file of the machine that made it, as without a database, and is stored for the others as well.
import { constants, type FileHandle, mkdtemp, open, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { keptPath } from '../../kept-path.ts';
import type { Outputs } from '../../storage.ts';
import type { SharedBlobs } from './postgres-blobs.ts';

/** What is not of a session is of a machine: calls by hand, and what killed commands have left. */
const OF_MACHINE: ReadonlySet<string> = new Set(['cli', 'code', 'killed-commands']);
/** A larger file is not read into memory. */
const LARGEST_SHARED = 128 * 1024 * 1024;

export interface SharedOutputsOptions {
  local: Outputs;
  blobs(): Promise<SharedBlobs>;
  largestShared?: number;
}

export function createSharedOutputs({ local, blobs, largestShared = LARGEST_SHARED }: SharedOutputsOptions): Outputs {
  async function share(path: string): Promise<void> {
    const kept = keptPath(path);
    if (!kept || OF_MACHINE.has(kept.scope)) return;
    const stats = await stat(path).catch(() => undefined);
    if (!stats?.isFile()) return;
    const to = await blobs();
    if (stats.size > largestShared) await to.keepHere(kept.scope, kept.name, stats.size);
    else await to.put(kept.scope, kept.name, await readFile(path));
  }
  return {
    place: local.place,
    async keep(scope, name, text) {
      const path = await local.keep(scope, name, text);
      await share(path);
      return path;
    },
    async share(paths) {
      for (const path of new Set(paths)) await share(path);
    },
    async open(path, scope) {
      const here = await local.open(path, scope);
      const kept = keptPath(path);
      if (here || !kept || (scope !== undefined && kept.scope !== scope)) return here;
      const content = await (await blobs()).get(kept.scope, kept.name);
      return content && openBytes(content);
    },
    async remove(scope, name) {
      if (!OF_MACHINE.has(scope)) await (await blobs()).remove(scope, name === undefined ? undefined : basename(name));
      await local.remove(scope, name);
    },
    async redact(redaction, mode) {
      const [here, shared] = [await local.redact(redaction, mode), await (await blobs()).redact(redaction, mode)];
      const names = new Set(here.map(({ name }) => name));
      return [...here, ...shared.filter(({ name }) => !names.has(name))];
    },
  };
}

/** A file that is gone from its folder before anybody reads it: nothing of another machine stays here. */
async function openBytes(content: Buffer): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'lainclaw-file-'));
  try {
    const handle = await open(join(folder, 'content'), constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      // With a position: the reader begins at 0.
      for (let at = 0; at < content.length; )
        at += (await handle.write(content, at, content.length - at, at)).bytesWritten;
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
