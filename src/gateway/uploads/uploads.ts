// Files that were uploaded and wait for the turn they are for. They are private, are kept for a day, and belong to the person who uploaded
// them. Losing one is harmless: the person attaches it again.
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { imageType } from '../../lib/image-type.ts';
import { newId } from '../../lib/new-id.ts';
import { type Blobs, UPLOADS } from '../../storage/blobs.ts';
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
  /**
   * `person`: the id of the person who uploads. Holds a piece of the content in memory at a time. Rejects when the file is empty or
   * larger than `most`, and when too much of this person, or of everybody, is kept; nothing is kept then.
   */
  keep(file: { name: string; content: AsyncIterable<Buffer>; person: string; most: number }): Promise<Upload>;
  /**
   * Rejects with UPLOAD_UNKNOWN, also for a file of another person, and with FILES_TOO_LARGE when it has more than `most` bytes. It
   * stays: a question may be sent again.
   */
  read(id: string, person: string, most: number): Promise<{ name: string; content: Buffer }>;
}

const KEPT_MS = 24 * 3_600_000;
/** Another machine removes its own, unless it is gone for good. */
const KEPT_OF_OTHERS_MS = 2 * KEPT_MS;
/** No name of an upload ends so. */
const UNFINISHED = '.~';
const MOST_BYTES = 500 * 1024 * 1024;
const MOST_BYTES_OF_ALL = 2 * 1024 * 1024 * 1024;

export interface UploadsOptions {
  folder: string;
  /** Where other machines share the storage, uploads are stored there too: their turn may run on another one. */
  blobs?: Blobs;
  now(): number;
  /** Of one person. */
  mostBytes?: number;
  /** Of everybody together. */
  mostBytesOfAll?: number;
}

export function createUploads({
  folder,
  blobs,
  now,
  mostBytes = MOST_BYTES,
  mostBytesOfAll = MOST_BYTES_OF_ALL,
}: UploadsOptions): Uploads {
  const shared = blobs?.isShared ? blobs : undefined;
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
      else if (!name.endsWith(UNFINISHED)) {
        all += found.size;
        if (name.split('.')[1] === person) own += found.size;
      }
    }
    // The next upload tries again where the store does not answer now.
    for (const { name, storedAt, isOwn } of (await shared?.list(UPLOADS)) ?? [])
      if (now() - storedAt > (isOwn ? KEPT_MS : KEPT_OF_OTHERS_MS)) await shared?.remove(UPLOADS, name).catch(() => {});
    return { own, all };
  }

  /** An upload that another machine has received. */
  async function readElsewhere(prefix: string, most: number): Promise<{ name: string; content: Buffer } | undefined> {
    const found = (await shared?.list(UPLOADS))?.find(({ name }) => name.startsWith(prefix));
    if (!found) return undefined;
    if (found.bytes > most) throw filesTooLarge();
    const content = await shared?.get(UPLOADS, found.name);
    return content && { name: found.name.slice(prefix.length), content };
  }

  /** Gives a whole file its name, where there is room for it. */
  async function admit(part: string, path: string, { person, bytes }: { person: string; bytes: number }) {
    const { own, all } = await clean(person);
    if (own + bytes > mostBytes || all + bytes > mostBytesOfAll)
      throw new CodedError(
        'TOO_MANY_UPLOADS',
        'too many uploads are kept: each is removed after a day, try again then',
      );
    await rename(part, path);
  }

  return {
    async keep({ name, content, person, most }) {
      await ensureDirectory(folder);
      const id = newId('upload');
      const kept = safeName(name);
      const part = join(folder, `${id}.${person}${UNFINISHED}`);
      const whole = `${id}.${person}.${kept}`;
      try {
        const { bytes, type } = await receive(part, content, { name: kept, most });
        const admitted = last.then(() => admit(part, join(folder, whole), { person, bytes }));
        last = admitted.catch(() => {});
        await admitted;
        await shared?.put(UPLOADS, whole, await readFile(join(folder, whole)));
        return { id, name: kept, type, bytes };
      } catch (error) {
        for (const name of [part, join(folder, whole)]) await rm(name, { force: true });
        throw isFileError(error) ? storageError(folder, error) : error;
      }
    },
    async read(id, person, most) {
      const prefix = `${id}.${person}.`;
      const names = await readdir(folder).catch(() => []);
      const found = names.find((name) => name.startsWith(prefix));
      if (!/^upload-\w+$/.test(id)) throw unknown(id);
      if (found === undefined) {
        const elsewhere = await readElsewhere(prefix, most);
        if (elsewhere) return elsewhere;
        throw unknown(id);
      }
      const path = join(folder, found);
      if ((await stat(path)).size > most) throw filesTooLarge();
      return { name: found.slice(prefix.length), content: await readFile(path) };
    },
  };
}

export function filesTooLarge(): CodedError {
  return new CodedError('FILES_TOO_LARGE', 'the files are too large together: send them in several messages');
}

async function receive(
  path: string,
  content: AsyncIterable<Buffer>,
  { name, most }: { name: string; most: number },
): Promise<{ bytes: number; type: string }> {
  const file = await open(path, 'wx', 0o600);
  let bytes = 0;
  let type: string | undefined;
  try {
    for await (const piece of content) {
      if (bytes === 0) type = imageType(piece);
      bytes += piece.length;
      if (bytes > most) throw new CodedError('TOO_LARGE', `${name} has more than ${most / 1024 ** 2} MB`);
      await file.writeFile(piece);
    }
  } finally {
    await file.close();
  }
  if (bytes === 0) throw new CodedError('EMPTY_FILE', `${name} is empty: nothing was uploaded`);
  return { bytes, type: type ?? 'application/octet-stream' };
}

/** Of the file system: a full disk, for example. */
function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function unknown(id: string): CodedError {
  return new CodedError(
    'UPLOAD_UNKNOWN',
    `the upload "${id}" is not known: it may be older than a day; upload it again`,
  );
}
