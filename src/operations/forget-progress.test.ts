import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { testOperations } from '../../test/support/test-operations.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';

it.each([
  ['memory.forget', { id: 'mem' }],
  ['memory.forgetSource', { source: 'manual' }],
  ['memory.forgetEverywhere', { text: 'the boiler' }],
])('%s says how far the new index is after an upgrade', async (name, input) => {
  const { checked, runtime, folder } = await testOperations();
  const memory = (await runtime.memory()).as(OWNER);
  const { id } = await memory.save({ content: 'The boiler heats the hall.' });
  const database = new DatabaseSync(join(folder, 'home', 'lainclaw.db'));
  database.exec("UPDATE archive_state SET version = 'earlier'");
  database.close();
  const seen: { done: number; total: number }[] = [];
  await checked(name, name === 'memory.forget' ? { id } : input, {
    onProgress: (progress) => void seen.push(progress),
  });
  expect(seen.at(-1)).toEqual({ done: 1, total: 1 });
  expect(await memory.list()).toEqual([]);
});
