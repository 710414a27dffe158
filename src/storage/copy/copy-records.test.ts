import { expect, it } from 'vitest';
import { copiedRecords } from './copied-kind.ts';
import { copyRecords } from './copy-records.ts';
import type { CopiedRecord, RecordSet } from './record-set.ts';

/** Records in memory. `counted`: what it says before it has looked at each. */
function recordSet(keys: readonly string[], counted = keys.length): RecordSet {
  const stored = new Map<string, CopiedRecord>(keys.map((key) => [key, { key, fields: { text: key } }]));
  return {
    kind: 'notes',
    count: async () => counted,
    async *pages() {
      for (const record of stored.values()) yield [record];
    },
    find: async (records) =>
      new Map(
        records.flatMap(({ key }) => {
          const there = stored.get(key);
          return there ? [[key, [there]]] : [];
        }),
      ),
    async add(records) {
      for (const record of records) stored.set(record.key, record);
    },
  };
}

it('the steps that are left are true where fewer records were found than counted', async () => {
  const seen: { done: number; total: number }[] = [];
  const kinds = [copiedRecords(recordSet(['a', 'b'], 40), recordSet(['a']))];
  const signal = new AbortController().signal;
  const [notes] = await copyRecords(kinds, { signal, onProgress: (progress) => seen.push(progress) });
  expect(notes).toMatchObject({ records: 2, copied: 1 });
  expect(seen.map(({ done }) => done)).toEqual([1, 2, 3, 4, 5, 6]);
  // Each of the two is compared, copied and verified.
  expect(seen.slice(2).map(({ total }) => total)).toEqual([6, 6, 6, 6]);
});
