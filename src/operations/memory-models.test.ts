import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testOperations } from '../../test/support/test-operations.ts';
import { writeTinyModel } from '../../test/support/tiny-model.ts';

it('the operations on embedding models answer what their output schemas say', async () => {
  const files: string[] = [];
  const { checked, folder } = await testOperations({ onFile: ({ path }) => void files.push(path) });
  mkdirSync(join(folder, 'tiny'));
  writeTinyModel(join(folder, 'tiny'));
  for (const [name, input, output] of [
    ['memory-models.add', { source: join(folder, 'tiny') }, { name: 'tiny' }],
    ['memory-models.recommended', {}, [{ language: 'en' }, { language: 'zh' }, { language: 'ru' }, {}]],
    ['memory-models.list', {}, { use: null, models: [{ name: 'tiny', ok: true, inUse: false }] }],
    ['memory-models.use', { name: 'tiny', later: true }, { use: 'tiny' }],
    ['memory-models.use', { name: 'none' }, { use: 'none' }],
    ['memory-models.remove', { name: 'tiny' }, { removed: 'tiny' }],
  ] as const)
    expect([name, await checked(name, input)]).toMatchObject([name, { output, problem: undefined }]);
  expect(files).not.toEqual([]);
});
