import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withoutPrivileges } from '../../test/workspace-race/privileges.ts';
import { createYard, type Yard } from '../../test/workspace-race/yard.ts';
import { createWorkspace, type WorkspaceOptions } from './confined.ts';
import type { Listing, ListOptions, Workspace } from './workspace.ts';

let yard: Yard;
beforeEach(() => {
  yard = createYard();
});
afterEach(() => yard.remove());

const ways: [string, Pick<WorkspaceOptions, 'guarantee'>][] = [
  ['descriptor-walk', {}],
  ['checked-path', { guarantee: 'checked-path' }],
];

describe.each(ways)('%s', (_, way) => {
  let workspace: Workspace;
  beforeEach(async () => {
    workspace = await createWorkspace({ root: yard.root, ...way });
  });

  function list(path = '.', options: Partial<ListOptions> = {}): Promise<Listing> {
    return workspace.list(path, { recursive: true, maxDepth: 4, maxEntries: 1000, ...options });
  }

  function paths({ entries }: Listing): string[] {
    return entries.map((entry) => entry.path);
  }

  it('tells type, size and time of every entry without following links', async () => {
    yard.write('ws/file', '12345');
    yard.write('outside/secret', 'secret');
    utimesSync(`${yard.root}/file`, 1, 1_700_000_000.5);
    mkdirSync(`${yard.root}/dir`);
    symlinkSync('dir', `${yard.root}/inward`);
    symlinkSync(yard.outside, `${yard.root}/outward`);
    symlinkSync('missing', `${yard.root}/dangling`);
    execFileSync('mkfifo', [`${yard.root}/pipe`]);
    const listing = await list();
    expect(listing).toMatchObject({ path: '.', truncated: false });
    expect(listing.entries.map(({ path, type, size }) => [path, type, size])).toEqual([
      ['dangling', 'symlink', 0],
      ['dir', 'directory', 0],
      ['file', 'file', 5],
      ['inward', 'symlink', 0],
      ['outward', 'symlink', 0],
      ['pipe', 'other', 0],
    ]);
    expect(listing.entries.find(({ path }) => path === 'file')?.mtime).toBe('2023-11-14T22:13:20.500Z');
  });

  it('orders by code units within each directory, a directory before its own entries', async () => {
    const files = ['b/z', 'b/a', 'b-', 'b.txt', 'B', '_', 'a/x/y', 'a/w', 'é', '文', '10', '9', 'b/a.d/1'];
    for (const file of files) yard.write(`ws/${file}`, '');
    expect(paths(await list())).toEqual(
      ['10', '9', 'B', '_', 'a', 'a/w', 'a/x', 'a/x/y', 'b', 'b/a', 'b/a.d', 'b/a.d/1', 'b/z'].concat([
        'b-',
        'b.txt',
        'é',
        '文',
      ]),
    );
  });

  it('gives paths relative to the listed directory, and tells where that is', async () => {
    yard.write('ws/one/two/three', '');
    symlinkSync('one/two', `${yard.root}/link`);
    for (const path of ['one/two', 'one/two/', './one//two/.', `${yard.root}/one/two`, 'link', 'link/']) {
      const listing = await list(path);
      expect(listing.path, path).toBe('one/two');
      expect(paths(listing), path).toEqual(['three']);
    }
    for (const path of ['.', './', 'one/..', '../ws', yard.root, `${yard.root}/`]) {
      expect((await list(path)).path, path).toBe('.');
    }
  });

  it('stays in one directory unless asked to go down', async () => {
    yard.write('ws/one/two', '');
    expect(await list('.', { recursive: false })).toMatchObject({ entries: [{ path: 'one' }], truncated: false });
  });

  it('goes down as many levels as allowed and says when something lies below', async () => {
    mkdirSync(`${yard.root}/1/2/3`, { recursive: true });
    const depths: [number, string[], boolean][] = [
      [1, ['1'], true],
      [2, ['1', '1/2'], true],
      [3, ['1', '1/2', '1/2/3'], false],
      [9, ['1', '1/2', '1/2/3'], false],
    ];
    for (const [maxDepth, expected, truncated] of depths) {
      const listing = await list('.', { maxDepth });
      expect(paths(listing)).toEqual(expected);
      expect(listing.truncated, `depth ${maxDepth}`).toBe(truncated);
    }
  });

  it('stops at the number of entries allowed, keeping the first in order', async () => {
    for (let i = 0; i < 300; i += 1) yard.write(`ws/flat/${String(i).padStart(3, '0')}`, '');
    yard.write('ws/later', '');
    const cases: [number, number, boolean][] = [
      [1, 1, true],
      [50, 50, true],
      [301, 301, true],
      [302, 302, false],
      [5000, 302, false],
    ];
    for (const [maxEntries, count, truncated] of cases) {
      const listing = await list('.', { maxEntries });
      expect(listing.entries).toHaveLength(count);
      expect(listing.truncated, `at most ${maxEntries}`).toBe(truncated);
    }
    expect(paths(await list('flat', { maxEntries: 3 }))).toEqual(['000', '001', '002']);
    expect(paths(await list('.', { maxEntries: 3 }))).toEqual(['flat', 'flat/000', 'flat/001']);
    expect(await list('.', { maxEntries: 0 })).toMatchObject({ entries: [], truncated: true });
  });

  it('shows names that are not valid UTF-8 with their type and size', async () => {
    const directory = Buffer.from(`${yard.root}/bad-\xff`, 'latin1');
    mkdirSync(directory);
    writeFileSync(Buffer.concat([directory, Buffer.from('/\xc3(', 'latin1')]), 'four');
    const { entries } = await list();
    expect(entries.map(({ path, type, size }) => [path, type, size])).toEqual([
      ['bad-\ufffd', 'directory', 0],
      ['bad-\ufffd/\ufffd(', 'file', 4],
    ]);
  });

  it('follows a link whose target is not valid UTF-8', async () => {
    const target = Buffer.from('bad-\xff', 'latin1');
    writeFileSync(Buffer.concat([Buffer.from(`${yard.root}/`), target]), 'found');
    symlinkSync(target, `${yard.root}/link`);
    const opened = await workspace.openFile('link');
    expect(opened.path).toBe('bad-\ufffd');
    await expect(opened.handle.readFile('utf8')).resolves.toBe('found');
    await opened.handle.close();
  });

  it('shows a directory it may not enter and continues', async () => {
    yard.write('ws/closed/x', '');
    yard.write('ws/open/y', '');
    chmodSync(yard.base, 0o755);
    chmodSync(`${yard.root}/closed`, 0o000);
    await withoutPrivileges(async () => {
      expect(paths(await list())).toEqual(['closed', 'open', 'open/y']);
      await expect(list('closed')).rejects.toMatchObject({ message: 'Permission denied: closed' });
    });
  });

  it('says what is wrong when there is no directory to list', async () => {
    yard.write('ws/file', '');
    await expect(list('file')).rejects.toMatchObject({
      code: 'not_a_directory',
      message: 'Not a directory: file',
    });
    await expect(list('missing')).rejects.toMatchObject({ code: 'not_found', message: 'No such directory: missing' });
    await expect(list('')).rejects.toMatchObject({ code: 'invalid_path' });
    await expect(list('../outside')).rejects.toMatchObject({ code: 'outside' });
  });

  it('stops when aborted, also half way down', async () => {
    for (let i = 0; i < 200; i += 1) yard.write(`ws/${i}/file`, '');
    const reason = new Error('enough');
    await expect(list('.', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const listing = list('.', { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 2);
    await expect(listing).rejects.toBe(reason);
  });
});

describe('descriptor-walk', () => {
  it('lists a tree whose paths are longer than the system takes, down to its own limit', async () => {
    const name = 'd'.repeat(60);
    for (let level = 0; level < 300; level += 1) {
      mkdirSync(`${yard.outside}/new`);
      if (level > 0) renameSync(`${yard.outside}/old`, `${yard.outside}/new/${name}`);
      renameSync(`${yard.outside}/new`, `${yard.outside}/old`);
    }
    renameSync(`${yard.outside}/old`, `${yard.root}/${name}`);
    try {
      const workspace = await createWorkspace({ root: yard.root });
      const listing = await workspace.list('.', { recursive: true, maxDepth: 1000, maxEntries: 1000 });
      expect(listing.entries).toHaveLength(256);
      expect(listing.truncated).toBe(true);
    } finally {
      execFileSync('rm', ['-rf', yard.root]);
    }
  });
});
