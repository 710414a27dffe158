import { expect, test } from 'vitest';
import type { Runtime } from '../runtime/runtime.ts';
import { extractLater } from './extract-later.ts';

test('a finished turn does not fail because facts cannot be looked at', async () => {
  const reasons: string[] = [];
  const runtime = {
    config: {},
    factExtraction: async () => ({
      async isDue() {
        throw new Error('database is locked');
      },
    }),
  };
  await extractLater(runtime as unknown as Runtime, (reason) => reasons.push(reason));
  expect(reasons).toEqual(['database is locked']);
});
