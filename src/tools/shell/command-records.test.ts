import fs, { readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testHome } from '../../../test/support/test-home.ts';
import { createCommandRecords, type RecordedCommand } from './command-records.ts';

const command = (root: string): RecordedCommand => ({
  root,
  repositories: {
    states: new Map(),
    repositories: new Set(),
    named: { hookDirectories: new Set(), settings: new Set(), programs: new Set() },
  },
  executed: undefined,
  approved: [],
});

it('a command whose record could not be made durable is not on record', async () => {
  const { workspace: root, base } = testHome();
  const directory = join(base, 'commands');
  const records = createCommandRecords(directory, (prefix) => prefix);
  await (await records.begin(command(root))).remove();
  const { fsync } = fs;
  // The disk takes the file, and fails when its name is to be kept.
  vi.spyOn(fs, 'fsync')
    .mockImplementationOnce(fsync)
    .mockImplementationOnce((_file, done) => done(Object.assign(new Error('input/output error'), { code: 'EIO' })));
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  await expect(records.begin(command(root))).rejects.toThrow('input/output error');
  expect(readdirSync(directory)).toEqual([]);
});
