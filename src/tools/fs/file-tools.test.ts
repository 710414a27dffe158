// file_write, file_edit and fs.read_file together, on a real workspace, with what a session remembers between them.

import { chmodSync, linkSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processorTime } from '../../../test/support/processor-time.ts';
import { createYard, type Yard } from '../../../test/workspace-race/yard.ts';
import { StorageError } from '../../storage/storage.ts';
import type { FileChange } from '../../storage/undo-records.ts';
import { OWNER } from '../../vocabulary/memory-scope.ts';
import { createWorkspace } from '../../workspace/confined.ts';
import type { ToolArgs, ToolContext, ToolSpec } from '../tool.ts';
import { createEditFileTool } from './edit-file.ts';
import { createReadFileTool } from './read-file.ts';
import type { SeenFile } from './seen.ts';
import { createWriteFileTool } from './write-file.ts';

let yard: Yard;
let context: ToolContext;
let recorded: FileChange[];
let now: number;

beforeEach(async () => {
  yard = createYard();
  recorded = [];
  now = Date.now() + 60_000;
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
    now: () => now,
    progress() {},
    spoolPath: async () => '',
    keptPath: async () => '',
    afterwards() {},
  };
});
afterEach(() => yard.remove());

const call = (tool: ToolSpec) => (args: ToolArgs) => tool.execute(args, context);
const write = call(createWriteFileTool());
const edit = call(createEditFileTool());
const read = call(createReadFileTool());
const file = (path: string): string => `${yard.root}/${path}`;
const content = (path: string): string => readFileSync(file(path), 'utf8');
const bytes = (state: FileChange['before']): string | undefined => state && Buffer.from(state.bytes).toString();

