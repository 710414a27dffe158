import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { testHome } from '../../../test/support/test-home.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { createCommandRecords, type RecordedCommand } from './command-records.ts';
import { createPlantWatcher } from './watch-plants.ts';

const file = (text: string) => ({ bytes: Buffer.from(text), mode: 0o644 });

/** A command in the background that was started without content from outside. */
async function setUp() {
  const { workspace: root, base } = testHome();
  const onRecord = new Set<RecordedCommand>();
  const watch = createPlantWatcher('', {
    async begin(command) {
      onRecord.add({ ...command, executed: command.executed && new Map(command.executed) });
      const [mine] = [...onRecord].slice(-1);
      return { stopClock() {}, remove: async () => void (mine && onRecord.delete(mine)) };
    },
  });
  const plants = await watch({
    workspace: { root } as Workspace,
    signal: new AbortController().signal,
    now: Date.now,
    keptPath: async (name) => join(await mkdtemp(join(base, 'kept-')), name),
  });
  await plants.begin();
  const at = (path: string): string => join(root, path);
  const write = (path: string, text: string): void => writeFileSync(at(path), text, { mode: 0o644 });
  const read = (path: string): string | undefined =>
    existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined;
  return { plants, onRecord, at, write, read };
}

it('what it left before it was guarded stays, and what it leaves from then on is put back', async () => {
  const { plants, onRecord, write, read } = await setUp();
  write('Makefile', 'all:\n');
  expect(await plants.putBack()).toEqual([]);
  await plants.guard(['mcp:x']);
  expect([...onRecord].map(({ executed }) => executed?.has('Makefile'))).toEqual([true]);
  write('Makefile', 'evil\n');
  write('package.json', 'evil\n');
  write('notes.txt', 'ordinary\n');
  expect((await plants.putBack()).join('\n')).toMatch(/Makefile was put back[\s\S]*package\.json was taken away/);
  expect([read('Makefile'), read('package.json'), read('notes.txt')]).toEqual(['all:\n', undefined, 'ordinary\n']);
  expect(await plants.finish()).toEqual([]);
  expect(onRecord.size).toBe(0);
});

it('what others write meanwhile is theirs, and nothing else in its place', async () => {
  const { plants, onRecord, at, write, read } = await setUp();
  write('Makefile', 'all:\n');
  await plants.guard(['mcp:x']);
  await plants.accept(at('Makefile'), file('mine:\n'));
  // Before it is written, and after.
  expect(await plants.putBack()).toEqual([]);
  write('Makefile', 'mine:\n');
  expect(await plants.putBack()).toEqual([]);
  write('Makefile', 'evil\n');
  expect(await plants.putBack()).not.toEqual([]);
  expect(read('Makefile')).toBe('mine:\n');
  const [recorded] = onRecord;
  expect([onRecord.size, recorded?.executed?.get('Makefile')]).toMatchObject([1, { bytes: Buffer.from('mine:\n') }]);
});

it('what a person approved for another command stays as that command has left it', async () => {
  const { plants, at, write, read } = await setUp();
  await plants.guard(['mcp:x']);
  const end = plants.approve([at('package.json')]);
  write('package.json', '{}\n');
  expect(await plants.putBack()).toEqual([]);
  await end();
  expect(await plants.putBack()).toEqual([]);
  write('package.json', 'evil\n');
  expect(await plants.putBack()).not.toEqual([]);
  expect(read('package.json')).toBe('{}\n');
});

it('is on record no more once it has ended, also when it is guarded at that moment', async () => {
  const { plants, onRecord } = await setUp();
  await Promise.all([plants.finish(), plants.guard(['mcp:x'])]);
  expect(onRecord.size).toBe(0);
});

it('its record says when it ended, while what it left is not put back yet', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { workspace: root, base } = testHome();
  const directory = join(base, 'commands');
  const kept = Promise.withResolvers<string>();
  const watch = createPlantWatcher(
    '',
    createCommandRecords(directory, (prefix) => prefix),
  );
  const plants = await watch({
    workspace: { root } as Workspace,
    signal: new AbortController().signal,
    now: Date.now,
    keptPath: () => kept.promise,
    tainted: { sources: ['mcp:x'] },
  });
  await plants.begin();
  const [name = ''] = readdirSync(directory);
  const path = join(directory, name);
  const setTime = (): void => utimesSync(path, 1, 1);
  setTime();
  vi.advanceTimersByTime(1_000);
  await eventually(() => expect(statSync(path).mtimeMs).toBeGreaterThan(1_000));
  writeFileSync(join(root, 'package.json'), 'evil\n');
  const finishing = plants.finish();
  setTime();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(5_000);
  expect(statSync(path).mtimeMs).toBe(1_000);
  kept.reject(new Error('no space left on device'));
  expect(await finishing).toContainEqual(expect.stringContaining('could not be put back'));
});
