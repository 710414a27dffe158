import { expect, it } from 'vitest';
import { memoryOwnerFiles } from '../../../test/support/memory-owner-files.ts';
import { createSearchKeys } from './search-keys.ts';

it('a key is kept beside those of other services, and replaced', async () => {
  const keys = createSearchKeys(memoryOwnerFiles());
  expect(await keys.read('brave')).toBeUndefined();
  await keys.store('brave', 'one');
  await keys.store('exa', 'two');
  await keys.store('brave', 'three');
  expect([await keys.read('brave'), await keys.read('exa')]).toEqual(['three', 'two']);
  expect(await keys.read('toString')).toBeUndefined();
});

it.each([
  '',
  '[]',
  '{"version":1,"keys":[]}',
  '{"keys":{"brave":"secret-key"}}',
  '{"version":1,"keys":{"brave":"secret-key"',
])('a damaged file is neither used nor overwritten: %s', async (text) => {
  const files = memoryOwnerFiles();
  await files.update('web-search.json', () => text);
  const keys = createSearchKeys(files);
  for (const attempt of [keys.read('brave'), keys.store('brave', 'new')]) {
    const error = await attempt.then(
      () => undefined,
      (failure: Error) => failure,
    );
    expect(error).toMatchObject({ code: 'SEARCH_KEYS_DAMAGED' });
    expect(error?.message).not.toContain('secret-key');
  }
  expect(await files.read('web-search.json')).toBe(text);
});
