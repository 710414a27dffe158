import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createYard, type Yard } from '../../test/workspace-race/yard.ts';
import { createWorkspace, type WorkspaceOptions } from './confined.ts';
import type { Workspace, WriteOptions, Written } from './workspace.ts';

const DENIED = { code: 'outside', message: 'Access denied: path outside workspace' };

let yard: Yard;
beforeEach(() => {
  yard = createYard();
  yard.write('ws/a.txt', 'a');
  yard.write('ws/sub/b.txt', 'b');
  yard.write('outside/secret.txt', 'secret');
});
afterEach(() => yard.remove());

const ways: [string, Pick<WorkspaceOptions, 'guarantee'>][] = [
  ['descriptor-walk', {}],
  ['checked-path', { guarantee: 'checked-path' }],
];

describe.each(ways)('writing, %s', (_, way) => {
  let workspace: Workspace;
  beforeEach(async () => {
    workspace = await createWorkspace({ root: yard.root, ...way });
  });

  const inside = (path: string): string => `${yard.root}/${path}`;
  const content = (path: string): string => readFileSync(inside(path), 'utf8');
  const everything = (): string[] => yard.tree();

  function write(path: string, text: string, options: Partial<WriteOptions> = {}): Promise<Written> {
    return workspace.writeFile(path, Buffer.from(text), { mode: 'overwrite', createParents: true, ...options });
  }

  /** Nothing anywhere is created, changed or left behind. */
  async function expectRefusal(path: string, error: object, options: Partial<WriteOptions> = {}): Promise<void> {
    const before = everything();
    await expect(write(path, 'evil', options), path).rejects.toMatchObject(error);
    expect(everything(), path).toEqual(before);
    expect(readFileSync(`${yard.outside}/secret.txt`, 'utf8')).toBe('secret');
  }

  it('creates a file with the directories on the way, and tells what it made', async () => {
    await expect(write('x/y/z.txt', 'new')).resolves.toMatchObject({
      path: 'x/y/z.txt',
      created: true,
      previous: undefined,
      madeDirectories: ['x', 'x/y'],
    });
    expect(content('x/y/z.txt')).toBe('new');
    expect(readdirSync(inside('x/y'))).toEqual(['z.txt']);
    await expect(write('./sub//c.txt', 'c')).resolves.toMatchObject({ path: 'sub/c.txt', madeDirectories: [] });
  });

  it('gives a new file what the umask leaves and keeps the mode of an old one', async () => {
    const umask = process.umask(0o027);
    try {
      await write('new/file', '');
      expect(statSync(inside('new/file')).mode & 0o7777).toBe(0o640);
      expect(statSync(inside('new')).mode & 0o777).toBe(0o750);
      for (const mode of [0o755, 0o600, 0o4755, 0o666]) {
        chmodSync(inside('a.txt'), mode);
        await write('a.txt', String(mode));
        expect(statSync(inside('a.txt')).mode & 0o7777).toBe(mode & 0o777);
      }
      await write('a.txt', 'x', { permissions: 0o640 });
      expect(statSync(inside('a.txt')).mode & 0o777).toBe(0o640);
    } finally {
      process.umask(umask);
    }
  });

  it.runIf(process.getuid?.() === 0)('keeps the owner', async () => {
    chownSync(inside('a.txt'), 1234, 4321);
    await write('a.txt', 'x');
    expect(statSync(inside('a.txt'))).toMatchObject({ uid: 1234, gid: 4321 });
  });

  it('replaces in one step: a program that has the old file open continues to read it', async () => {
    const opened = await workspace.openFile('a.txt');
    const written = await write('a.txt', 'something longer');
    expect(await opened.handle.readFile('utf8')).toBe('a');
    await opened.handle.close();
    const again = await workspace.openFile('a.txt');
    await again.handle.close();
    expect(again.fingerprint).toBe(written.fingerprint);
    expect(written).toMatchObject({ created: false, previous: { size: 1, links: 1 } });
  });

  it('writes into nothing that waits under the name of its temporary file', async () => {
    symlinkSync('../outside/secret.txt', `${yard.root}/waiting`);
    const options = { mode: 'overwrite', createParents: false, temporaryName: 'waiting' } as const;
    for (const path of ['a.txt', 'new.txt'])
      await expect(workspace.writeFile(path, Buffer.from('evil'), options)).rejects.toThrow();
    expect(readFileSync(`${yard.root}/../outside/secret.txt`, 'utf8')).toBe('secret');
    expect(readFileSync(`${yard.root}/a.txt`, 'utf8')).toBe('a');
    expect(existsSync(`${yard.root}/new.txt`)).toBe(false);
  });

  it('appends, and creates what is not there', async () => {
    await expect(write('a.txt', 'bc', { mode: 'append' })).resolves.toMatchObject({ created: false });
    await expect(write('log', '1', { mode: 'append' })).resolves.toMatchObject({ created: true });
    expect([content('a.txt'), content('log')]).toEqual(['abc', '1']);
  });

  it('leaves other names of the same file alone: a hard link may lead out', async () => {
    linkSync(`${yard.outside}/secret.txt`, inside('linked'));
    await expect(write('linked', 'new')).resolves.toMatchObject({ previous: { links: 2 } });
    await expect(write('linked', '!', { mode: 'append' })).resolves.toMatchObject({ previous: { links: 1 } });
    expect(content('linked')).toBe('new!');
    expect(readFileSync(`${yard.outside}/secret.txt`, 'utf8')).toBe('secret');
  });

  it('writes through links that stay inside, dangling ones included', async () => {
    symlinkSync('sub/b.txt', inside('link'));
    symlinkSync(inside('sub'), inside('dir'));
    symlinkSync('sub/later', inside('dangling'));
    symlinkSync('deep/down', inside('far'));
    await expect(write('link', '1')).resolves.toMatchObject({ path: 'sub/b.txt', created: false });
    await expect(write('dir/b.txt', '2')).resolves.toMatchObject({ path: 'sub/b.txt' });
    await expect(write('dangling', '3')).resolves.toMatchObject({ path: 'sub/later', created: true });
    await expect(write('far', '4')).resolves.toMatchObject({ path: 'deep/down', madeDirectories: ['deep'] });
    expect([content('sub/b.txt'), content('sub/later'), content('deep/down')]).toEqual(['2', '3', '4']);
    expect(readdirSync(yard.root).sort()).toEqual(['a.txt', 'dangling', 'deep', 'dir', 'far', 'link', 'sub']);
  });

  it('refuses links that lead out, and creates nothing there', async () => {
    symlinkSync(`${yard.outside}/secret.txt`, inside('leaf'));
    symlinkSync(`${yard.outside}/new.txt`, inside('dangling'));
    symlinkSync('../outside', inside('dir'));
    symlinkSync('../../outside/x/y', inside('sub/deep'));
    symlinkSync(`${yard.root}-evil/x`, inside('beside'));
    for (const path of [
      'leaf',
      'dangling',
      'dir/secret.txt',
      'dir/new',
      'dir/x/y',
      'sub/deep',
      'sub/deep/z',
      'beside',
    ]) {
      await expectRefusal(path, DENIED);
      await expectRefusal(path, DENIED, { mode: 'append' });
      await expect(workspace.makeDirectory(`${path}/new`), path).rejects.toMatchObject({});
      await expect(workspace.remove(path, { kind: 'file' }), path).rejects.toMatchObject(DENIED);
      await expect(workspace.locate(path), path).rejects.toMatchObject(DENIED);
    }
    expect(readdirSync(yard.outside)).toEqual(['secret.txt']);
  });

  it('refuses what is not a regular file, at once', async () => {
    execFileSync('mkfifo', [inside('pipe')]);
    const server = createServer().listen(inside('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      for (const path of ['pipe', 'socket']) {
        await expectRefusal(path, { code: 'not_a_file', message: `Not a regular file: ${path}` });
        await expectRefusal(path, { code: 'not_a_file' }, { mode: 'append' });
      }
      for (const path of ['.', 'sub', 'sub/', 'sub/..', `${yard.root}/sub`, '..//ws']) {
        await expectRefusal(path, { code: 'not_a_file' });
      }
      const all = await createWorkspace({ root: '/', ...way });
      for (const path of ['/dev/null', '/dev/full', '/dev/tty']) {
        await expect(
          all.writeFile(path, Buffer.from('x'), { mode: 'append', createParents: true }),
        ).rejects.toMatchObject({ message: `Not a regular file: ${path}` });
      }
    } finally {
      server.close();
    }
  });

  it('refuses paths that name no file', async () => {
    await expectRefusal('new/', { code: 'not_found' });
    await expectRefusal('new/.', { code: 'not_found' });
    await expectRefusal('missing/../b', { code: 'not_found' });
    await expectRefusal('missing/..', { code: 'not_found' });
    await expectRefusal('a.txt/b', { code: 'not_a_directory' });
    await expectRefusal('a.txt/', { code: 'not_a_directory' });
    await expectRefusal('', { code: 'invalid_path' });
    await expectRefusal('a\0b', { code: 'invalid_path' });
    await expectRefusal('x'.repeat(256), { code: 'invalid_path' });
    await expectRefusal(`new/${'x'.repeat(256)}`, { code: 'invalid_path' });
    await expectRefusal(`${'x'.repeat(256)}/new`, { code: 'invalid_path' });
    await expectRefusal(`${'d/'.repeat(300)}e`, { code: 'invalid_path' });
    await expectRefusal('new/x', { code: 'not_found' }, { createParents: false });
  });

  it('changes nothing when the file is not what was expected', async () => {
    const opened = await workspace.openFile('a.txt');
    await opened.handle.close();
    writeFileSync(inside('a.txt'), 'by hand');
    await expectRefusal('a.txt', { code: 'changed' }, { expected: opened.fingerprint });
    await expectRefusal('a.txt', { code: 'changed' }, { expected: 'absent' });
    await expectRefusal('missing', { code: 'changed' }, { expected: opened.fingerprint });
    expect(content('a.txt')).toBe('by hand');
    await expect(write('new', '1', { expected: 'absent' })).resolves.toMatchObject({ created: true });
  });

  it('sees what happens between the look and the replacement', async () => {
    const during = (act: () => void) => ({ beforeReplacing: async () => act() });
    await expectUnchanged('a.txt', () => writeFileSync(inside('a.txt'), 'by hand'), 'by hand');
    await expectUnchanged('fresh', () => writeFileSync(inside('fresh'), 'mine'), 'mine');
    await expect(
      write(
        'a.txt',
        'x',
        during(() => renameSync(inside('a.txt'), inside('moved'))),
      ),
    ).rejects.toMatchObject({
      code: 'changed',
    });
    symlinkSync(`${yard.outside}/secret.txt`, inside('evil'));
    await expect(
      write(
        'sub/b.txt',
        'x',
        during(() => renameSync(inside('evil'), inside('sub/b.txt'))),
      ),
    ).rejects.toThrow();
    expect(readFileSync(`${yard.outside}/secret.txt`, 'utf8')).toBe('secret');

    async function expectUnchanged(path: string, act: () => void, left: string): Promise<void> {
      await expect(write(path, 'x', during(act)), path).rejects.toMatchObject({ code: 'changed' });
      expect(content(path)).toBe(left);
    }
  });

  it('takes back everything when the last step is refused', async () => {
    const failure = new Error('no record');
    const refused = { beforeReplacing: () => Promise.reject(failure) };
    const before = everything();
    await expect(write('a.txt', 'x', refused)).rejects.toBe(failure);
    await expect(write('new/deep/file', 'x', refused)).rejects.toBe(failure);
    await expect(write('new/deep/file', 'x', { maxBytes: 0 })).rejects.toMatchObject({ code: 'too_large' });
    expect(everything()).toEqual(before);
    expect(content('a.txt')).toBe('a');
  });

  it('tells the place before it is taken', async () => {
    symlinkSync('sub', inside('link'));
    const places: unknown[] = [];
    await write('link/new/file', 'x', { beforeReplacing: async (place) => void places.push(place) });
    expect(places).toEqual([{ path: 'sub/new/file', madeDirectories: ['sub/new'] }]);
    await expect(workspace.locate('link/other/file')).resolves.toEqual({ path: 'sub/other/file', exists: false });
    await expect(workspace.locate('link/b.txt')).resolves.toEqual({ path: 'sub/b.txt', exists: true });
    await expect(workspace.locate('.')).resolves.toEqual({ path: '.', exists: true });
    expect(existsSync(inside('sub/other'))).toBe(false);
  });

  it('holds the whole file to the limit, what is appended to included', async () => {
    await expectRefusal(
      'a.txt',
      { code: 'too_large', message: 'a.txt would have 4 bytes, over the limit of 3' },
      { maxBytes: 3 },
    );
    await expectRefusal('a.txt', { code: 'too_large' }, { maxBytes: 4, mode: 'append' });
    await expect(write('a.txt', 'bcd', { maxBytes: 4, mode: 'append' })).resolves.toMatchObject({ created: false });
  });

  it('never changes what is protected, wherever the path comes from and also before it exists', async () => {
    const guarded = await createWorkspace({
      root: yard.root,
      ...way,
      protectedPaths: (path, absolute) =>
        path.toLowerCase().startsWith('.git') && absolute === `${yard.root}/${path}` ? 'git runs it' : undefined,
    });
    mkdirSync(inside('sub/in'));
    symlinkSync('../.git', inside('sub/link'));
    const error = {
      code: 'protected',
      message: expect.stringMatching(/^Access denied: \.git.* is protected: git runs it$/i),
    };
    const before = everything();
    for (const path of [
      '.git/hooks/x',
      '.GIT/config',
      'sub/link/hooks/x',
      'sub/../.git/x',
      inside('.git'),
      'sub/in/../../.git/x',
    ]) {
      const options = { mode: 'overwrite', createParents: true } as const;
      await expect(guarded.writeFile(path, Buffer.from('x'), options), path).rejects.toMatchObject(error);
      await expect(guarded.makeDirectory(path), path).rejects.toMatchObject(error);
      await expect(guarded.remove(path, { kind: 'file' }), path).rejects.toMatchObject(error);
      await expect(guarded.locate(path), path).rejects.toMatchObject(error);
    }
    expect(everything()).toEqual(before);
  });

  it('stops when aborted, before and in the middle', async () => {
    const reason = new Error('enough');
    const before = everything();
    await expect(write('new/x', 'x', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const beforeReplacing = async (): Promise<void> => controller.abort(reason);
    await expect(write('new/x', 'x', { signal: controller.signal, beforeReplacing })).rejects.toBe(reason);
    expect(everything()).toEqual(before);
  });

  it('makes directories, and says which were missing', async () => {
    await expect(workspace.makeDirectory('p/q')).resolves.toEqual({ path: 'p/q', madeDirectories: ['p', 'p/q'] });
    await expect(workspace.makeDirectory('p/q/')).resolves.toEqual({ path: 'p/q', madeDirectories: [] });
    await expect(workspace.makeDirectory('p/r/')).resolves.toEqual({ path: 'p/r', madeDirectories: ['p/r'] });
    await expect(workspace.makeDirectory('.')).resolves.toEqual({ path: '.', madeDirectories: [] });
    await expect(workspace.makeDirectory('a.txt')).rejects.toMatchObject({ code: 'not_a_directory' });
    await expect(workspace.makeDirectory('a.txt/x')).rejects.toMatchObject({ code: 'not_a_directory' });
    await expect(workspace.makeDirectory('../outside/x')).rejects.toMatchObject(DENIED);
    expect(readdirSync(yard.outside)).toEqual(['secret.txt']);
  });

  it('removes files and empty directories, and nothing else', async () => {
    const opened = await workspace.openFile('a.txt');
    await opened.handle.close();
    await expect(workspace.remove('a.txt', { kind: 'file', expected: 'other' })).rejects.toMatchObject({
      code: 'changed',
    });
    await expect(workspace.remove('a.txt', { kind: 'empty-directory' })).rejects.toMatchObject({
      code: 'not_a_directory',
    });
    await expect(workspace.remove('sub', { kind: 'file' })).rejects.toMatchObject({ code: 'not_a_file' });
    await expect(workspace.remove('sub', { kind: 'empty-directory' })).rejects.toMatchObject({ code: 'changed' });
    await expect(workspace.remove('.', { kind: 'empty-directory' })).rejects.toMatchObject({ code: 'no_permission' });
    await expect(workspace.remove('missing', { kind: 'file' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(workspace.remove('x/y', { kind: 'file' })).rejects.toMatchObject({ code: 'not_found' });
    await workspace.remove('a.txt', { kind: 'file', expected: opened.fingerprint });
    await workspace.remove('sub/b.txt', { kind: 'file' });
    await workspace.remove('sub', { kind: 'empty-directory' });
    expect(readdirSync(yard.root)).toEqual([]);
  });

  it('holds a file or a directory for another program, and nothing else', async () => {
    symlinkSync('sub', inside('link'));
    const held = await workspace.hold('link');
    expect(held).toMatchObject({ kind: 'directory', path: 'sub' });
    renameSync(inside('sub'), inside('moved'));
    expect(readdirSync(`/proc/self/fd/${held.fd}`)).toEqual(['b.txt']);
    held.release();
    const file = await workspace.hold('a.txt');
    expect(readFileSync(`/proc/self/fd/${file.fd}`, 'utf8')).toBe('a');
    file.release();
    execFileSync('mkfifo', [inside('pipe')]);
    await expect(workspace.hold('pipe')).rejects.toMatchObject({ code: 'not_a_file' });
    await expect(workspace.hold('../outside')).rejects.toMatchObject(DENIED);
  });

  it.runIf(existsSync('/proc/self/fd'))('gives every descriptor back', async () => {
    const count = (): number => readdirSync('/proc/self/fd').length;
    await write('warm', 'x');
    const before = count();
    const attempts = ['a.txt', 'n/e/w', '../x', 'sub', 'a.txt/x', 'n/', 'sub/b.txt', '/etc/passwd'];
    for (let round = 0; round < 20; round += 1) {
      const controller = new AbortController();
      const signal = round % 2 === 0 ? undefined : controller.signal;
      const running = attempts.flatMap((path) => [
        write(path, String(round), { signal }),
        workspace.makeDirectory(`${path}/d`, signal),
        workspace.remove(path, { kind: 'file', signal }),
        workspace.locate(path, signal),
      ]);
      setImmediate(() => controller.abort());
      await Promise.allSettled(running);
    }
    expect(count()).toBe(before);
  });
});

it('a write in a directory that was moved out meanwhile stays with that directory', async () => {
  // What is held is the directory, not its name: the one thing a swap can do is carry it away with what is in it.
  const workspace = await createWorkspace({ root: yard.root });
  await workspace.writeFile('sub/b.txt', Buffer.from('x'), {
    mode: 'overwrite',
    createParents: true,
    async beforeReplacing() {
      renameSync(`${yard.root}/sub`, `${yard.base}/moved`);
      symlinkSync(yard.outside, `${yard.root}/sub`);
    },
  });
  expect(readFileSync(`${yard.base}/moved/b.txt`, 'utf8')).toBe('x');
  expect(readdirSync(yard.outside)).toEqual(['secret.txt']);
});
