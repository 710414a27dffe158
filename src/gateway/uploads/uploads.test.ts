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