describe('file_write', () => {
  it('creates a file, with the directories on the way', async () => {
    expect(await write({ path: 'a/b.txt', content: 'привет\n' })).toEqual({
      data: { path: 'a/b.txt', created: true, bytes: 13, diff: '' },
      text: 'Created a/b.txt (13 bytes).',
    });
    expect(content('a/b.txt')).toBe('привет\n');
    expect(recorded).toMatchObject([
      { tool: 'file_write', path: 'a/b.txt', before: undefined, madeDirectories: ['a'] },
    ]);
  });

  it('replaces a file and shows what changed', async () => {
    yard.write('ws/a.txt', 'one\ntwo\nthree\n');
    const { data, text } = await write({ path: 'a.txt', content: 'one\n2\nthree\n' });
    const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n';
    expect(data).toEqual({ path: 'a.txt', created: false, bytes: 12, diff });
    expect(text).toBe(`Wrote a.txt: 12 bytes, 14 before.\n${diff}`);
    expect(recorded.map(({ before, after }) => [bytes(before), bytes(after)])).toEqual([
      ['one\ntwo\nthree\n', 'one\n2\nthree\n'],
    ]);
  });

  it('adds to the end, exactly', async () => {
    yard.write('ws/log', 'no newline');
    expect(await write({ path: 'log', content: '+1', mode: 'append' })).toMatchObject({
      data: { created: false, bytes: 12 },
    });
    await write({ path: 'fresh', content: 'x', mode: 'append' });
    expect([content('log'), content('fresh')]).toEqual(['no newline+1', 'x']);
  });

  it('touches nothing when the content is there already', async () => {
    yard.write('ws/a.txt', 'same');
    utimesSync(file('a.txt'), 1, 1);
    expect(await write({ path: 'a.txt', content: 'same' })).toMatchObject({ data: { created: false, diff: '' } });
    expect(statSync(file('a.txt')).mtimeMs).toBe(1000);
    expect(recorded).toEqual([]);
  });

  it('holds to its limit, what is appended to included', async () => {
    const small = call(createWriteFileTool({ maxFileSizeBytes: 5 }));
    const message = (size: number) => expect.stringContaining(`would have ${size} bytes, over the limit of 5`);
    await expect(small({ path: 'a', content: '世世' })).rejects.toMatchObject({ reason: 'limit', message: message(6) });
    await small({ path: 'a', content: '12345' });
    await expect(small({ path: 'a', content: '6', mode: 'append' })).rejects.toMatchObject({ message: message(6) });
    await expect(write({ path: 'b', content: 'x'.repeat(1024 * 1024 + 1) })).rejects.toMatchObject({ reason: 'limit' });
    await write({ path: 'b', content: 'x'.repeat(1024 * 1024) });
  });

  it('refuses to overwrite what was changed since it was read, but adds to it', async () => {
    yard.write('ws/a.txt', 'one\n');
    await read({ path: 'a.txt' });
    writeFileSync(file('a.txt'), 'one\nby hand\n');
    await expect(write({ path: 'a.txt', content: 'mine' })).rejects.toThrow(/has changed since it was read/);
    await write({ path: 'a.txt', content: 'more\n', mode: 'append' });
    expect(content('a.txt')).toBe('one\nby hand\nmore\n');
    await write({ path: 'a.txt', content: 'mine' });
  });

  it('refuses paths outside, protected paths, and what is not a file', async () => {
    yard.write('outside/secret', 's');
    symlinkSync('../outside/secret', file('link'));
    for (const path of ['../x', 'link', '/etc/x']) {
      const denied = { reason: 'denied', message: 'Access denied: path outside workspace' };
      await expect(write({ path, content: 'x' }), path).rejects.toMatchObject(denied);
    }
    await expect(write({ path: '.git/hooks/x', content: '' })).rejects.toMatchObject({
      reason: 'denied',
      message: 'Access denied: .git/hooks/x is protected: git runs it',
    });
    await expect(write({ path: '.', content: '' })).rejects.toThrow(/Is a directory/);
    await expect(write({ path: 'x', content: '\ud800' })).rejects.toMatchObject({ code: 'invalid_args' });
    expect(recorded).toEqual([]);
  });

  it('changes nothing that cannot be recorded', async () => {
    yard.write('ws/a.txt', 'old');
    context.changes.record = () => Promise.reject(new StorageError('STORAGE_FULL', 'the disk is full'));
    const message = 'nothing was changed, because it could not be recorded for undo: the disk is full';
    await expect(write({ path: 'a.txt', content: 'new' })).rejects.toMatchObject({ name: 'ToolFailure', message });
    await expect(write({ path: 'new/x', content: 'new' })).rejects.toMatchObject({ message });
    expect(yard.tree().filter((entry) => entry.includes('/ws/'))).toEqual([`${file('')}`, `${file('a.txt')}: old`]);
  });

  it('says what becomes of hard links', async () => {
    yard.write('ws/a.txt', 'old');
    linkSync(file('a.txt'), file('b.txt'));
    expect((await write({ path: 'a.txt', content: 'new' })).text).toContain('It had 1 other name (hard links)');
    expect(content('b.txt')).toBe('old');
  });
});

