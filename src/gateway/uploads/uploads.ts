// Files that were uploaded and wait for the turn they are for. They are private, are kept for a day, and belong to whoever uploaded
// them. Losing one is harmless: the person attaches it again.
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageType } from '../../lib/image-type.ts';
import { newId } from '../../lib/new-id.ts';
import { ensureDirectory, storageError } from '../../storage/private-files.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import { safeName } from '../chats/keep-file.ts';

export interface Upload {
  id: string;
  name: string;
  type: string;
  bytes: number;
}

export interface Uploads {
  /** `person`: the id of the person who uploads. Rejects when too much of theirs, or of everybody's, is kept. */
  keep(file: { name: string; content: Buffer; person: string }): Promise<Upload>;
  /** Rejects with UPLOAD_UNKNOWN, also for a file of another person. It stays: a question may be sent again. */
  read(id: string, person: string): Promise<{ name: string; content: Buffer }>;
}

const KEPT_MS = 24 * 3_600_000;
const MOST_BYTES = 500 * 1024 * 1024;
const MOST_BYTES_OF_ALL = 2 * 1024 * 1024 * 1024;

export interface UploadsOptions {
  folder: string;
  now(): number;
  /** Of one person. */
  mostBytes?: number;
  /** Of everybody together. */
  mostBytesOfAll?: number;
}

export function createUploads({
  folder,
  now,
  mostBytes = MOST_BYTES,
  mostBytesOfAll = MOST_BYTES_OF_ALL,
}: UploadsOptions): Uploads {
  // One after the other: two that come together must not both take the last room.
  let last: Promise<unknown> = Promise.resolve();

  /** Removes what is old; returns how much is left, of this person and of all. */
  async function clean(person: string): Promise<{ own: number; all: number }> {
    let own = 0;
    let all = 0;
    for (const name of await readdir(folder)) {
      const found = await stat(join(folder, name)).catch(() => undefined);
      if (!found) continue;
      if (now() - found.mtimeMs > KEPT_MS) await rm(join(folder, name), { force: true });
      else {
        all += found.size;
        if (name.split('.')[1] === person) own += found.size;
      }
    }
    return { own, all };
  }

  async function store({ name, content, person }: { name: string; content: Buffer; person: string }): Promise<Upload> {
    await ensureDirectory(folder);
    const { own, all } = await clean(person);
    if (own + content.length > mostBytes || all + content.length > mostBytesOfAll)
      throw new CodedError(
        'TOO_MANY_UPLOADS',
        'too many uploads are kept: each is removed after a day, try again then',
      );
    const id = newId('upload');
    const kept = safeName(name);
    try {
      await writeFile(join(folder, `${id}.${person}.${kept}`), content, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      throw storageError(folder, error);
    }
    return { id, name: kept, type: imageType(content) ?? 'application/octet-stream', bytes: content.length };
  }

  return {
    keep(file) {
      const kept = last.then(() => store(file));
      last = kept.catch(() => {});
      return kept;
    },
    async read(id, person) {
      const prefix = `${id}.${person}.`;
      const names = await readdir(folder).catch(() => []);
      const found = names.find((name) => name.startsWith(prefix));
      if (!/^upload-\w+$/.test(id) || found === undefined)
        throw new CodedError(
          'UPLOAD_UNKNOWN',
          `there is no upload "${id}": it may be older than a day; upload it again`,
        );
      return { name: found.slice(prefix.length), content: await readFile(join(folder, found)) };
    },
  };
}
