import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { testHome } from '../../../test/support/test-home.ts';
import type { Blobs } from '../../storage/blobs.ts';
import { createLocalStorage } from '../../storage/local/local-storage.ts';
import { createUploads } from './uploads.ts';

async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

it('the uploads of one person leave the room of another as it is', async () => {
  const uploads = createUploads({ folder: testHome().path, now: Date.now, mostBytes: 10 });
  const keep = (person: string) => uploads.keep({ name: 'a.txt', content: pieces('1234', '5678'), person, most: 10 });
  const { id } = await keep('anna');
  await expect(keep('anna')).rejects.toMatchObject({ code: 'TOO_MANY_UPLOADS' });
  await keep('owner');
  expect((await uploads.read(id, 'anna', 8)).content.toString()).toBe('12345678');
});

it('all together have a limit too, also when they come at once', async () => {
  const folder = testHome().path;
  const uploads = createUploads({ folder, now: Date.now, mostBytes: 10, mostBytesOfAll: 20 });
  const people = ['anna', 'bo', 'cy', 'di'];
  const kept = await Promise.allSettled(
    people.map((person) => uploads.keep({ name: 'a.txt', content: pieces('1234', '5678'), person, most: 10 })),
  );
  expect(kept.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
});

it('of what is empty, too large or broken off nothing is kept', async () => {
  const folder = testHome().path;
  const uploads = createUploads({ folder, now: Date.now });
  const keep = (content: AsyncGenerator<Buffer>) => uploads.keep({ name: 'a.txt', content, person: 'anna', most: 8 });
  await expect(keep(pieces())).rejects.toMatchObject({ code: 'EMPTY_FILE' });
  const isRead = { last: false };
  await expect(
    keep(
      (async function* () {
        yield* pieces('1234', '56789');
        isRead.last = true;
        yield* pieces('0');
      })(),
    ),
  ).rejects.toMatchObject({ code: 'TOO_LARGE' });
  expect(isRead.last).toBe(false);
  const brokenOff = (async function* () {
    yield* pieces('1234');
    throw new Error('aborted');
  })();
  await expect(keep(brokenOff)).rejects.toThrow('aborted');
  expect(readdirSync(folder)).toEqual([]);
});

it('a file is read only within the bytes that are left for it', async () => {
  const uploads = createUploads({ folder: testHome().path, now: Date.now });
  const { id } = await uploads.keep({ name: 'a.txt', content: pieces('12345678'), person: 'anna', most: 10 });
  await expect(uploads.read(id, 'anna', 7)).rejects.toMatchObject({ code: 'FILES_TOO_LARGE' });
});

it('an upload that one machine received is read on another that shares the storage, by the same person alone', async () => {
  const stored = await createLocalStorage({ home: testHome().path, now: Date.now }).blobs();
  const blobs = { ...stored, isShared: true };
  const [one, two] = [testHome(), testHome()].map(({ path }) => createUploads({ folder: path, now: Date.now, blobs }));
  const content = (async function* () {
    yield Buffer.from('12345678');
  })();
  const kept = await one?.keep({ name: 'a.txt', content, person: 'anna', most: 100 });
  const read = (person: string, most: number) => two?.read(kept?.id ?? '', person, most);
  expect(await read('anna', 100)).toEqual({ name: 'a.txt', content: Buffer.from('12345678') });
  await expect(read('bo', 100)).rejects.toMatchObject({ code: 'UPLOAD_UNKNOWN' });
  await expect(read('anna', 7)).rejects.toMatchObject({ code: 'FILES_TOO_LARGE' });
});

describe('where other machines share the storage', () => {
  const DAY = 24 * 3_600_000;
  const keepIn = (blobs: Blobs, folder = testHome().path) =>
    createUploads({ folder, now: Date.now, blobs }).keep({
      name: 'a.txt',
      content: pieces('1234'),
      person: 'anna',
      most: 10,
    });

  /** With such uploads, by name: how old each is, and whether this machine has stored it. */
  async function sharedBlobs(old: Record<string, { age: number; isOwn: boolean }>) {
    const stored = await createLocalStorage({ home: testHome().path, now: Date.now }).blobs();
    const removed: string[] = [];
    const blobs: Blobs = {
      ...stored,
      isShared: true,
      list: async () =>
        Object.entries(old).map(([name, { age, isOwn }]) => ({ name, bytes: 1, storedAt: Date.now() - age, isOwn })),
      remove: async (_scope, name = '') => void removed.push(name),
    };
    return { blobs, removed };
  }

  it('uploads are removed after a day, those of a machine that is gone a day later', async () => {
    const { blobs, removed } = await sharedBlobs({
      own: { age: 1.1 * DAY, isOwn: true },
      ownNew: { age: 0.9 * DAY, isOwn: true },
      other: { age: 1.1 * DAY, isOwn: false },
      gone: { age: 2.1 * DAY, isOwn: false },
    });
    await keepIn(blobs);
    expect(removed).toEqual(['own', 'gone']);
  });

  it('one that cannot be removed now keeps no new one out', async () => {
    const { blobs } = await sharedBlobs({ own: { age: 2 * DAY, isOwn: true } });
    const remove = async () => Promise.reject(new Error('the bucket is away'));
    expect(await keepIn({ ...blobs, remove })).toMatchObject({ name: 'a.txt', bytes: 4 });
  });

  it('of one that cannot be stored for them nothing is kept here either', async () => {
    const { blobs } = await sharedBlobs({});
    const folder = testHome().path;
    const put = async () => Promise.reject(new Error('the database is away'));
    await expect(keepIn({ ...blobs, put }, folder)).rejects.toThrow('the database is away');
    expect(readdirSync(folder)).toEqual([]);
  });
});
