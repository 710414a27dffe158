import { expect, it } from 'vitest';
import { memoryOwnerFiles } from '../../test/support/memory-owner-files.ts';
import { createTrust } from './trust-file.ts';

const now = (): number => Date.UTC(2026, 11, 1);

it('is a file that a person can read', async () => {
  const files = memoryOwnerFiles();
  await createTrust({ files, now }).add('/work');
  expect(JSON.parse(files.texts.get('trust.json') ?? '')).toEqual({
    version: 1,
    folders: [{ folder: '/work', grantedAt: '2026-12-01T00:00:00.000Z' }],
  });
});

it.each([
  ['damaged', '{"version":1,', 'STORAGE_FAILED'],
  ['without a version', '{"folders":[]}', 'STORAGE_FAILED'],
  ['not an object', 'null', 'STORAGE_FAILED'],
  ['with an entry that is not a folder', '{"version":1,"folders":[{"folder":3}]}', 'STORAGE_FAILED'],
  ['of a newer version', '{"version":2,"folders":{}}', 'STORAGE_NEWER_VERSION'],
])('a file that is %s trusts nothing and is left as it is', async (_, text, code) => {
  const files = memoryOwnerFiles({ 'trust.json': text });
  const trust = createTrust({ files, now });
  for (const use of [() => trust.list(), () => trust.add('/work'), () => trust.remove('/work')])
    await expect(use()).rejects.toMatchObject({ code, message: expect.stringContaining('trust.json') });
  expect(files.texts.get('trust.json')).toBe(text);
});