describe('file_edit', () => {
  it('replaces the one place and shows it', async () => {
    yard.write('ws/a.txt', 'one\ntwo\nthree\n');
    const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n';
    expect(await edit({ path: 'a.txt', oldText: 'two', newText: '2' })).toEqual({
      data: { path: 'a.txt', replacements: 1, bytes: 12, diff },
      text: `Edited a.txt in 1 place.\n${diff}`,
    });
    expect(recorded).toMatchObject([{ tool: 'file_edit', path: 'a.txt', before: { mode: 0o644 } }]);
    expect(await edit({ path: 'a.txt', oldText: 'e', newText: 'E', replaceAll: true })).toMatchObject({
      data: { replacements: 3 },
    });
    expect(content('a.txt')).toBe('onE\n2\nthrEE\n');
  });

  it('keeps line endings, byte order mark, mode, and bytes that are not UTF-8', async () => {
    writeFileSync(file('a.bat'), Buffer.concat([Buffer.from('\ufeff@echo off\r\necho '), Buffer.from([0xff, 13, 10])]));
    chmodSync(file('a.bat'), 0o755);
    await edit({ path: 'a.bat', oldText: '@echo off\n', newText: '@echo on\nrem x\n' });
    const expected = [Buffer.from('\ufeff@echo on\r\nrem x\r\necho '), Buffer.from([0xff, 13, 10])];
    expect(readFileSync(file('a.bat'))).toEqual(Buffer.concat(expected));
    expect(statSync(file('a.bat')).mode & 0o777).toBe(0o755);
  });

  it('says when the text is there several times, and where', async () => {
    yard.write('ws/a.txt', 'x\ny\nx\nx = x\n');
    await expect(edit({ path: 'a.txt', oldText: 'x', newText: 'z' })).rejects.toThrow(
      'oldText occurs 4 times in a.txt (lines 1, 3, 4, 4): add lines around it until it is unique, or set replaceAll',
    );
    yard.write('ws/b.txt', 'aaa');
    await expect(edit({ path: 'b.txt', oldText: 'aa', newText: 'z' })).rejects.toThrow(/occurs 2 times/);
    expect(content('a.txt')).toBe('x\ny\nx\nx = x\n');
  });

  it('shows what comes closest when the text is not there', async () => {
    yard.write('ws/a.ts', 'if (a) {\n\tb();\n}\n');
    await expect(edit({ path: 'a.ts', oldText: 'if (a) {\n  b();\n}', newText: 'c' })).rejects.toThrow(
      'oldText does not occur in a.ts.\nClosest:\nlines 1-3 (differs only in indentation):\n1| if (a) {\n2| \tb();\n3| }\noldText must be copied exactly',
    );
    await expect(edit({ path: 'a.ts', oldText: 'nowhere', newText: '' })).rejects.toThrow(
      'oldText does not occur in a.ts. oldText must be copied exactly, white space included.',
    );
    writeFileSync(file('b'), Buffer.from([0x61, 0xff, 0x62]));
    await expect(edit({ path: 'b', oldText: 'a\ufffdb', newText: '' })).rejects.toThrow(/not valid UTF-8/);
  });

  it('keeps the charset of a text that is not UTF-8, and refuses what that lacks', async () => {
    writeFileSync(file('old.txt'), Buffer.from('cff0e8e2e5f22c20ece8f03d35', 'hex'));
    const args = { path: 'old.txt', oldText: 'мир=5', newText: 'дом=6' };
    const preview = await createEditFileTool().preview?.(args, context);
    expect(preview?.text).toContain('-Привет, мир=5\n\\ No newline at end of file\n+Привет, дом=6\n');
    await edit(args);
    expect(readFileSync(file('old.txt')).toString('hex')).toBe('cff0e8e2e5f22c20e4eeec3d36');
    await expect(edit({ path: 'old.txt', oldText: 'дом', newText: '你好' })).rejects.toThrow(
      'old.txt is text in windows-1251, which lacks a character of the new text',
    );
    expect(readFileSync(file('old.txt')).toString('hex')).toBe('cff0e8e2e5f22c20e4eeec3d36');
  });

  it('edits a text in GB18030 that has characters of four bytes, and writes them', async () => {
    // "付款队列满了，付款•失败,失败": the bullet has four bytes.
    writeFileSync(
      file('gb.txt'),
      Buffer.from('b8b6bfeeb6d3c1d0c2fac1cba3acb8b6bfee8136a631caa7b0dc2ccaa7b0dc0a', 'hex'),
    );
    await edit({ path: 'gb.txt', oldText: '失败\n', newText: '成功🌍\n' });
    expect(new TextDecoder('gb18030').decode(readFileSync(file('gb.txt')))).toBe('付款队列满了，付款•失败,成功🌍\n');
    expect(readFileSync(file('gb.txt')).toString('hex')).toMatch(
      /^b8b6bfeeb6d3c1d0c2fac1cba3acb8b6bfee8136a631caa7b0dc/,
    );
  });

  // What the charset has twice: 十 in Big5, € in GB18030, where Windows writes one byte.
  it.each([
    ['十二個付款失敗了，請再試一次', 'big5', 'a451a447add3a549b4daa5a2b1d1a446a141bdd0a641b8d5a440a6b80a'],
    ['付款队列满了，付款五€失败', 'gb18030', 'b8b6bfeeb6d3c1d0c2fac1cba3acb8b6bfeecee5a2e3caa7b0dc0a'],
    ['付款队列满了，付款五€失败', 'gb18030', 'b8b6bfeeb6d3c1d0c2fac1cba3acb8b6bfeecee580caa7b0dc0a'],
  ])('leaves each character of %s in %s as it is written in the file', async (text, charset, hex) => {
    writeFileSync(file('old.txt'), Buffer.from(hex, 'hex'));
    await edit({ path: 'old.txt', oldText: text, newText: `${text}${text}` });
    expect(readFileSync(file('old.txt')).toString('hex')).toBe(`${hex.slice(0, -2)}${hex}`);
    expect(new TextDecoder(charset).decode(readFileSync(file('old.txt')))).toBe(`${text}${text}\n`);
  });

  it('keeps the charset also where the file is written or added to', async () => {
    writeFileSync(file('old.txt'), Buffer.from('cff0e8e2e5f22c20ece8f0', 'hex'));
    await write({ path: 'old.txt', content: ' дом', mode: 'append' });
    expect(readFileSync(file('old.txt')).toString('hex')).toBe('cff0e8e2e5f22c20ece8f020e4eeec');
    await expect(write({ path: 'old.txt', content: '你好', mode: 'append' })).rejects.toThrow('text in windows-1251');
  });

  it('refuses what it cannot edit', async () => {
    writeFileSync(file('binary'), Buffer.from([0x61, 0, 0x62]));
    writeFileSync(file('utf16'), Buffer.from('\ufeffabc', 'utf16le'));
    yard.write('ws/a.txt', 'a\r\nb');
    await expect(edit({ path: 'binary', oldText: 'a', newText: 'b' })).rejects.toThrow('binary is a binary file');
    await expect(edit({ path: 'utf16', oldText: 'a', newText: 'b' })).rejects.toThrow('UTF-16');
    await expect(edit({ path: 'nope', oldText: 'a', newText: 'b' })).rejects.toThrow(
      'No such file: nope — file_write creates files',
    );
    await expect(edit({ path: 'a.txt', oldText: 'a\nb', newText: 'a\r\nb' })).rejects.toMatchObject({
      code: 'invalid_args',
      message: expect.stringContaining('are the same'),
    });
    await expect(edit({ path: '../x', oldText: 'a', newText: 'b' })).rejects.toMatchObject({ reason: 'denied' });
    writeFileSync(file('large'), Buffer.alloc(10 * 1024 * 1024 + 1, 'x'));
    await expect(edit({ path: 'large', oldText: 'a', newText: 'b' })).rejects.toMatchObject({ reason: 'limit' });
    expect(recorded).toEqual([]);
  });

  it('refuses a file that was changed since it was read, and says what is different', async () => {
    yard.write('ws/a.txt', 'one\ntwo\nthree\nfour\nfive\n');
    await read({ path: 'a.txt', startLine: 1, maxLines: 1 });
    writeFileSync(file('a.txt'), 'one\n2\nthree\nfour\nfive\nsix\n');
    await expect(edit({ path: 'a.txt', oldText: 'one', newText: '1' })).rejects.toThrow(
      /^a\.txt has changed since it was read \(.*\): 24 bytes then, 26 now\n1 line in place of 1 at line 2:\n2\| 2\n1 line new at line 6:\n6\| six\nRead it again first\.$/,
    );
    writeFileSync(file('a.txt'), 'one\nfour\nfive\n');
    await expect(edit({ path: 'a.txt', oldText: 'one', newText: '1' })).rejects.toThrow(
      /2 lines removed before line 2/,
    );
    await read({ path: 'a.txt' });
    await edit({ path: 'a.txt', oldText: 'one', newText: '1' });
    await edit({ path: 'a.txt', oldText: 'four', newText: '4' });
    expect(content('a.txt')).toBe('1\n4\nfive\n');
  });

  it('does not mind a file that was only touched, or saved again as it was', async () => {
    yard.write('ws/a.txt', 'one\n');
    await read({ path: 'a.txt' });
    utimesSync(file('a.txt'), 1, 1);
    writeFileSync(file('a.txt'), 'one\n');
    await edit({ path: 'a.txt', oldText: 'one', newText: '1' });
    expect(content('a.txt')).toBe('1\n');
  });

  it('previews exactly what it would do, and changes nothing', async () => {
    yard.write('ws/a.txt', 'one\ntwo\n');
    const args = { path: 'a.txt', oldText: 'two', newText: '2' };
    const preview = await createEditFileTool().preview?.(args, context);
    expect(content('a.txt')).toBe('one\ntwo\n');
    expect(preview).toEqual({
      summary: 'edit a.txt (1 place)',
      text: ((await edit(args)).data as { diff: string }).diff,
      paths: ['a.txt'],
    });
    const writing = createWriteFileTool();
    const previewWrite = (given: ToolArgs) => writing.preview?.(given, context);
    expect(await previewWrite({ path: 'new/x', content: 'abc' })).toEqual({
      summary: 'create new/x (3 bytes)',
      text: 'abc',
      paths: ['new/x'],
    });
    expect(await previewWrite({ path: 'a.txt', content: 'x' })).toMatchObject({ summary: 'overwrite a.txt' });
    expect(await previewWrite({ path: 'a.txt', content: 'x', mode: 'append' })).toMatchObject({
      summary: 'append to a.txt',
      text: expect.stringContaining('+x'),
    });
    await expect(previewWrite({ path: '.git/x', content: '' })).rejects.toMatchObject({ reason: 'denied' });
    await expect(createEditFileTool().preview?.({ ...args, oldText: 'nope' }, context)).rejects.toThrow(
      /does not occur/,
    );
    expect(recorded).toHaveLength(1);
  });
});

