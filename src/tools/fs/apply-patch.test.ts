// apply_patch on a real workspace, with real records for undo.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Home } from '../../../test/support/home.ts';
import { testHome } from '../../../test/support/test-home.ts';
import { createLocks } from '../../storage/local/locks.ts';
import { createOwnerFiles } from '../../storage/local/owner-files.ts';
import { createLocalUndoRecords } from '../../storage/local/undo/local-undo-records.ts';
import { StorageError } from '../../storage/storage.ts';
import type { ChangeSet } from '../../undo/change-sets.ts';
import { createUndo, type Undo } from '../../undo/undo.ts';
import { createUnfinishedUndos, UNFINISHED_UNDOS_FILE } from '../../undo/unfinished-undos.ts';
import { OWNER } from '../../vocabulary/memory-scope.ts';
import { createWorkspace } from '../../workspace/confined.ts';
import { createFileAccess } from '../../workspace/file-access.ts';
import type { ToolContext } from '../tool.ts';
import { createApplyPatchTool } from './apply-patch.ts';
import { createReadFileTool } from './read-file.ts';
import type { SeenFile } from './seen.ts';

let home: Home;
let context: ToolContext;
let undo: Undo;
let warnings: string[];

beforeEach(async () => {
  home = testHome();
  warnings = [];
  const locks = createLocks(join(home.path, 'locks'));
  const workspace = await createWorkspace({
    root: home.workspace,
    protectedPaths: (path) => (path.startsWith('.git/') ? 'git runs it' : undefined),
  });
  let ids = 0;
  undo = createUndo({
    records: createLocalUndoRecords({ home: home.path, locks, now: () => 1_000_000 + ids * 1000 }),
    locks,
    unfinished: createUnfinishedUndos(createOwnerFiles(home.path, locks)),
    warn: (text) => warnings.push(text),
    openFiles: async () => createFileAccess(workspace, 1024 ** 2),
    newId: (prefix) => `${prefix}-${++ids}`,
  });
  const scope = { sessionId: 's', turnId: 't1', root: home.workspace };
  const seen = new Map<string, SeenFile>();
  context = {
    reader: OWNER,
    workspace,
    seen: { note: async (path, file) => void seen.set(path, file), last: async (path) => seen.get(path) },
    changes: {
      record: (change) => undo.record(scope, [change]),
      async recordMade() {},
      applyTogether: (changeSet) => undo.applyTogether(scope, changeSet),
    },
    signal: new AbortController().signal,
    now: () => Date.now() + 60_000,
    progress() {},
    spoolPath: async () => '',
    keptPath: async () => '',
    afterwards() {},
  };
});

const tool = createApplyPatchTool();
const patchOf = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const apply = (...lines: string[]) => tool.execute({ patch: patchOf(...lines) }, context);

it('keeps the charset of a file, shows its letters, and refuses what the charset lacks', async () => {
  const path = join(home.workspace, 'old.txt');
  // "Привет" and "мир" in windows-1251.
  writeFileSync(path, Buffer.from('cff0e8e2e5f20aece8f00a', 'hex'));
  const update = ['*** Update File: old.txt', '@@', ' Привет', '-мир'];
  const preview = await tool.preview?.({ patch: patchOf(...update, '+дом') }, context);
  expect(preview?.text).toBe('--- a/old.txt\n+++ b/old.txt\n@@ -1,2 +1,2 @@\n Привет\n-мир\n+дом\n');
  await expect(apply(...update, '+你好')).rejects.toThrow('which lacks a character of the new text');
  await apply(...update, '+дом');
  expect(readFileSync(path).toString('hex')).toBe('cff0e8e2e5f20ae4eeec0a');
});
const read = (path: string) => createReadFileTool().execute({ path }, context);
const path = (name: string): string => join(home.workspace, name);
const put = (name: string, text: string): void => writeFileSync(path(name), text);
const content = (name: string): string | undefined =>
  existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined;
const tree = (): string[] => readdirSync(home.workspace, { recursive: true, encoding: 'utf8' }).sort();

