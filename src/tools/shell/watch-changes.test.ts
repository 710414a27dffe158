import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { testHome } from '../../../test/support/test-home.ts';
import { createWorkspace } from '../../workspace/confined.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { type ChangeWatcher, createChangeWatcher } from './watch-changes.ts';

let root: string;
let workspace: Workspace;
let watcher: ChangeWatcher;

beforeEach(async () => {
  root = testHome().path;
  mkdirSync(root, { recursive: true });
  workspace = await createWorkspace({ root });
  watcher = createChangeWatcher();
});

const put = (path: string, text: string): void => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};

/** What a command that does this is seen to have changed. */
async function seen(command: () => void, now = Date.now): Promise<Record<string, [string?, string?]>> {
  const watch = await watcher.watch(workspace, { signal: new AbortController().signal, now });
  command();
  const { changes, notCovered } = await watch.finish();
  if (notCovered !== undefined) return { [notCovered]: [] };
  const text = (state: { bytes: Uint8Array } | undefined): string | undefined =>
    state && Buffer.from(state.bytes).toString();
  return Object.fromEntries(changes.map(({ path, before, after }) => [path, [text(before), text(after)]]));
}

describe('what a command changed', () => {
  it('is reported with both contents: made, written, moved, taken away, given another mode', async () => {
    put('a', 'one');
    put('sub/b', 'two');
    put('gone', 'three');
    put('mode', 'four');
    const changed = await seen(() => {
      put('a', 'ONE');
      put('sub/new/c', 'new');
      renameSync(join(root, 'sub/b'), join(root, 'sub/moved'));
      rmSync(join(root, 'gone'));
      chmodSync(join(root, 'mode'), 0o700);
    });
    expect(changed).toEqual({
      a: ['one', 'ONE'],
      'sub/new/c': [undefined, 'new'],
      'sub/b': ['two', undefined],
      'sub/moved': [undefined, 'two'],
      gone: ['three', undefined],
      mode: ['four', 'four'],
    });
  });

  it('is nothing where a file was only touched, is below an installed package, or is a link', async () => {
    put('a', 'one');
    put('node_modules/x/index.js', 'one');
    mkdirSync(join(root, 'elsewhere'));
    const changed = await seen(() => {
      utimesSync(join(root, 'a'), 1, 1);
      put('node_modules/x/index.js', 'two');
      put('sub/.git/config', 'two');
      symlinkSync(join(root, 'elsewhere'), join(root, 'link'));
    });
    expect(changed).toEqual({});
  });
});

describe('the command after', () => {
  it('is compared with the files as they are when it begins, also when others changed them meanwhile', async () => {
    put('a', 'one');
    await seen(() => put('a', 'two'));
    put('a', 'by hand');
    expect(await seen(() => put('a', 'three'))).toEqual({ a: ['by hand', 'three'] });
    rmSync(join(root, 'a'));
    expect(await seen(() => put('a', 'four'))).toEqual({ a: [undefined, 'four'] });
  });

  it('is reported correctly also when a file was written twice within a tick of the clock, at the same length', async () => {
    for (let round = 0; round < 50; round += 1) {
      put('a', `x${round % 10}`);
      await seen(() => put('a', `y${round % 10}`));
      put('a', `z${round % 10}`);
      expect(await seen(() => rmSync(join(root, 'a')))).toEqual({ a: [`z${round % 10}`, undefined] });
    }
  });
});

it('of more files than can be kept, those that are not ignored are watched; of too many, none', async () => {
  put('.gitignore', 'many/\n');
  put('a', 'one');
  mkdirSync(join(root, 'many'));
  for (let index = 0; index < 4_100; index += 1) writeFileSync(join(root, 'many', String(index)), '');
  const changed = await seen(() => {
    put('a', 'two');
    put('many/1', 'two');
  });
  expect(changed).toEqual({ a: ['one', 'two'] });
  rmSync(join(root, '.gitignore'));
  expect(await seen(() => put('a', 'three'))).toEqual({ 'the workspace has more than 4000 files': [] });
});
