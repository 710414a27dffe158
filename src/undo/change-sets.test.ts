import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testHome } from '../../test/support/test-home.ts';
import { createLocks } from '../storage/local/locks.ts';
import { createOwnerFiles } from '../storage/local/owner-files.ts';
import { createLocalUndoRecords } from '../storage/local/undo/local-undo-records.ts';
import { createChangeSets } from './change-sets.ts';
import type { FileAccess } from './restore.ts';
import { createUnfinishedUndos } from './unfinished-undos.ts';

test('a set that was put back is not made later, also when putting it back cannot be recorded', async () => {
  const home = testHome();
  const locks = createLocks(join(home.path, 'locks'));
  const records = createLocalUndoRecords({ home: home.path, locks, now: () => 1_000_000 });
  const unfinished = createUnfinishedUndos(createOwnerFiles(home.path, locks));
  const contents = new Map([
    ['a.txt', 'a1'],
    ['b.txt', 'b1'],
  ]);
  // A write of b.txt fails; the smaller a.txt can be put back, and the record of that cannot be written.
  let isFull = true;
  let additions = 0;
  const access: FileAccess = {
    async read(path) {
      const text = contents.get(path) ?? '';
      return { bytes: Buffer.from(text), mode: 0o644, fingerprint: text };
    },
    async write(path, { bytes }) {
      if (isFull && path === 'b.txt') throw new Error('the disk is full');
      contents.set(path, bytes.toString());
    },
    async remove() {},
    async removeTemporary() {},
    async removeEmptyDirectory() {},
  };
  const warnings: string[] = [];
  const changeSets = createChangeSets({
    locks,
    unfinished,
    records: {
      ...records,
      async add(...given) {
        additions += 1;
        if (isFull && additions === 2) throw new Error('no room for the record');
        return records.add(...given);
      },
    },
    openFiles: async () => access,
    newId: (prefix) => `${prefix}-1`,
    warn: (text) => warnings.push(text),
  });
  const files = await Promise.all(
    ['a', 'b'].map(async (name) => ({
      path: `${name}.txt`,
      current: await access.read(`${name}.txt`),
      target: { bytes: Buffer.from(`${name}2`), mode: 0o644 },
      action: 'restored' as const,
    })),
  );
  const scope = { sessionId: 's', turnId: 't', root: home.workspace };
  const changeSet = { tool: 'apply_patch', files, madeDirectories: [], access };

  await expect(changeSets.apply(scope, changeSet)).rejects.toThrow('no room for the record');
  expect(await unfinished.changeSets()).toEqual([]);
  isFull = false;
  await changeSets.finishInterrupted();
  expect([...contents.values()]).toEqual(['a1', 'b1']);
  expect(warnings).toEqual([]);
});
