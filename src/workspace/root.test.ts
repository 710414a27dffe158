import { mkdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createYard, type Yard } from '../../test/workspace-race/yard.ts';
import { createWorkspace, type WorkspaceOptions } from './confined.ts';
import type { Workspace } from './workspace.ts';

let yard: Yard;
beforeEach(() => {
  yard = createYard();
  yard.write('ws/a.txt', 'a');
  yard.write('outside/secret.txt', 'secret');
});
afterEach(() => yard.remove());

const ways: [string, Pick<WorkspaceOptions, 'guarantee'>][] = [
  ['descriptor-walk', {}],
  ['checked-path', { guarantee: 'checked-path' }],
];

describe.each(ways)('the root under %s', (guarantee, options) => {
  let workspace: Workspace;
  beforeEach(async () => {
    workspace = await createWorkspace({ root: yard.root, ...options });
  });

  async function read(path: string, from: Workspace): Promise<{ path: string; content: string }> {
    const opened = await from.openFile(path);
    try {
      return { path: opened.path, content: await opened.handle.readFile('utf8') };
    } finally {
      await opened.handle.close();
    }
  }

  it('says how strong its guarantee is and where the root really is', () => {
    expect(workspace).toMatchObject({ guarantee, root: yard.root });
  });

  it('keeps to the root it was given when the root was reached through links', async () => {
    symlinkSync(yard.root, `${yard.base}/alias`);
    symlinkSync(yard.base, `${yard.outside}/base`);
    const viaLink = await createWorkspace({ root: `${yard.outside}/base/alias`, ...options });
    expect(viaLink.root).toBe(yard.root);
    const spellings = ['a.txt', `${yard.base}/alias/a.txt`, `${yard.outside}/base/alias/a.txt`, '../alias/a.txt'];
    for (const path of spellings) {
      await expect(read(path, viaLink), path).resolves.toEqual({ path: 'a.txt', content: 'a' });
    }
    rmSync(`${yard.base}/alias`);
    symlinkSync(yard.outside, `${yard.base}/alias`);
    await expect(viaLink.openFile(`${yard.base}/alias/secret.txt`)).rejects.toMatchObject({ code: 'outside' });
    await expect(read('a.txt', viaLink)).resolves.toEqual({ path: 'a.txt', content: 'a' });
  });

  it('accepts the whole disk as a workspace', async () => {
    const everything = await createWorkspace({ root: '/', ...options });
    const path = `${yard.root}/a.txt`;
    const expected = { path: path.slice(1), content: 'a' };
    for (const spelling of [path, path.slice(1), `..${path}`, `/../..${path}`, `${yard.root}/../ws/a.txt`]) {
      await expect(read(spelling, everything), spelling).resolves.toEqual(expected);
    }
    await expect(everything.openFile('/')).rejects.toMatchObject({ code: 'not_a_file' });
  });

  it.runIf(haveSameInode('/proc', '/sys'))(
    'is not mistaken for a directory with its number on another disk',
    async () => {
      const processes = await createWorkspace({ root: '/proc', ...options });
      await expect(processes.list('/sys', { recursive: false, maxDepth: 1, maxEntries: 1 })).rejects.toMatchObject({
        code: 'outside',
      });
      await expect(read('/proc/version', processes)).resolves.toMatchObject({ path: 'version' });
    },
  );

  it('refuses to work on a root that is not the directory it was', async () => {
    renameSync(yard.root, `${yard.base}/old`);
    await expect(workspace.openFile('a.txt')).rejects.toMatchObject({ code: 'io' });
    mkdirSync(yard.root);
    yard.write('ws/a.txt', 'another');
    await expect(workspace.openFile('a.txt')).rejects.toMatchObject({
      code: 'io',
      message: `The workspace ${yard.root} has been replaced by another directory`,
    });
  });

  it('needs an existing directory as its root', async () => {
    const create = (root: string): Promise<Workspace> => createWorkspace({ root, ...options });
    const missing = `${yard.base}/missing`;
    await expect(create(missing)).rejects.toMatchObject({
      code: 'not_found',
      message: `No such directory: ${missing}`,
    });
    const file = `${yard.root}/a.txt`;
    await expect(create(file)).rejects.toMatchObject({ code: 'not_a_directory', message: `Not a directory: ${file}` });
    await expect(create('')).rejects.toMatchObject({ code: 'invalid_path' });
  });
});

function haveSameInode(...paths: string[]): boolean {
  return new Set(paths.map((path) => statSync(path, { throwIfNoEntry: false })?.ino ?? path)).size === 1;
}
