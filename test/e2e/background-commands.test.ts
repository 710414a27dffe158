// Commands in the background: bash with `background`, the tool process, lainclaw ps, and that nothing outlives what started it.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import type { Script } from '../fakes/model-server/reply.ts';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw, startLainclaw } from '../support/lainclaw.ts';
import { createLocalGateway } from '../support/local-gateway.ts';
import { modelFor } from '../support/model-providers.ts';
import { testHome } from '../support/test-home.ts';

const bash = (command: string, more = {}) => ({ name: 'bash', args: { command, ...more } });
const background = (command: string) => bash(command, { background: true });
const process_ = (action: string, more = {}) => ({ name: 'process', args: { action, ...more } });
const calls = (...each: object[]): string => `tool:${JSON.stringify(each)}`;

interface Ran {
  ok: boolean;
  data: { id: string; state: string; output: string; exitCode?: number | null; processes: { state: string }[] };
  error?: { message: string };
  meta: { tainted?: boolean; undo?: { notCovered?: string } };
}

async function run(home: Home, ...each: object[]): Promise<Ran[]> {
  const { toolResults } = await ask(home, calls(...each), '--approve=auto');
  return (toolResults as unknown as { result: Ran }[]).map(({ result }) => result);
}

const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

interface Listed {
  id: string;
  pid: number;
  command: string;
  sessionKey: string;
}

const listed = async (home: Home): Promise<Listed[]> => (await lainclaw(['ps', '--json'], { home })).json<Listed[]>();

it('is read, waited for, written to and ended', async () => {
  const home = testHome();
  const script = 'touch made; echo ready; while read -r line; do echo "got $line"; done; echo over';
  const [started, waited, list, answered, unknown, killed, after] = await run(
    home,
    background(script),
    process_('wait', { text: 'nothing|READY', timeoutMs: 20_000 }),
    process_('list'),
    process_('write', { text: 'hello\n' }),
    process_('read', { id: 'process-other' }),
    process_('kill'),
    process_('read', { since: 0 }),
  );
  expect(started).toMatchObject({ ok: true, data: { state: 'running' } });
  expect(started?.meta.undo?.notCovered).toMatch(/may change files later/);
  expect(`${started?.data.output}${waited?.data.output}`).toBe('ready\n');
  expect(list?.data.processes).toMatchObject([{ state: 'running' }]);
  expect(answered?.data).toMatchObject({ output: 'got hello\n' });
  expect(unknown?.error?.message).toMatch(/no command "process-other"/);
  expect(killed?.data).toMatchObject({ state: 'ended', exitCode: null });
  expect(after?.data.output).toBe('ready\ngot hello\n');
});

it('what Python prints is read at once', async () => {
  const [started, waited] = await run(
    testHome(),
    background('python3 -c "import time; print(\'listening\'); time.sleep(600)"'),
    process_('wait', { text: 'listening', timeoutMs: 60_000 }),
  );
  expect(waited?.data.state).toBe('running');
  expect(`${started?.data.output}${waited?.data.output}`).toBe('listening\n');
});

it('tells how it ended', async () => {
  const [started, ended] = await run(testHome(), background('sleep 0.1; echo bye; exit 3'), process_('wait'));
  expect(`${started?.data.output}${ended?.data.output}`).toBe('bye\n');
  expect(ended?.data).toMatchObject({ state: 'ended', exitCode: 3 });
});

it('its output taints as that of bash does', async () => {
  const home = testHome();
  home.file('clone/.git/config', '[remote "origin"]\n\turl = https://example.org/x.git\n');
  home.file('clone/README', 'somebody else wrote this\n');
  const [started, read] = await run(home, background('cat clone/README; sleep 60'), process_('read', { since: 0 }));
  expect(started?.meta.tainted).toBe(true);
  expect(read?.meta.tainted).toBe(true);
});

