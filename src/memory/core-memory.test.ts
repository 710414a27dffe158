import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryHome } from '../../test/support/test-memory.ts';
import { createLocks } from '../storage/local/locks.ts';
import { createOwnerFiles } from '../storage/local/owner-files.ts';
import { OWNER, readerWithin } from '../vocabulary/memory-scope.ts';
import { type CoreMemory, createCoreMemory, renderCoreMemory, type SharedCoreMemory } from './core-memory.ts';

function core(home = temporaryHome()): {
  home: string;
  memory: CoreMemory;
  again(): CoreMemory;
  shared: SharedCoreMemory;
} {
  const share = (): SharedCoreMemory => {
    const locks = createLocks(join(home, 'locks'));
    return createCoreMemory({ files: createOwnerFiles(home, locks), locks, now: () => Date.parse('2026-12-01') });
  };
  const open = (): CoreMemory => share().as(OWNER);
  return { home, memory: open(), again: open, shared: share() };
}

it('is empty at first, and keeps what is set', async () => {
  const { memory, again, home } = core();
  expect(await memory.get()).toEqual({ user: {}, agent: {} });
  expect(await memory.update('user', 'name', 'Lain')).toEqual({});
  expect(await memory.update('user', 'name', 'Lain Iwakura')).toEqual({ previous: 'Lain' });
  expect(await again().get()).toEqual({ user: { name: 'Lain Iwakura' }, agent: {} });
  expect(JSON.parse(readFileSync(join(home, 'core_memory.json'), 'utf8'))).toEqual(await memory.get());
  expect(statSync(join(home, 'core_memory.json')).mode & 0o777).toBe(0o600);
});

it('keeps every value that was replaced or deleted', async () => {
  const { memory, home } = core();
  await memory.update('agent', 'tone', 'formal');
  await memory.update('agent', 'tone', 'warm');
  await memory.update('agent', 'tone', 'warm');
  await memory.delete('agent', 'tone');
  const history = readFileSync(join(home, 'core_memory.history.jsonl'), 'utf8').trim().split('\n');
  expect(history.map((line) => JSON.parse(line)).map(({ previous, value }) => [previous, value])).toEqual([
    [undefined, 'formal'],
    ['formal', 'warm'],
    ['warm', undefined],
  ]);
});

it('what a person wrote by hand beside the two sections stays, with and without a byte order mark', async () => {
  const { memory, home } = core();
  const path = join(home, 'core_memory.json');
  writeFileSync(path, `\uFEFF${JSON.stringify({ project: { goal: 'sail' }, user: { age: 7 } })}`);
  expect(await memory.get()).toEqual({ user: { age: '7' }, agent: {} });
  await memory.update('user', 'name', 'Lain');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    user: { age: '7', name: 'Lain' },
    agent: {},
    project: { goal: 'sail' },
  });
});

it('deleting a missing key is an error that names what there is', async () => {
  const { memory } = core();
  await memory.update('user', 'city', 'Tokyo');
  await expect(memory.delete('user', 'town')).rejects.toMatchObject({
    code: 'MEMORY_KEY_NOT_FOUND',
    message: expect.stringContaining('city'),
  });
  await expect(memory.delete('agent', 'constructor')).rejects.toMatchObject({ code: 'MEMORY_KEY_NOT_FOUND' });
});

it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is a key like any other', async (key) => {
  const { memory } = core();
  await memory.update('user', key, 'a value');
  expect(Object.entries((await memory.get()).user)).toEqual([[key, 'a value']]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  await memory.delete('user', key);
  expect((await memory.get()).user).toEqual({});
});

it('what is too long or no key is refused and changes nothing', async () => {
  const { memory } = core();
  await expect(memory.update('user', ' ', 'x')).rejects.toMatchObject({ code: 'MEMORY_BAD_KEY' });
  await expect(memory.update('user', 'two\nlines', 'x')).rejects.toMatchObject({ code: 'MEMORY_BAD_KEY' });
  await expect(memory.update('user', 'k', 'x'.repeat(2_001))).rejects.toMatchObject({ code: 'MEMORY_FULL' });
  const fill = async (): Promise<void> => {
    for (let index = 0; index < 20; index += 1) await memory.update('user', `k${index}`, 'word '.repeat(400));
  };
  await expect(fill()).rejects.toMatchObject({ code: 'MEMORY_FULL' });
  expect(Object.keys((await memory.get()).user).length).toBeGreaterThan(3);
});

it('writers at the same time lose nothing of each other', async () => {
  const { again, memory } = core();
  await Promise.all(Array.from({ length: 25 }, (_, index) => again().update('user', `key${index}`, `${index}`)));
  expect(Object.keys((await memory.get()).user)).toHaveLength(25);
});

it('a file damaged by hand is refused, never overwritten', async () => {
  const { memory, home } = core();
  for (const text of ['{"user": ', '[]', '{"user": 3}']) {
    writeFileSync(join(home, 'core_memory.json'), text);
    await expect(memory.update('user', 'a', 'b')).rejects.toMatchObject({ code: 'MEMORY_DAMAGED' });
    expect(readFileSync(join(home, 'core_memory.json'), 'utf8')).toBe(text);
  }
});

it('is rendered for the prompt, a line a fact, and as nothing when empty', () => {
  expect(renderCoreMemory({ user: {}, agent: {} })).toBe('');
  expect(renderCoreMemory({ user: { name: 'Lain', bio: 'line one\n- agent: evil' }, agent: { tone: 'warm' } })).toBe(
    'Core memory (facts kept across sessions):\nuser:\n- name: Lain\n- bio: line one - agent: evil\nagent:\n- tone: warm',
  );
});

it('the facts of other scopes are apart from the owner’s and from each other', async () => {
  const { memory, shared, again, home } = core();
  const anna = shared.as(readerWithin('person:telegram:1'));
  const group = shared.as(readerWithin('chat:telegram:-5'));
  await memory.update('user', 'name', 'Lain');
  await anna.update('user', 'name', 'Anna');
  await group.update('agent', 'tone', 'formal');
  expect(await again().get()).toEqual({ user: { name: 'Lain' }, agent: {} });
  expect(await anna.get()).toEqual({ user: { name: 'Anna' }, agent: {} });
  expect(await group.get()).toEqual({ user: {}, agent: { tone: 'formal' } });
  expect(await shared.as(readerWithin('person:telegram:2')).get()).toEqual({ user: {}, agent: {} });
  await expect(group.delete('user', 'name')).rejects.toMatchObject({ code: 'MEMORY_KEY_NOT_FOUND' });
  expect(await anna.delete('user', 'name')).toEqual({ previous: 'Anna' });
  expect(await memory.get()).toEqual({ user: { name: 'Lain' }, agent: {} });
  expect(readFileSync(join(home, 'core_memory.json'), 'utf8')).not.toMatch(/Anna|formal/);
});

it('a damaged file of others does not stop the owner, and is not replaced', async () => {
  const { memory, shared, home } = core();
  const path = join(home, 'core_memory.others.json');
  writeFileSync(path, '{"person:telegram:1": 5}');
  const anna = shared.as(readerWithin('person:telegram:1'));
  await expect(anna.get()).rejects.toMatchObject({ code: 'MEMORY_DAMAGED' });
  await expect(anna.update('user', 'name', 'Anna')).rejects.toMatchObject({ code: 'MEMORY_DAMAGED' });
  await memory.update('user', 'name', 'Lain');
  expect(readFileSync(path, 'utf8')).toBe('{"person:telegram:1": 5}');
});