const EVERY_KIND = [
  '*** Add File: new/deep/added.txt',
  '+added',
  '*** Update File: changed.txt',
  '-old',
  '+new',
  '*** Update File: moved.txt',
  '*** Move to: elsewhere/moved.txt',
  '-from',
  '+to',
  '*** Delete File: deleted.txt',
];

function putEveryKind(): void {
  put('changed.txt', 'first\nold\n');
  put('moved.txt', 'from\n');
  chmodSync(path('moved.txt'), 0o755);
  put('deleted.txt', 'gone\n');
}

describe('apply_patch', () => {
  it('adds, changes, moves and deletes files, and undo takes all of it back', async () => {
    putEveryKind();
    const result = await apply(...EVERY_KIND);
    expect(result.data).toMatchObject({
      files: [
        { path: 'new/deep/added.txt', change: 'added' },
        { path: 'changed.txt', change: 'changed' },
        { path: 'moved.txt', change: 'deleted' },
        { path: 'elsewhere/moved.txt', change: 'moved', from: 'moved.txt' },
        { path: 'deleted.txt', change: 'deleted' },
      ],
    });
    expect(result.text).toContain('changed changed.txt +1 −1');
    expect(content('new/deep/added.txt')).toBe('added\n');
    expect(content('changed.txt')).toBe('first\nnew\n');
    expect(content('elsewhere/moved.txt')).toBe('to\n');
    expect(statSync(path('elsewhere/moved.txt')).mode & 0o777).toBe(0o755);
    expect([content('moved.txt'), content('deleted.txt')]).toEqual([undefined, undefined]);
    await undo.undo({ sessionKey: 'main', sessionId: 's', force: false });
    expect(tree()).toEqual(['changed.txt', 'deleted.txt', 'moved.txt']);
    expect(content('changed.txt')).toBe('first\nold\n');
    expect(existsSync(join(home.path, UNFINISHED_UNDOS_FILE))).toBe(false);
  });

  it('shows the whole diff before', async () => {
    putEveryKind();
    const preview = await tool.preview?.({ patch: patchOf(...EVERY_KIND) }, context);
    expect(preview?.summary).toBe('change 5 files (+3 −3)');
    expect(preview?.isCut).toBeUndefined();
    for (const line of ['+added', '-old', '+new', '-from', '+to', '-gone']) expect(preview?.text).toContain(line);
    expect(tree()).toEqual(['changed.txt', 'deleted.txt', 'moved.txt']);
  });

  it('lets later sections see what earlier ones made of a file', async () => {
    put('a.txt', 'one\n');
    await apply('*** Update File: a.txt', '-one', '+two', '*** Update File: a.txt', '-two', '+three');
    expect(content('a.txt')).toBe('three\n');
    await apply('*** Delete File: a.txt', '*** Add File: a.txt', '+new');
    expect(content('a.txt')).toBe('new\n');
  });

  it.each([
    ['*** Update File: nowhere.txt', '-a', /No such file: nowhere\.txt/],
    ['*** Delete File: nowhere.txt', '', /No such file/],
    ['*** Add File: there.txt', '+a', /exists already/],
    ['*** Add File: ../outside.txt', '+a', /outside/],
    ['*** Add File: link/outside.txt', '+a', /outside/],
    ['*** Add File: .git/hooks/pre-commit', '+a', /git runs it/],
    ['*** Update File: folder', '-a', /directory/],
    ['*** Update File: binary', '-a', /binary/],
    ['*** Update File: there.txt', '-absent', /not in there\.txt/],
  ])('changes nothing where one of the files cannot be changed: %s', async (header, line, problem) => {
    put('first.txt', 'one\n');
    put('there.txt', 'there\n');
    put('binary', 'a\0b');
    mkdirSync(path('folder'));
    symlinkSync(home.base, path('link'));
    const lines = ['*** Update File: first.txt', '-one', '+two', header, ...(line === '' ? [] : [line])];
    await expect(apply(...lines)).rejects.toThrow(problem);
    expect(content('first.txt')).toBe('one\n');
    expect(await undo.turns('s')).toEqual([]);
  });

  it('refuses a file that changed since it was read', async () => {
    put('a.txt', 'one\n');
    put('b.txt', 'two\n');
    await read('b.txt');
    put('b.txt', 'two\nmore\n');
    const lines = ['*** Update File: a.txt', '-one', '+1', '*** Update File: b.txt', '-two', '+2'];
    await expect(apply(...lines)).rejects.toThrow(/b\.txt has changed since it was read/);
    expect(content('a.txt')).toBe('one\n');
    await read('b.txt');
    await apply(...lines);
    expect([content('a.txt'), content('b.txt')]).toEqual(['1\n', '2\nmore\n']);
    // Its own change counts as seen.
    await apply('*** Update File: b.txt', '-2', '+3');
  });

  it('refuses a file that changed while a person was asked', async () => {
    put('a.txt', 'one\n');
    const patch = patchOf('*** Update File: a.txt', '-one', '+1');
    await tool.preview?.({ patch }, context);
    put('a.txt', 'one\nmore\n');
    await expect(tool.execute({ patch }, context)).rejects.toThrow(/has changed since/);
  });

  it('changes nothing that cannot be recorded', async () => {
    putEveryKind();
    context.changes.applyTogether = async () => {
      throw new StorageError('STORAGE_FULL', 'the disk is full');
    };
    await expect(apply(...EVERY_KIND)).rejects.toThrow(/nothing was changed.*disk is full/);
    expect(tree()).toEqual(['changed.txt', 'deleted.txt', 'moved.txt']);
  });

  /** Fails at the write with this number. */
  function failingAt(number: number, { putBack }: { putBack: boolean }): void {
    const { applyTogether } = context.changes;
    let writes = 0;
    const failing = (changeSet: ChangeSet): ChangeSet => ({
      ...changeSet,
      access: {
        ...changeSet.access,
        async write(...given) {
          writes += 1;
          if (writes === number || (!putBack && writes > number)) throw new Error('no space left');
          return changeSet.access.write(...given);
        },
      },
    });
    context.changes.applyTogether = (changeSet) => applyTogether(failing(changeSet));
  }

  it.each([1, 2, 3])('puts every file back when write %i fails', async (number) => {
    putEveryKind();
    failingAt(number, { putBack: true });
    await expect(apply(...EVERY_KIND)).rejects.toThrow(/no space left; every file is as it was before/);
    expect(tree()).toEqual(['changed.txt', 'deleted.txt', 'moved.txt']);
    expect(content('changed.txt')).toBe('first\nold\n');
    expect(await undo.diff({ sessionId: 's' })).toEqual([]);
    expect(existsSync(join(home.path, UNFINISHED_UNDOS_FILE))).toBe(false);
  });

  it('what could neither be made nor put back is finished by the next command', async () => {
    putEveryKind();
    failingAt(3, { putBack: false });
    await expect(apply(...EVERY_KIND)).rejects.toThrow(/the next command makes the rest/);
    await undo.finishInterrupted();
    expect(warnings).toEqual(['changes to 5 files were interrupted: they are made now']);
    expect(tree()).toEqual([
      'changed.txt',
      'elsewhere',
      'elsewhere/moved.txt',
      'new',
      'new/deep',
      'new/deep/added.txt',
    ]);
    expect(existsSync(join(home.path, UNFINISHED_UNDOS_FILE))).toBe(false);
    await undo.undo({ sessionKey: 'main', sessionId: 's', force: false });
    expect(tree()).toEqual(['changed.txt', 'deleted.txt', 'moved.txt']);
  });

  it('what somebody changed before that is left alone', async () => {
    putEveryKind();
    failingAt(3, { putBack: false });
    await expect(apply(...EVERY_KIND)).rejects.toThrow(/makes the rest/);
    put('deleted.txt', 'somebody needs it\n');
    await undo.finishInterrupted();
    expect(content('deleted.txt')).toBe('somebody needs it\n');
    expect(warnings.join('\n')).toMatch(/deleted\.txt was left as it is/);
  });

  it('names every path to the policy, and none of a patch that cannot be parsed', () => {
    const subject = tool.subject({ patch: patchOf(...EVERY_KIND) });
    expect(subject).toMatchObject({ kind: 'paths', paths: { length: 5 } });
    expect(tool.subject({ patch: 'nonsense' })).toEqual({ kind: 'paths', paths: [] });
  });
});
