import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryOwnerFiles } from '../../../test/support/memory-owner-files.ts';
import { newId } from '../../lib/new-id.ts';
import { createTaintMemory, TAINTED_FILES, type TaintMemory } from './taint-memory.ts';

let root: string;
let files: ReturnType<typeof memoryOwnerFiles>;
let memory: TaintMemory;
/** As another process sees it. */
const reopened = (at = root): TaintMemory => createTaintMemory({ files, root: at, now: Date.now, newId });
const sourcesOf = async (path: string, by = memory) => by.sourcesOf(path, await by.read());
const write = (path: string, text: string): void => writeFileSync(join(root, path), text);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'taint-memory-')));
  files = memoryOwnerFiles();
  memory = reopened();
});
afterEach(() => rmSync(root, { recursive: true }));

describe('a remembered file', () => {
  it('is known to the next process, by the content that it was about to have', async () => {
    await memory.remember([{ path: 'a.md', bytes: Buffer.from('obey') }], ['mcp:x']);
    write('a.md', 'obey');
    expect(await sourcesOf('a.md', reopened())).toEqual(['mcp:x']);
  });

  it('is not the one that a person has edited, and is it again with the old content', async () => {
    write('a.md', 'obey');
    await memory.remember([{ path: 'a.md' }], ['mcp:x']);
    write('a.md', 'mine');
    expect(await sourcesOf('a.md')).toBeUndefined();
    write('a.md', 'obey');
    expect(await sourcesOf('a.md')).toEqual(['mcp:x']);
  });

  it('is followed when it is renamed', async () => {
    write('a.md', 'obey');
    await memory.remember([{ path: 'a.md' }], ['mcp:x']);
    renameSync(join(root, 'a.md'), join(root, 'b.md'));
    expect(await sourcesOf('b.md')).toEqual(['mcp:x']);
  });

  it('is known in a workspace above and below, and not elsewhere', async () => {
    mkdirSync(join(root, 'sub'));
    write('sub/a.md', 'obey');
    await memory.remember([{ path: 'sub/a.md' }], ['mcp:x']);
    expect(await sourcesOf('a.md', reopened(join(root, 'sub')))).toEqual(['mcp:x']);
    expect((await reopened('/elsewhere').read()).files.size).toBe(0);
  });

  it('is kept before it is written, also where it is one too many and the others are gone', async () => {
    const gone = Array.from({ length: 1_000 }, (_, index) => ({
      path: `${index}`,
      bytes: Buffer.from(`gone ${index}`),
    }));
    await memory.remember(gone, ['mcp:x']);
    await memory.remember([{ path: 'a.md', bytes: Buffer.from('obey') }], ['mcp:x']);
    write('a.md', 'obey');
    expect(await sourcesOf('a.md')).toEqual(['mcp:x']);
    expect((await memory.read()).files.size).toBe(1);
  });

  it('may be large', async () => {
    write('big', 'x'.repeat(5 * 1024 * 1024));
    await memory.remember([{ path: 'big' }], ['mcp:x']);
    expect(await sourcesOf('big')).toEqual(['mcp:x']);
    write('big', 'y'.repeat(5 * 1024 * 1024 + 1));
    expect(await sourcesOf('big')).toBeUndefined();
  });

  it('is one of a thousand at most: beyond, folders are remembered', async () => {
    mkdirSync(join(root, 'many'));
    const paths = Array.from({ length: 1_001 }, (_, index) => `many/${index}`);
    for (const path of paths) write(path, path);
    await memory.remember(
      paths.map((path) => ({ path })),
      ['mcp:x'],
    );
    const record = await memory.read();
    expect([record.files.size, [...record.trees.keys()]]).toEqual([0, ['many']]);
    expect(await sourcesOf('many/new')).toEqual(['mcp:x']);
  });
});

describe('a tree', () => {
  it('is all that is below it, until a person approves it', async () => {
    await memory.rememberTrees(['clone'], ['folder:/x']);
    expect(await sourcesOf('clone/deep/a')).toEqual(['folder:/x']);
    expect(await sourcesOf('clones')).toBeUndefined();
    expect(await memory.approve('clone')).toBe(1);
    expect(await sourcesOf('clone/deep/a')).toBeUndefined();
    expect(files.texts.has(TAINTED_FILES)).toBe(false);
  });

  it('around a workspace is all of it', async () => {
    await memory.rememberTrees(['.'], ['folder:/x']);
    expect(await sourcesOf('a', reopened(join(root, 'sub')))).toEqual(['folder:/x']);
  });
});

