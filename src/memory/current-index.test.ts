import { expect, it } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { testMemory } from '../../test/support/test-memory.ts';

const NOTES = 4_000;

/** An archive whose index an earlier version made. */
async function upgraded() {
  const before = testMemory();
  const notes = Array.from({ length: NOTES }, (_, index) => ({ content: `Boiler number ${index} heats the hall.` }));
  for (let from = 0; from < NOTES; from += 1_000) await before.memory.saveAll(notes.slice(from, from + 1_000));
  const version = await before.archive.indexVersion();
  // The terms of the earlier version are the words as they are.
  await before.archive.rebuild(({ text }) => text.toLowerCase().match(/\w+/g) ?? [], { version: 'earlier' });
  const after = before.again();
  return { ...after, version, other: before };
}

it('a search after an upgrade is answered from the old index, and the new one is built meanwhile', async () => {
  const { memory, archive, locks, version } = await upgraded();
  const rebuilding = await locks.acquire('archive-rebuild');
  const found = await memory.search('boiler 1234');
  expect(found.results[0]?.text).toBe('Boiler number 1234 heats the hall.');
  expect(found.note).toContain('the index is being rebuilt after an upgrade');
  expect(await archive.indexVersion()).toBe('earlier');
  await memory.save({ content: 'The attic has a skylight.' });
  expect((await memory.recall({ question: 'what about the skylight in the attic?' }))?.text).toContain('skylight');
  await rebuilding.release();
  await eventually(async () => expect(await archive.indexVersion()).toBe(version));
  expect((await memory.search('skylight')).note).not.toContain('rebuilt');
  expect((await memory.search('boilers')).results).not.toEqual([]);
});

it('who waits for the new index sees how far it is, and a process that ends loses nothing of it', async () => {
  const { memory, archive, version, shared, again } = await upgraded();
  const stop = new AbortController();
  const seen: { done: number; total: number }[] = [];
  const onProgress = (progress: { done: number; total: number }): void => {
    seen.push(progress);
    if (progress.done >= 1_500) stop.abort(new Error('killed'));
  };
  await expect(memory.prepareIndex({ signal: stop.signal, onProgress })).rejects.toThrow('killed');
  expect(await archive.indexVersion()).toBe('earlier');
  shared.memory.close();
  const later = again();
  const rest: number[] = [];
  await later.memory.prepareIndex({ onProgress: ({ done }) => void rest.push(done) });
  expect(rest[0]).toBeGreaterThan(1_500);
  expect(rest.at(-1)).toBe(NOTES);
  expect(await archive.indexVersion()).toBe(version);
});

it('removing waits for the new index', async () => {
  const { memory, archive, version } = await upgraded();
  const [first] = await memory.list({ limit: 1 });
  await memory.forget(first?.id ?? '');
  expect(await archive.indexVersion()).toBe(version);
  expect((await memory.search('boiler 3999')).results.map(({ id }) => id)).not.toContain(first?.id);
});
