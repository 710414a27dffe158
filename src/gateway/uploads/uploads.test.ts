import { expect, it } from 'vitest';
import { testHome } from '../../../test/support/test-home.ts';
import { createUploads } from './uploads.ts';

it('the uploads of one person leave the room of another as it is', async () => {
  const uploads = createUploads({ folder: testHome().path, now: Date.now, mostBytes: 10 });
  const keep = (person: string) => uploads.keep({ name: 'a.txt', content: Buffer.from('12345678'), person });
  const { id } = await keep('anna');
  await expect(keep('anna')).rejects.toMatchObject({ code: 'TOO_MANY_UPLOADS' });
  await keep('owner');
  expect((await uploads.read(id, 'anna')).content.toString()).toBe('12345678');
});

it('all together have a limit too, also when they come at once', async () => {
  const folder = testHome().path;
  const uploads = createUploads({ folder, now: Date.now, mostBytes: 10, mostBytesOfAll: 20 });
  const people = ['anna', 'bo', 'cy', 'di'];
  const kept = await Promise.allSettled(
    people.map((person) => uploads.keep({ name: 'a.txt', content: Buffer.from('12345678'), person })),
  );
  expect(kept.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
});