it('what a person was shown is what may be done: a file that changes before the answer is refused', async () => {
  yard.write('ws/a.txt', 'one\ntwo\n');
  const editing = { path: 'a.txt', oldText: 'one', newText: '1' };
  const creating = { path: 'new.txt', content: 'mine' };
  await createEditFileTool().preview?.(editing, context);
  await createWriteFileTool().preview?.(creating, context);
  writeFileSync(file('a.txt'), 'one\nthree\n');
  writeFileSync(file('new.txt'), 'by hand\n');
  await expect(edit(editing)).rejects.toThrow(/has changed since it was read/);
  await expect(write(creating)).rejects.toThrow(/1 line new at line 1:\n1\| by hand/);
});

describe('fs.read_file, reused', () => {
  const fingerprint = (path: string) => createReadFileTool().fingerprint?.({ path }, context);

  it('counts the content of a file that changed just now, because its times may not tell', async () => {
    yard.write('ws/a.txt', 'one');
    now = Date.now();
    const recent = await fingerprint('a.txt');
    expect(recent).toMatch(/\|[0-9a-f]{64}$/);
    expect(await fingerprint('a.txt')).toBe(recent);
    now += 10_000;
    expect(await fingerprint('a.txt')).not.toMatch(/\|[0-9a-f]{64}$/);
    expect(await fingerprint('missing')).toBeUndefined();
  });
});

it('an edit of a megabyte ends while a person would not notice', async () => {
  const lines = Array.from(
    { length: 15_000 },
    (_, index) => `const value${index} = compute(${index}, "some text, ${index}");`,
  );
  yard.write('ws/big.ts', `${lines.join('\n')}\n`.padEnd(1024 * 1024, '/'));
  const times: number[] = [];
  const diffs: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const begin = processorTime();
    const { data } = await edit({
      path: 'big.ts',
      oldText: `const value${round * 1000} =`,
      newText: `let value${round} =`,
    });
    times.push(processorTime() - begin);
    diffs.push((data as { diff: string }).diff);
  }
  expect(Math.max(...diffs.map((diff) => diff.length))).toBeLessThan(1_000);
  // The figure is 15 ms; a slower machine gets some room.
  expect(Math.min(...times)).toBeLessThan(75);
});