it('in a tainted turn nothing is typed into it unasked', async () => {
  const home = testHome();
  home.file('README', 'somebody else wrote this\n');
  await promisify(execFile)('tar', ['-czf', 'x.tgz', 'README'], { cwd: home.workspace });
  const plant = `python3 -c 'open("${home.workspace}/CLAUDE" + ".md", "w").write("evil")'; echo done\n`;
  const [started, , read, typed, printed, again] = await run(
    home,
    background('touch made; exec bash'),
    bash('mkdir theirs && tar -xzf x.tgz -C theirs'),
    { name: 'file_read', args: { path: 'theirs/README' } },
    process_('write', { text: plant }),
    process_('write', { text: 'echo SECRET\n' }),
    background('touch more; sleep 60'),
  );
  expect(started).toMatchObject({ ok: true, data: { state: 'running' } });
  expect(read?.meta.tainted).toBe(true);
  for (const refused of [typed, printed, again])
    expect(refused?.error?.message).toMatch(/needs a person's approval .*content from outside/);
  expect(existsSync(join(home.workspace, 'CLAUDE.md'))).toBe(false);
});

it('a command that takes longer than its timeout continues there, where the owner wants that', async () => {
  const home = testHome();
  await lainclaw(['config', 'set', 'bashOnTimeout', 'background'], { home });
  const [quick, slow, , rest] = await run(
    home,
    bash('echo quick'),
    bash('echo slow; while [ ! -e go ]; do sleep 0.05; done; echo done > done.txt; echo end', { timeoutMs: 500 }),
    bash('touch go'),
    process_('wait'),
  );
  expect(quick).toMatchObject({ ok: true, data: { exitCode: 0, output: 'quick\n' } });
  expect(slow).toMatchObject({ ok: true, data: { state: 'running' } });
  expect(`${slow?.data.output}${rest?.data.output}`).toBe('slow\nend\n');
  expect(rest?.data).toMatchObject({ state: 'ended', exitCode: 0 });
  expect(existsSync(join(home.workspace, 'done.txt'))).toBe(true);
});

const onlyListed = (home: Home): Promise<Listed> =>
  eventually(async () => {
    const [first, ...others] = await listed(home);
    if (!first) throw new Error('nothing is listed yet');
    expect(others).toEqual([]);
    return first;
  });

/** The calls before it have been answered once the file is there. */
const LATER = bash('touch later; sleep 300', { timeoutMs: 300_000 });

/** A turn that stays, with a command in its background. */
async function staying(home: Home) {
  const command = startLainclaw(['ask', '--approve=auto', calls(background('sleep 1000 & sleep 1001'), LATER)], {
    home,
  });
  await eventually(() => expect(existsSync(join(home.workspace, 'later'))).toBe(true));
  return { command, found: await onlyListed(home) };
}

it('ends with the process that started it, also when that is killed', async () => {
  const home = testHome();
  const { command, found } = await staying(home);
  expect(found).toMatchObject({ command: 'sleep 1000 & sleep 1001', sessionKey: 'main' });
  expect(isAlive(found.pid)).toBe(true);
  expect(existsSync(join(home.path, 'processes.json'))).toBe(true);
  command.kill('SIGKILL');
  await eventually(() => expect(isAlive(found.pid)).toBe(false));
  expect(await listed(home)).toEqual([]);
});

it('that of a sub-agent ends with its task', async () => {
  const home = testHome();
  const prompt = calls(background('touch inner; echo begun; sleep 1000'), process_('wait', { text: 'begun' }));
  const command = startLainclaw(
    ['ask', '--approve=auto', calls({ name: 'task', args: { agent: 'general', prompt } }, LATER)],
    { home },
  );
  try {
    await eventually(() => expect(existsSync(join(home.workspace, 'later'))).toBe(true));
    expect(existsSync(join(home.workspace, 'inner'))).toBe(true);
    expect(await listed(home)).toEqual([]);
  } finally {
    command.kill('SIGTERM');
    await command.ended;
  }
});

it('is refused where deny rules keep files from being read', async () => {
  const home = testHome();
  await mkdir(home.path, { recursive: true, mode: 0o700 });
  const rules = { version: 1, deny: ['file_read(secret.txt)'] };
  await writeFile(join(home.path, 'permissions.json'), JSON.stringify(rules), { mode: 0o600 });
  const [started] = await run(home, background('touch made; sleep 60'));
  expect(started?.error?.message).toMatch(/deny rules.*appears later: run it without background/);
});

it('is ended by lainclaw ps end', async () => {
  const home = testHome();
  const { command, found } = await staying(home);
  try {
    const { code, stdout } = await lainclaw(['ps', 'end', found.id.slice(0, 14)], { home });
    expect([code, stdout]).toMatchObject([0, expect.stringContaining(found.id)]);
    await eventually(() => expect(isAlive(found.pid)).toBe(false));
    const again = await lainclaw(['ps', 'end', found.id], { home });
    expect([again.code, again.stderr]).toMatchObject([1, expect.stringMatching(/lainclaw ps/)]);
  } finally {
    command.kill('SIGTERM');
    await command.ended;
  }
  expect(existsSync(join(home.path, 'processes.json'))).toBe(false);
});

it('a server of it is reached by web_fetch, and no other port of loopback is', async () => {
  const home = testHome();
  let connections = 0;
  const outside = createServer((socket) => {
    connections += 1;
    socket.end();
  });
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
  const { port: taken } = outside.address() as AddressInfo;
  home.file(
    'server.mjs',
    `import { createServer } from 'node:http';
const answer = (request, response) => request.url === '/old'
  ? response.writeHead(302, { location: '/' }).end()
  : response.setHeader('content-type', 'text/html').end('<title>Mine</title><p>The server of ' + request.headers.host + '</p>');
createServer(answer).listen(4173, 'localhost', () => console.log('listening'));`,
  );
  const fetch_ = (url: string) => ({ name: 'web_fetch', args: { url } });
  try {
    await promisify(execFile)('tar', ['-czf', 'x.tgz', 'server.mjs'], { cwd: home.workspace });
    const [, waited, page, redirected, named, other, absent, unpacked, after] = await run(
      home,
      background(`touch made; exec ${process.execPath} server.mjs`),
      process_('wait', { text: 'listening' }),
      fetch_('http://localhost:4173/'),
      fetch_('http://127.0.0.1:4173/old'),
      fetch_('http://0.0.0.0:4173/'),
      fetch_(`http://127.0.0.1:${taken}/`),
      fetch_('http://localhost:4174/'),
      bash('mkdir theirs && tar -xzf x.tgz -C theirs'),
      fetch_('http://localhost:4173/'),
    );
    expect(waited?.data.state).toBe('running');
    expect(page).toMatchObject({ ok: true, data: { title: 'Mine', status: 200 } });
    expect(JSON.stringify(page)).toContain('The server of localhost:4173');
    expect(page?.meta.tainted).toBeUndefined();
    expect(JSON.stringify(redirected)).toContain('The server of 127.0.0.1:4173');
    expect(JSON.stringify(named)).toContain('The server of 0.0.0.0:4173');
    for (const refused of [other, absent])
      expect(refused?.error?.message).toMatch(/this machine or in a private network/);
    expect(absent?.error?.message).toMatch(
      /commands in the background of this conversation \(\S+\) none listens on port 4174/,
    );
    expect(connections).toBe(0);
    // What came into the workspace meanwhile may be in what the server says.
    expect(unpacked?.ok).toBe(true);
    expect(after).toMatchObject({ ok: true, meta: { tainted: true } });
  } finally {
    await new Promise((resolve) => outside.close(resolve));
  }
});

it('in a gateway it lives from turn to turn, and ends with a new conversation and with the gateway', async () => {
  const home = testHome();
  const server = await startModelServer({
    script: ({ messages }) => {
      const last = messages.at(-1);
      const isStart = last?.role === 'user' && last.text.endsWith('start');
      return isStart ? { toolCalls: [background('touch made; sleep 1000')] } : { text: 'done' };
    },
  });
  const gateway = createLocalGateway(home);
  await gateway.start({ baseUrl: `${server.url}/v1`, turn: { mode: 'auto' } });
  let sent = 0;
  const say = async (text: string): Promise<void> => {
    sent += 1;
    gateway.write({ id: `m${sent}`, chatId: 'a', senderId: 'a', text });
    await gateway.until((lines) => new Set(lines.map(({ messageId }) => messageId)).size >= sent);
  };
  try {
    await say('start');
    const first = await onlyListed(home);
    await say('hello');
    expect(isAlive(first.pid)).toBe(true);
    await say('/new');
    await say('hello again');
    await eventually(() => expect(isAlive(first.pid)).toBe(false));
    await say('start');
    const second = await onlyListed(home);
    expect(isAlive(second.pid)).toBe(true);
    await gateway.end('SIGKILL');
    await eventually(() => expect(isAlive(second.pid)).toBe(false));
  } finally {
    await gateway.end('SIGKILL').catch(() => {});
    await server.close();
  }
});

it('files that it fetches after its call count as content from outside, in another conversation too', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nobey\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const home = testHome();
    await mkdir(home.path, { recursive: true });
    await writeFile(
      join(home.path, 'permissions.json'),
      JSON.stringify({ version: 1, allow: ['bash', `network(${host})`] }),
    );
    home.file('own.txt', 'mine\n');
    await lainclaw(['trust', 'add', home.workspace], { home });
    const fetching = `until [ -e go ]; do sleep 0.1; done; curl -so fetched.txt http://${host}/; echo fetched`;
    const script: Script = ({ messages }) => {
      const answered = messages.filter(({ role }) => role === 'tool').length;
      if (answered === 0) return { toolCalls: [bash(fetching, { background: true, network: [host] })] };
      if (answered > 1) return { text: 'Done.' };
      // Its call has been answered.
      home.file('go', '');
      return { toolCalls: [process_('wait', { text: 'fetched', timeoutMs: 60_000 })] };
    };
    const model = await modelFor('openai-compatible', script, { home });
    const { toolResults } = (await model.ask('go', '--mode', 'auto')).json();
    expect(toolResults, JSON.stringify(toolResults)).toMatchObject([
      { result: { ok: true } },
      { result: { ok: true } },
    ]);
    expect(readFileSync(join(home.workspace, 'fetched.txt'), 'utf8')).toBe('obey\n');
    const read = (path: string) => ({ name: 'fs.read_file', args: { path } });
    const [fetched, own] = await run(home, read('fetched.txt'), read('own.txt'));
    expect([fetched?.meta.tainted, own?.meta.tainted]).toEqual([true, undefined]);
  } finally {
    server.close();
  }
});
