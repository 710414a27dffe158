import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withoutPrivileges } from '../../test/workspace-race/privileges.ts';
import { createYard, type Yard } from '../../test/workspace-race/yard.ts';
import type { WorkspaceErrorCode } from '../vocabulary/workspace-error.ts';
import { createWorkspace, type WorkspaceOptions } from './confined.ts';
import type { Workspace } from './workspace.ts';

const DENIED = { code: 'outside', message: 'Access denied: path outside workspace' };

let yard: Yard;
beforeEach(() => {
  yard = createYard();
  yard.write('ws/a.txt', 'a');
  yard.write('ws/sub/b.txt', 'b');
  yard.write('ws/sub/deep/c.txt', 'c');
  yard.write('outside/secret.txt', 'secret');
});
afterEach(() => yard.remove());

const ways: [string, Pick<WorkspaceOptions, 'guarantee'>][] = [
  ['descriptor-walk', {}],
  ['checked-path', { guarantee: 'checked-path' }],
];

describe.each(ways)('%s', (_, options) => {
  let workspace: Workspace;
  beforeEach(async () => {
    workspace = await createWorkspace({ root: yard.root, ...options });
  });

  async function read(path: string): Promise<{ path: string; content: string }> {
    const opened = await workspace.openFile(path);
    try {
      return { path: opened.path, content: await opened.handle.readFile('utf8') };
    } finally {
      await opened.handle.close();
    }
  }

  function expectRefusal(path: string, code: WorkspaceErrorCode, message: string): Promise<void> {
    return expect(workspace.openFile(path), path).rejects.toMatchObject({ name: 'WorkspaceError', code, message });
  }

  async function expectDenied(...paths: string[]): Promise<void> {
    for (const path of paths) {
      await expect(workspace.openFile(path), path).rejects.toMatchObject(DENIED);
      await expect(workspace.list(path, { recursive: true, maxDepth: 9, maxEntries: 99 }), path).rejects.toMatchObject(
        DENIED,
      );
    }
  }

  it('opens relative and absolute spellings of a file inside and tells where it really is', async () => {
    const cases: [string, string][] = [
      ['a.txt', 'a.txt'],
      ['./././a.txt', 'a.txt'],
      ['.//sub///b.txt', 'sub/b.txt'],
      ['sub/../a.txt', 'a.txt'],
      ['sub/deep/../../sub/./b.txt', 'sub/b.txt'],
      ['../ws/a.txt', 'a.txt'],
      ['sub/../../ws/sub/b.txt', 'sub/b.txt'],
      ['../outside/../ws/a.txt', 'a.txt'],
      [`${'../'.repeat(40)}${yard.root}/a.txt`, 'a.txt'],
      [`${yard.root}/sub/b.txt`, 'sub/b.txt'],
      [`${yard.root}/../ws/a.txt`, 'a.txt'],
      [`/${yard.root}/a.txt`, 'a.txt'],
      [`/..${yard.root}//a.txt`, 'a.txt'],
    ];
    for (const [path, real] of cases) {
      const content = real === 'a.txt' ? 'a' : 'b';
      await expect(read(path), path).resolves.toEqual({ path: real, content });
    }
  });

  it('refuses whatever ends outside, in the same words whether or not it exists', async () => {
    yard.write('ws-evil/a.txt', 'evil');
    await expectDenied('..', '../', '../outside', '../outside/secret.txt', '../outside/missing', '../missing/x/y');
    await expectDenied('/', '/etc/passwd', '/etc/missing', '/missing', '/missing/x', yard.base, yard.outside);
    await expectDenied(
      '../ws-evil/a.txt',
      `${yard.root}-evil/a.txt`,
      `${yard.root}-missing/a.txt`,
      `${yard.root}-evil`,
    );
    await expectDenied('sub/../../outside/secret.txt', '../outside/secret.txt/x', `../${'x'.repeat(300)}`);
    await expectDenied('../../../../../../../../../../../../etc/passwd', '/dev/zero', '/proc/self/environ');
  });

  it('is not fooled by a path that comes through the root and leaves it again', async () => {
    const detours = [
      '../ws/..',
      '../ws/sub/../..',
      `/..${yard.root}/..`,
      `/${yard.root}/sub/../..`,
      '../outside/../ws/..',
    ];
    symlinkSync('../../ws/..', `${yard.root}/sub/detour`);
    for (const detour of [...detours, 'sub/detour', `${yard.root}/..`]) {
      await expectDenied(detour, `${detour}/outside`, `${detour}/outside/secret.txt`, `${detour}/missing`);
      await expect(read(`${detour}/ws/a.txt`), detour).resolves.toEqual({ path: 'a.txt', content: 'a' });
    }
  });

  it('follows links that stay inside, however they are written', async () => {
    symlinkSync('sub/b.txt', `${yard.root}/relative`);
    symlinkSync(`${yard.root}/sub/b.txt`, `${yard.root}/absolute`);
    symlinkSync('../../ws/sub/b.txt', `${yard.root}/sub/round`);
    symlinkSync('relative', `${yard.root}/chain`);
    symlinkSync('./sub//deep/', `${yard.root}/folder`);
    symlinkSync('.', `${yard.root}/self`);
    for (const path of ['relative', 'absolute', 'sub/round', 'chain', 'folder/../b.txt', 'self/self/self/chain']) {
      await expect(read(path), path).resolves.toEqual({ path: 'sub/b.txt', content: 'b' });
    }
    await expect(read('folder/c.txt')).resolves.toEqual({ path: 'sub/deep/c.txt', content: 'c' });
  });

  it('goes up from where a link leads, not from where it is', async () => {
    yard.write('ws/sub/x', 'beside the target');
    yard.write('ws/x', 'beside the link');
    symlinkSync('sub/deep', `${yard.root}/link`);
    await expect(read('link/../x')).resolves.toEqual({ path: 'sub/x', content: 'beside the target' });
    symlinkSync(yard.outside, `${yard.root}/out`);
    await expectDenied('out/../outside/secret.txt');
    await expect(read('out/../ws/x')).resolves.toEqual({ path: 'x', content: 'beside the link' });
  });

  it('refuses links that lead out, dangling ones included', async () => {
    symlinkSync(yard.outside, `${yard.root}/dir`);
    symlinkSync('../outside', `${yard.root}/relative`);
    symlinkSync('../../outside/secret.txt', `${yard.root}/sub/leaf`);
    symlinkSync('sub/leaf', `${yard.root}/chain`);
    symlinkSync('/missing/entirely', `${yard.root}/dangling`);
    symlinkSync(`${yard.root}-evil/x`, `${yard.root}/prefix`);
    symlinkSync('loop', `${yard.outside}/loop`);
    await expectDenied('dir', 'dir/secret.txt', 'dir/missing', 'relative/secret.txt', 'sub/leaf', 'chain');
    await expectDenied('dangling', 'dangling/x', 'prefix', 'dir/loop', 'dir/secret.txt/..');
  });

  it('ends a loop of links and a chain of more than forty', async () => {
    symlinkSync('ping', `${yard.root}/pong`);
    symlinkSync('pong', `${yard.root}/ping`);
    symlinkSync('a.txt', `${yard.root}/l0`);
    for (let i = 1; i <= 41; i += 1) symlinkSync(`l${i - 1}`, `${yard.root}/l${i}`);
    await expectRefusal('ping', 'too_many_links', 'Too many symbolic links: ping');
    await expectRefusal('ping/x', 'too_many_links', 'Too many symbolic links: ping/x');
    await expectRefusal('l40', 'too_many_links', 'Too many symbolic links: l40');
    await expect(read('l39')).resolves.toEqual({ path: 'a.txt', content: 'a' });
  });

  it('takes strange names literally', async () => {
    const names = ['..foo', '...', '. .', '-rf', 'back\\slash', '..\\a.txt', 'two\nlines', ' ', '~', '$HOME', '%2e%2e'];
    for (const name of [...names, 'каталог', '文件.txt', '👩‍💻', 'e\u0301', '\u00e9', 'x'.repeat(255)]) {
      yard.write(`ws/odd/${name}`, name);
      await expect(read(`odd/${name}`), name).resolves.toEqual({ path: `odd/${name}`, content: name });
    }
  });

  it('names the path as it was given when something is missing or of the wrong kind', async () => {
    symlinkSync('missing', `${yard.root}/dangling`);
    await expectRefusal('notes/a.md', 'not_found', 'No such file: notes/a.md');
    await expectRefusal('dangling', 'not_found', 'No such file: dangling');
    await expectRefusal('two\nlines', 'not_found', 'No such file: two\\u000alines');
    await expectRefusal('sub', 'not_a_file', 'Is a directory: sub — use fs.list_dir');
    await expectRefusal('.', 'not_a_file', 'Is a directory: . — use fs.list_dir');
    await expectRefusal(yard.root, 'not_a_file', `Is a directory: ${yard.root} — use fs.list_dir`);
    await expectRefusal('a.txt/', 'not_a_directory', 'Part of the path is not a directory: a.txt/');
    await expectRefusal('a.txt/..', 'not_a_directory', 'Part of the path is not a directory: a.txt/..');
    await expectRefusal(
      'a.txt/../sub/b.txt',
      'not_a_directory',
      'Part of the path is not a directory: a.txt/../sub/b.txt',
    );
  });

  it('refuses spellings that are not a path', async () => {
    const long = 'x'.repeat(256);
    await expectRefusal('', 'invalid_path', 'Invalid path: it is empty');
    await expectRefusal('a.txt\0.png', 'invalid_path', 'Invalid path: it contains a NUL character');
    await expectRefusal(`${'./'.repeat(2048)}a`, 'invalid_path', 'Invalid path: longer than 4096 characters');
    await expectRefusal(long, 'invalid_path', `File name too long: ${long}`);
    await expect(read(`${'./'.repeat(2045)}a.txt`)).resolves.toMatchObject({ content: 'a' });
  });

  it('goes 256 levels down and no further', async () => {
    const parents = 'd/'.repeat(255);
    yard.write(`ws/${parents}e/file`, 'too deep');
    yard.write(`ws/${parents}file`, 'deep');
    await expect(read(`${parents}file`)).resolves.toMatchObject({ content: 'deep' });
    const deeper = `${parents}e/file`;
    await expectRefusal(deeper, 'invalid_path', `Too many nested directories: ${deeper}`);
    await expect(read(`${'sub/../'.repeat(400)}a.txt`)).resolves.toMatchObject({ content: 'a' });
  });

  it('refuses a FIFO, a socket and a device at once', async () => {
    execFileSync('mkfifo', [`${yard.root}/pipe`]);
    symlinkSync('pipe', `${yard.root}/to-pipe`);
    const server = createServer().listen(`${yard.root}/socket`);
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      await expectRefusal('pipe', 'not_a_file', 'Not a regular file: pipe');
      await expectRefusal('to-pipe', 'not_a_file', 'Not a regular file: to-pipe');
      await expectRefusal('socket', 'not_a_file', 'Not a regular file: socket');
      const everything = await createWorkspace({ root: '/', ...options });
      symlinkSync('/dev/zero', `${yard.root}/zero`);
      for (const path of ['/dev/zero', '/dev/tty', `${yard.root}/zero`]) {
        await expect(everything.openFile(path)).rejects.toMatchObject({ message: `Not a regular file: ${path}` });
      }
    } finally {
      server.close();
    }
    await expectDenied('zero');
  });

  it('says when the user may not read', async () => {
    chmodSync(yard.base, 0o755);
    chmodSync(`${yard.root}/a.txt`, 0o200);
    chmodSync(`${yard.root}/sub`, 0o644);
    chmodSync(yard.outside, 0o000);
    await withoutPrivileges(async () => {
      await expectRefusal('a.txt', 'no_permission', 'Permission denied: a.txt');
      await expectRefusal('sub/b.txt', 'no_permission', 'Permission denied: sub/b.txt');
      await expectDenied('../outside/secret.txt');
      await expect(createWorkspace({ root: `${yard.root}/sub/deep`, ...options })).rejects.toMatchObject({
        code: 'no_permission',
        message: `Permission denied: ${yard.root}/sub/deep`,
      });
    });
  });

  it('gives a file that keeps its content when the path is replaced after opening', async () => {
    const opened = await workspace.openFile('a.txt');
    renameSync(`${yard.root}/a.txt`, `${yard.base}/moved`);
    symlinkSync(`${yard.outside}/secret.txt`, `${yard.root}/a.txt`);
    await expect(opened.handle.readFile('utf8')).resolves.toBe('a');
    await opened.handle.close();
  });

  it('gives a fingerprint that changes with identity, size and time, and only then', async () => {
    const fingerprint = async (path = 'a.txt'): Promise<string> => {
      const opened = await workspace.openFile(path);
      await opened.handle.close();
      return opened.fingerprint;
    };
    linkSync(`${yard.root}/a.txt`, `${yard.root}/same`);
    const seen = [await fingerprint()];
    expect(await fingerprint()).toBe(seen[0]);
    expect(await fingerprint('same')).toBe(seen[0]);
    writeFileSync(`${yard.root}/a.txt`, 'aa');
    seen.push(await fingerprint());
    utimesSync(`${yard.root}/a.txt`, 1, 1);
    seen.push(await fingerprint());
    yard.write('ws/new', 'aa');
    renameSync(`${yard.root}/new`, `${yard.root}/a.txt`);
    seen.push(await fingerprint());
    expect(new Set(seen).size).toBe(4);
  });

  it('stops when aborted, with the reason it was given', async () => {
    const reason = new Error('enough');
    await expect(workspace.openFile('sub/b.txt', AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(workspace.openFile('/etc/passwd', AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
