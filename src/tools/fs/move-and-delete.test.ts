// file_move and file_delete on a real workspace.
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createYard, type Yard } from '../../../test/workspace-race/yard.ts';
import { StorageError } from '../../storage/storage.ts';
import type { FileChange } from '../../storage/undo-records.ts';
import { OWNER } from '../../vocabulary/memory-scope.ts';
import { createWorkspace } from '../../workspace/confined.ts';
import type { ToolArgs, ToolContext } from '../tool.ts';
import { createDeleteFileTool } from './delete-file.ts';
import { createMoveFileTool } from './move-file.ts';
import { createReadFileTool } from './read-file.ts';
import type { SeenFile } from './seen.ts';

let yard: Yard;
let context: ToolContext;
let recorded: FileChange[];

beforeEach(async () => {
  yard = createYard();
  recorded = [];
  const seen = new Map<string, SeenFile>();
  context = {
    reader: OWNER,
    workspace: await createWorkspace({
      root: yard.root,
      protectedPaths: (path) => (path.startsWith('.git/') ? 'git runs it' : undefined),
    }),
    seen: { note: async (path, file) => void seen.set(path, file), last: async (path) => seen.get(path) },
    changes: {
      record: async (change) => void recorded.push(change),
      async recordMade() {},
      applyTogether: async () => ({ ok: true }),
    },
    signal: new AbortController().signal,
    now: () => Date.now() + 60_000,
    progress() {},
    spoolPath: async () => '',
    keptPath: async () => '',
    afterwards() {},
  };
});
afterEach(() => yard.remove());

const move = (args: ToolArgs) => createMoveFileTool().execute(args, context);
const remove = (args: ToolArgs) => createDeleteFileTool().execute(args, context);
const read = (path: string) => createReadFileTool().execute({ path }, context);
const file = (path: string): string => `${yard.root}/${path}`;
const put = (path: string, text: string): void => writeFileSync(file(path), text);

describe('file_delete', () => {
  it('deletes a file that is on record', async () => {
    put('old.txt', 'gone\n');
    expect(await remove({ path: 'old.txt' })).toMatchObject({ data: { path: 'old.txt', bytes: 5 } });
    expect(existsSync(file('old.txt'))).toBe(false);
    expect(recorded).toMatchObject([{ tool: 'file_delete', path: 'old.txt', after: undefined }]);
    expect(String(recorded[0]?.before?.bytes)).toBe('gone\n');
  });

  it('shows what would go', async () => {
    put('old.txt', 'gone\n');
    const preview = await createDeleteFileTool().preview?.({ path: 'old.txt' }, context);
    expect(preview).toMatchObject({ summary: 'delete old.txt (5 bytes)', paths: ['old.txt'] });
    expect(preview?.text).toContain('-gone');
  });

  it.each([
    ['nowhere.txt', /No such file/],
    ['folder', /directory/],
    ['../other.txt', /outside/],
    ['.git/config', /git runs it/],
  ])('refuses %s', async (path, problem) => {
    mkdirSync(file('folder'));
    mkdirSync(file('.git'));
    put('.git/config', 'x');
    await expect(remove({ path })).rejects.toThrow(problem);
    expect(recorded).toEqual([]);
    expect(existsSync(file('.git/config'))).toBe(true);
  });

  it('refuses a file that changed since it was read', async () => {
    put('a.txt', 'one\n');
    await read('a.txt');
    put('a.txt', 'another\n');
    await expect(remove({ path: 'a.txt' })).rejects.toThrow(/changed since it was read/);
    expect(readFileSync(file('a.txt'), 'utf8')).toBe('another\n');
  });

  it('leaves a file alone that cannot be recorded', async () => {
    put('a.txt', 'one\n');
    context.changes.record = async () => {
      throw new StorageError('STORAGE_FULL', 'the disk is full');
    };
    await expect(remove({ path: 'a.txt' })).rejects.toThrow(/nothing was changed/);
    expect(existsSync(file('a.txt'))).toBe(true);
  });
});

describe('file_move', () => {
  it('moves a file with its permissions, making directories', async () => {
    put('run.sh', 'echo hi\n');
    chmodSync(file('run.sh'), 0o755);
    expect(await move({ from: 'run.sh', to: 'bin/deep/start.sh' })).toMatchObject({
      data: { from: 'run.sh', to: 'bin/deep/start.sh', bytes: 8 },
    });
    expect(existsSync(file('run.sh'))).toBe(false);
    expect(readFileSync(file('bin/deep/start.sh'), 'utf8')).toBe('echo hi\n');
    expect(statSync(file('bin/deep/start.sh')).mode & 0o777).toBe(0o755);
    expect(recorded).toMatchObject([
      { path: 'bin/deep/start.sh', before: undefined, madeDirectories: ['bin', 'bin/deep'] },
      { path: 'run.sh', after: undefined },
    ]);
  });

  it.each([
    ['b.txt', /exists already/],
    ['folder', /exists already|directory/],
    ['../b.txt', /outside/],
    ['.git/hooks', /git runs it/],
  ])('refuses %s as the new name', async (to, problem) => {
    put('a.txt', 'a');
    put('b.txt', 'b');
    mkdirSync(file('folder'));
    mkdirSync(file('.git'));
    await expect(move({ from: 'a.txt', to })).rejects.toThrow(problem);
    expect([readFileSync(file('a.txt'), 'utf8'), readFileSync(file('b.txt'), 'utf8')]).toEqual(['a', 'b']);
    expect(recorded).toEqual([]);
  });

  it('refuses a file under its own name', async () => {
    put('a.txt', 'a');
    await expect(move({ from: 'a.txt', to: './a.txt' })).rejects.toThrow(/exists already/);
  });
});
