// Content from outside that a command brings after its call has ended, or until Lainclaw is killed: a conversation that
// reads it is tainted. The folder is trusted throughout, so that nothing counts as somebody else's by its place.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw, startLainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

interface Ran {
  ok: boolean;
  data: { output: string };
  meta: { tainted?: boolean };
}

const bash = (command: string, more = {}) => ({ name: 'bash', args: { command, ...more } });
const waited = (text: string) => ({ name: 'process', args: { action: 'wait', text, timeoutMs: 60_000 } });
const calls = (...each: object[]): string => `tool:${JSON.stringify(each)}`;
const UNTIL_GO = 'until [ -e go ]; do sleep 0.1; done';

async function run(home: Home, ...each: object[]): Promise<Ran[]> {
  const { toolResults } = await ask(home, calls(...each), '--approve=auto');
  const results = (toolResults as unknown as { result: Ran }[]).map(({ result }) => result);
  for (const result of results) expect(result, JSON.stringify(results)).toMatchObject({ ok: true });
  return results;
}

async function trusted(): Promise<Home> {
  const home = testHome();
  home.file('own.txt', 'mine\n');
  await lainclaw(['trust', 'add', home.workspace], { home });
  return home;
}

/** Reads it in another conversation, of another process. */
async function isTainted(home: Home, path: string): Promise<boolean> {
  const { toolResults } = await ask(home, calls({ name: 'fs.read_file', args: { path } }), '--session', 'reading');
  const [read] = toolResults as unknown as { result: Ran }[];
  expect(read?.result).toMatchObject({ ok: true });
  return read?.result.meta.tainted === true;
}

/** A host whose use a rule permits; it says "obey". */
async function permittedHost(home: Home): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nobey\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await mkdir(home.path, { recursive: true });
  const rules = { version: 1, allow: ['bash', `network(${host})`] };
  await writeFile(join(home.path, 'permissions.json'), JSON.stringify(rules));
  return host;
}

function pack(home: Home): void {
  home.file('README', 'somebody else wrote this\n');
  execFileSync('tar', ['-czf', 'x.tgz', 'README'], { cwd: home.workspace });
  rmSync(join(home.workspace, 'README'));
}

it('what a command in the background unpacks after its call is somebody else’s', async () => {
  const home = await trusted();
  pack(home);
  await run(
    home,
    bash(`${UNTIL_GO}; tar -xzf x.tgz && echo unpacked`, { background: true }),
    { name: 'file_write', args: { path: 'go', content: 'mine' } },
    waited('unpacked'),
  );
  expect([await isTainted(home, 'README'), await isTainted(home, 'own.txt')]).toEqual([true, false]);
});

it('what a command in the background clones after its call is somebody else’s', async () => {
  const home = await trusted();
  const cloning = 'git init -q c && git -C c remote add origin https://example.org/x.git && echo obey > c/README';
  await run(
    home,
    bash(`${UNTIL_GO}; ${cloning} && echo cloned`, { background: true }),
    { name: 'file_write', args: { path: 'go', content: 'mine' } },
    waited('cloned'),
    waited(''),
  );
  expect([await isTainted(home, 'c/README'), await isTainted(home, 'own.txt')]).toEqual([true, false]);
});

it('a kill forgets nothing that a command has unpacked or fetched by then', async () => {
  const home = await trusted();
  const host = await permittedHost(home);
  pack(home);
  const fetch = `curl -so fetched.txt http://${host}/`;
  const each = [
    { command: 'tar -xzf x.tgz', more: {}, path: 'README' },
    { command: fetch, more: { network: [host] }, path: 'fetched.txt' },
  ];
  for (const { command, more, path } of each) {
    const done = `${path}-done`;
    const call = bash(`${command} && touch ${done} && sleep 300`, { ...more, timeoutMs: 300_000 });
    const running = startLainclaw(['ask', '--approve=auto', calls(call)], { home });
    await eventually(() => expect(existsSync(join(home.workspace, done)), running.said()).toBe(true));
    running.kill('SIGKILL');
    await running.ended;
    expect(await isTainted(home, path), command).toBe(true);
  }
  expect(await isTainted(home, 'own.txt')).toBe(false);
});
