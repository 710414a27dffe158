import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { createFileIndex } from './file-index.ts';

function setUp(lists: string[][], { slowMs = 0 } = {}) {
  const time = { now: 0 };
  let listed = 0;
  const hold: { until?: Promise<void> } = {};
  const index = createFileIndex({
    async *listFiles() {
      const paths = lists[Math.min(listed, lists.length - 1)] ?? [];
      listed += 1;
      yield* paths.slice(0, 1);
      await hold.until;
      time.now += slowMs;
      yield* paths.slice(1);
    },
    signal: new AbortController().signal,
    now: () => time.now,
  });
  return { index, time, hold, listed: () => listed };
}

describe('the files that are offered', () => {
  it('are listed once, and again when somebody asks after a while', async () => {
    const { index, time, listed } = setUp([['a.ts'], ['a.ts', 'b.ts']]);
    expect(await index.find('', 9)).toEqual(['a.ts']);
    expect(await index.find('b', 9)).toEqual([]);
    expect(listed()).toBe(1);
    time.now += 10_000;
    expect(await index.find('b', 9)).toEqual(['b.ts']);
    expect(listed()).toBe(2);
  });

  it('of a large workspace are those of the list before, until the next is there', async () => {
    const { index, time, hold } = setUp([['a.ts'], ['x.ts', 'b.ts']], { slowMs: 5_000 });
    await index.find('', 9);
    time.now += 10_000;
    const go = Promise.withResolvers<void>();
    hold.until = go.promise;
    expect(await index.find('', 9)).toEqual(['a.ts']);
    go.resolve();
    await eventually(async () => expect(await index.find('b', 9)).toEqual(['b.ts']));
  });

  it('of the first list are waited for where none fits yet', async () => {
    const { index, hold } = setUp([['a.ts', 'b.ts']]);
    const go = Promise.withResolvers<void>();
    hold.until = go.promise;
    const found = index.find('b', 9);
    setTimeout(go.resolve, 1_500);
    expect(await found).toEqual(['b.ts']);
  });

  it('that are found so far are offered when the first list takes long', async () => {
    const { index, hold } = setUp([['a.ts', 'b.ts']]);
    const go = Promise.withResolvers<void>();
    hold.until = go.promise;
    expect(await index.find('', 9)).toEqual(['a.ts']);
    go.resolve();
    await eventually(async () => expect(await index.find('', 9)).toEqual(['a.ts', 'b.ts']));
  });
});