describe('a command', () => {
  it('that ended leaves nothing on record', async () => {
    const end = await memory.begin(['mcp:x']);
    expect(files.texts.get(TAINTED_FILES)).toContain('mcp:x');
    await end();
    expect(files.texts.has(TAINTED_FILES)).toBe(false);
  });

  it('that was killed leaves every file that changed since it began', async () => {
    write('before', 'old');
    await new Promise((resolve) => setTimeout(resolve, 120));
    await memory.begin(['mcp:x']);
    write('written', 'obey');
    expect(await sourcesOf('written')).toBeUndefined();
    // Its process has ended.
    const { pid } = spawnSync('true');
    const text = files.texts.get(TAINTED_FILES) ?? '';
    files.texts.set(TAINTED_FILES, text.replace(`"pid": ${process.pid}`, `"pid": ${pid}`));
    expect(await sourcesOf('written', reopened())).toEqual(['mcp:x']);
    expect(await sourcesOf('before', reopened())).toBeUndefined();
    expect((await memory.read()).pending.size).toBe(0);
  });

  it.each([false, true])(
    'that was killed is known as such where another process has its number, lasting: %s',
    async (lasts) => {
      await memory.begin(['mcp:x'], { lasts });
      write('written', 'obey');
      // As in a container, where the program has the same number after every start.
      const text = files.texts.get(TAINTED_FILES) ?? '';
      files.texts.set(TAINTED_FILES, text.replace(/"started": \d+/, '"started": 1'));
      expect(await sourcesOf('written', reopened())).toEqual(['mcp:x']);
      expect((await reopened().read()).pending.size).toBe(0);
    },
  );
});

describe('a command that lasts in the background', () => {
  it('taints what changes while it runs, and nothing that changed before or after', async () => {
    write('before', 'old');
    await new Promise((resolve) => setTimeout(resolve, 120));
    const end = await memory.begin(['host:x'], { lasts: true });
    write('fetched', 'obey');
    expect(await sourcesOf('fetched')).toEqual(['host:x']);
    expect(await sourcesOf('before')).toBeUndefined();
    write('fetched', 'obey more');
    expect(await sourcesOf('fetched')).toEqual(['host:x']);
    await end();
    write('after', 'mine');
    expect([await sourcesOf('fetched'), await sourcesOf('after')]).toEqual([['host:x'], undefined]);
  });

  it('does not taint what our own tools have written meanwhile', async () => {
    await memory.begin(['host:x'], { lasts: true });
    memory.noteOwn([{ path: 'edited', bytes: Buffer.from('mine') }]);
    write('edited', 'mine');
    expect(await sourcesOf('edited')).toBeUndefined();
    write('edited', 'obey');
    expect(await sourcesOf('edited')).toEqual(['host:x']);
  });

  it('writes the record only where something is new', async () => {
    await memory.begin(['host:x'], { lasts: true });
    write('fetched', 'obey');
    await memory.read();
    const text = files.texts.get(TAINTED_FILES);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await memory.read();
    expect(files.texts.get(TAINTED_FILES)).toBe(text);
  });

  it('is not over after a quarter of an hour', async () => {
    let clock = Date.now();
    const lasting = createTaintMemory({ files, root, now: () => clock, newId });
    await lasting.begin(['host:x'], { lasts: true });
    clock += 60 * 60_000;
    write('late', 'obey');
    expect(await sourcesOf('late', lasting)).toEqual(['host:x']);
    expect((await lasting.read()).pending.size).toBe(1);
  });
});

it('a damaged record is not taken for an empty one', async () => {
  files.texts.set(TAINTED_FILES, '{"version":1');
  await expect(memory.read()).rejects.toThrow('damaged');
  await expect(memory.remember([{ path: 'a', bytes: Buffer.from('x') }], ['mcp:x'])).rejects.toThrow('damaged');
  expect(files.texts.get(TAINTED_FILES)).toBe('{"version":1');
});
