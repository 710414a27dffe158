// MCP servers through the built binary: a real public server over stdio and HTTP, and one that misbehaves.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, runBinary, startLainclaw } from '../support/lainclaw.ts';
import { filesHolding, modelFor } from '../support/model-providers.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const require = createRequire(import.meta.url);
const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const RAW = join(ROOT, 'test/fakes/mcp/raw-server.ts');

const mcp = (home: Home, ...args: string[]) => lainclaw(['mcp', ...args], { home });
const addEverything = (home: Home) => mcp(home, 'add', 'everything', '--', process.execPath, EVERYTHING, 'stdio');
const toolMessages = (request: NeutralRequest | undefined) =>
  (request?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message] : []));

function configure(home: Home, mcpServers: unknown): void {
  mkdirSync(home.path, { recursive: true, mode: 0o700 });
  writeFileSync(join(home.path, 'mcp.json'), JSON.stringify({ mcpServers }));
}

/** With the raw server as `raw`; its pids, oldest first. */
function withRaw(home: Home, ...manner: string[]): () => number[] {
  const pidFile = join(home.base, 'pids');
  configure(home, {
    raw: { command: process.execPath, args: [RAW, pidFile, ...manner], env: { SECRET: `\${MY_SECRET}` } },
  });
  return () => (existsSync(pidFile) ? readFileSync(pidFile, 'utf8').trim().split('\n').map(Number) : []);
}

function until(what: () => boolean): Promise<void> {
  return eventually(() => expect(what(), String(what)).toBe(true));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function startEverythingOverHttp(): Promise<{ url: string; child: ChildProcess }> {
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = probe.address() as { port: number };
      probe.close(() => resolve(free));
    });
  });
  const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
  });
  afterFile(() => child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk));
  await until(() => said.includes('listening'));
  return { url: `http://127.0.0.1:${port}/mcp`, child };
}

describe('the servers of mcp.json', () => {
  it('are added, listed, tested and removed, over stdio', async () => {
    const home = testHome();
    const added = await addEverything(home);
    expect(added.stderr).toBe('');
    expect(added.json<unknown>()).toMatchObject({ name: 'everything', reached: true, command: process.execPath });
    expect(added.json<{ tools: string[] }>().tools).toContain('mcp__everything__echo');
    expect(statSync(join(home.path, 'mcp.json')).mode & 0o777).toBe(0o600);
    const again = await addEverything(home);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('add --force to replace it')]);

    const { servers } = (await mcp(home, 'list')).json<{ servers: { name: string; tools: string[] }[] }>();
    expect(servers.map(({ name, tools }) => [name, tools.includes('mcp__everything__echo')])).toEqual([
      ['everything', true],
    ]);
    const tested = (await mcp(home, 'test', 'everything')).json<{ tools: { name: string }[] }>();
    expect(tested.tools.map(({ name }) => name)).toContain('echo');
    const mistyped = await mcp(home, 'test', 'everythin');
    expect(mistyped.stderr).toContain('did you mean everything?');

    const info = await lainclaw(['tools', 'info', 'mcp__everything__echo'], { home });
    expect(info.json<unknown>()).toMatchObject({ requiresPermission: true, source: 'mcp', available: true });
    expect((await mcp(home, 'remove', 'everything')).json<unknown>()).toEqual({ removed: 'everything' });
    expect((await mcp(home, 'list')).json<unknown>()).toEqual({ servers: [], problems: [] });
    expect((await lainclaw(['tools', 'list'], { home })).stdout).not.toContain('mcp__');
  });

  it('work over streamable HTTP, with headers from the environment', async () => {
    const { url } = await startEverythingOverHttp();
    const home = testHome();
    const added = await mcp(home, 'add', 'web', '--url', url, '--header', `Authorization=Bearer \${TOKEN_OF_MINE}`);
    expect(added.stderr).toContain('needs the environment variable TOKEN_OF_MINE, which is not set');
    const env = { TOKEN_OF_MINE: 'token-9hQ2' };
    const tested = await lainclaw(['mcp', 'test', 'web'], { home, env });
    expect(tested.json<{ tools: { name: string }[] }>().tools.map(({ name }) => name)).toContain('echo');
    const args = ['tools', 'invoke', 'mcp__web__echo', '--args', '{"message":"привет"}', '--approve', 'auto'];
    const { stdout, json } = await lainclaw(args, { home, env });
    expect(json<{ result: unknown }>().result).toMatchObject({ ok: true, meta: { tainted: true } });
    expect(stdout).toContain('Echo: привет');
    expect(filesHolding(home.path, 'token-9hQ2')).toEqual([]);
  });

  it('keep their secrets: in mcp.json and nowhere else', async () => {
    const home = testHome();
    const pidFile = join(home.base, 'pids');
    const said = [
      await mcp(
        home,
        'add',
        'raw',
        '--env',
        'SECRET=s3cr3t-aaaa',
        '--',
        process.execPath,
        RAW,
        pidFile,
        '--api-key',
        's3cr3t-bbbb',
      ),
      await mcp(home, 'add', 'web', '--url', 'http://127.0.0.1:9/?key=s3cr3t-dddd', '--header', 'X=s3cr3t-eeee'),
      await mcp(home, 'list'),
      await mcp(home, 'add', 'user', '--url', 'http://me:s3cr3t-cccc@127.0.0.1:9/'),
      await mcp(home, 'list', '--text'),
      await mcp(home, 'test', 'raw'),
      await mcp(home, 'test', 'web'),
      await mcp(home, 'add', 'raw', '--', 'nothing'),
      await lainclaw(['ask', 'hello'], { home }),
      await mcp(home, 'remove', 'raw'),
    ];
    for (const { stdout, stderr } of said) expect(stdout + stderr).not.toContain('s3cr3t');
    expect(said[2]?.stdout).toContain('***');
    expect(filesHolding(home.path, 's3cr3t')).toEqual(['mcp.json']);
  });

  it('get what was named for them of the environment, and nothing else', async () => {
    const home = testHome();
    withRaw(home);
    const args = ['tools', 'invoke', 'mcp__raw__secret', '--approve', 'auto', '--text'];
    const env = { MY_SECRET: 'abc', LAINCLAW_API_KEY: 'not-for-you' };
    const { stdout } = await lainclaw(args, { home, env });
    expect(stdout.trim()).toBe('SECRET is abc, KEY is undefined');
  });

  it('have their tools described in clean text, and what cannot be used is left out with the reason', async () => {
    const home = testHome();
    withRaw(home);
    const { stderr, json } = await lainclaw(['mcp', 'test', 'raw'], { home, env: { MY_SECRET: '' } });
    const { tools } = json<{ tools: { name: string; description: string }[] }>();
    expect(tools.map(({ name }) => name)).toEqual(['pid', 'die', 'hang', 'secret']);
    expect(tools[0]?.description).toBe('does pid as it says');
    expect(stderr).toMatch(/left out bad name!: its name holds more than/);
    expect(stderr).toMatch(/left out bad-schema: /);
  });

  it('that end at once are reported in their own words, without what is secret in them', async () => {
    const script = 'console.error("I need " + process.env.KEY); process.exit(3)';
    const args = ['add', 'bad', '--env', 'KEY=hidden-value', '--', process.execPath, '-e', script];
    const { stderr } = await mcp(testHome(), ...args);
    expect(stderr).toContain('the server "bad" cannot be used: Connection closed; it said: I need ');
    expect(stderr).not.toContain('hidden-value');
  });

  it('are reported when they cannot be used, and the turn continues', async () => {
    const home = testHome();
    configure(home, { gone: { command: '/no/such/program' } });
    const first = await lainclaw(['ask', 'hello'], { home });
    expect([first.code, first.json().success]).toEqual([0, true]);
    expect(first.stderr).toContain('MCP server gone: the server "gone" cannot be used: the program was not found');
    writeFileSync(join(home.path, 'mcp.json'), '{"mcpServers": {"a": {"comand": "x"}, "b c": {"url": "ftp://x"}}');
    const second = await lainclaw(['ask', 'hello'], { home });
    expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('mcp.json is not valid JSON')]);
    configure(home, { a: { command: 'x', agrs: [] }, 'b c': { url: 'ftp://x' } });
    const third = await lainclaw(['ask', 'hello'], { home });
    expect(third.json().success).toBe(true);
    for (const part of ['did you mean "args"', '"b c" cannot name a server', 'http:// or https://'])
      expect(third.stderr).toContain(part);
    expect((await mcp(home, 'list')).code).toBe(1);
  });

  it('say when the directory they should start in is missing', async () => {
    const home = testHome();
    const cwd = join(home.base, 'gone');
    configure(home, { raw: { command: process.execPath, args: [RAW, join(home.base, 'pids')], cwd } });
    const { code, stderr } = await mcp(home, 'test', 'raw');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`its "cwd" ${cwd} is not a directory`)]);
    expect(stderr).not.toContain('not found');
  });

  it('are only those of the home: a workspace cannot add one', async () => {
    const home = testHome();
    const pidFile = join(home.base, 'pids');
    const theirs = JSON.stringify({ mcpServers: { raw: { command: process.execPath, args: [RAW, pidFile] } } });
    for (const name of ['mcp.json', '.mcp.json', '.lainclaw/mcp.json']) home.file(name, theirs);
    const { code, stdout } = await lainclaw(['tools', 'list'], { home });
    expect([code, stdout.includes('mcp__'), existsSync(pidFile)]).toEqual([0, false, false]);
    await lainclaw(['ask', 'hello'], { home });
    expect(existsSync(pidFile)).toBe(false);
  });

  it('cost nothing where there are none: their code is not even loaded', async () => {
    const home = testHome();
    // With options of Node's, the bundle is loaded by Node itself, which then tells what it loads.
    const env = { NODE_DEBUG: 'module', NODE_OPTIONS: '--no-deprecation' };
    const isLoaded = async () =>
      /open-mcp|modelcontextprotocol/.test((await runBinary(['ask', 'hello'], { home, env })).stderr);
    expect(await isLoaded()).toBe(false);
    withRaw(home);
    expect(await isLoaded()).toBe(true);
  });
});

describe('a turn', () => {
  it('calls a tool of a server with permission, and its result taints the turn', async () => {
    const { ask, asked, home } = await modelFor('openai-compatible', [
      { toolCalls: [{ name: 'mcp__everything__echo', args: { message: 'from far away' } }] },
      { toolCalls: [{ name: 'bash', args: { command: 'touch contained' } }] },
      { toolCalls: [{ name: 'mcp__everything__echo', args: { message: 'what was read' } }] },
      { text: 'Done.' },
    ]);
    await addEverything(home);
    const { code, json } = await ask('echo it', '--mode=auto', '--tool-max-steps=5');
    expect(code).toBe(0);
    const [echo, bash, again] = json().toolResults.map(({ result }) => result);
    expect(echo).toMatchObject({ ok: true, meta: { tainted: true } });
    expect(bash).toMatchObject({ ok: true });
    expect(existsSync(join(home.workspace, 'contained'))).toBe(true);
    const message = expect.stringMatching(
      /content from outside \(the MCP server "everything"\).*lainclaw mcp trust everything/,
    );
    expect(again).toMatchObject({ ok: false, error: { reason: 'denied', message } });
    expect(asked[0]?.tools.map(({ name }) => name)).toContain('mcp__everything__echo');
    expect(JSON.stringify(toolMessages(asked[1]))).toContain('Echo: from far away');
  });

  it('of a server that is trusted asks nobody and taints nothing, until it is trusted no more', async () => {
    const echo = { toolCalls: [{ name: 'mcp__everything__echo', args: { message: 'from home' } }] };
    const { ask, home, follow } = await modelFor('openai-compatible', []);
    const twice = (): void => {
      let calls = 0;
      follow(() => (++calls > 2 ? { text: 'Done.' } : echo));
    };
    await addEverything(home);
    const trusted = await lainclaw(['mcp', 'trust', 'everything', 'mcp__everything__echo'], { home });
    expect(trusted.json()).toEqual({ name: 'everything', trusted: ['echo'] });
    twice();
    const results = (await ask('echo it', '--tool-max-steps=5')).json().toolResults;
    expect(results.map(({ result }) => [result.ok, result.meta.tainted])).toEqual([
      [true, undefined],
      [true, undefined],
    ]);
    await lainclaw(['mcp', 'distrust', 'everything'], { home });
    twice();
    const refused = (await ask('echo it', '--tool-max-steps=5', '--new-session')).json().toolResults;
    expect(refused[0]?.result).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('lainclaw mcp trust everything') },
    });
  });

  it('shows the model a picture of a server, and keeps it in a file', async () => {
    const { ask, asked, home } = await modelFor('openai-compatible', [
      { toolCalls: [{ name: 'mcp__everything__get-tiny-image', args: {} }] },
      { text: 'A logo.' },
    ]);
    await addEverything(home);
    const { code, json } = await ask('show it', '--approve=auto');
    expect(code).toBe(0);
    const [shown] = json().toolResults.map(
      ({ result }) => result as { pictures?: { mediaType: string; path: string }[] },
    );
    const [picture] = shown?.pictures ?? [];
    expect(picture).toEqual({
      mediaType: 'image/png',
      path: expect.stringContaining(join(home.path, 'outputs')),
      isForPerson: true,
    });
    const data = readFileSync(picture?.path ?? '', 'base64');
    expect(JSON.stringify(asked[1]?.raw)).toContain(data);
    expect(JSON.stringify(toolMessages(asked[1]))).toContain(picture?.path);
    // The journal holds where it is, not what it is.
    const holding = filesHolding(home.path, data.slice(0, 100));
    expect(holding).toEqual([]);
    expect(filesHolding(home.path, picture?.path ?? '').length).toBeGreaterThan(0);
  });

  it('does not call one unasked', async () => {
    const { ask, home } = await modelFor('openai-compatible', [
      { toolCalls: [{ name: 'mcp__raw__pid', args: {} }] },
      { text: 'Not allowed.' },
    ]);
    const pids = withRaw(home);
    await lainclaw(['mcp', 'test', 'raw'], { home, env: { MY_SECRET: '' } });
    const { json } = await ask('call it');
    expect(json().toolError).toMatchObject({
      tool: 'mcp__raw__pid',
      message: expect.stringContaining('needs permission'),
    });
    // What is known of a server does not have to be asked again: it was started once, by the test.
    expect(pids()).toHaveLength(1);
  });

  it('starts a server again that died', async () => {
    const call = (name: string) => ({ toolCalls: [{ name: `mcp__raw__${name}`, args: {} }] });
    const env = { MY_SECRET: '' };
    const script = [call('die'), call('pid'), { text: 'Done.' }];
    const { ask, home } = await modelFor('openai-compatible', script, { env });
    const pids = withRaw(home);
    await lainclaw(['mcp', 'test', 'raw'], { home, env });
    const { json } = await ask('go', '--approve=auto', '--tool-max-steps=5', '--no-memory');
    const results = json().toolResults.map(({ result }) => result);
    expect(results.map(({ ok }) => ok)).toEqual([false, true]);
    expect(results[0]).toMatchObject({ error: { message: expect.stringContaining('the server "raw"') } });
    const [, first, second] = pids();
    expect(first).not.toBe(second);
    expect(JSON.stringify(results[1])).toContain(String(second));
    await until(() => pids().every((pid) => !isRunning(pid)));
  });

  it('ends with Ctrl-C while a server hangs, and nothing of it stays', async () => {
    const env = { MY_SECRET: '' };
    const { start, home } = await modelFor(
      'openai-compatible',
      [{ toolCalls: [{ name: 'mcp__raw__hang', args: {} }] }],
      {
        env,
      },
    );
    const pids = withRaw(home, 'stubborn');
    const running = start('go', '--approve=auto');
    const log = join(home.path, 'logs', 'mcp-raw.log');
    await until(() => existsSync(log) && readFileSync(log, 'utf8').includes('hanging'));
    running.kill('SIGINT');
    const { code, json } = await running.ended;
    expect([code, json().stage]).toEqual([130, 'cancelled']);
    await until(() => pids().length > 0 && pids().every((pid) => !isRunning(pid)));
  });

  it('leaves nothing behind of what a server started, as npx does', async () => {
    const home = testHome();
    const pids = withRaw(home, 'stubborn');
    const { raw } = JSON.parse(readFileSync(join(home.path, 'mcp.json'), 'utf8')).mcpServers;
    const wrapped = ['-c', '"$0" "$@"; true', raw.command, ...raw.args];
    configure(home, { raw: { command: 'sh', args: wrapped } });
    const { stdout } = await lainclaw(['tools', 'invoke', 'mcp__raw__pid', '--approve', 'auto', '--text'], { home });
    expect(pids()).toEqual([Number(stdout)]);
    await until(() => !isRunning(pids()[0] ?? 0));
  });

  it('leaves nothing of a stubborn server behind, even when asked twice to end at once', async () => {
    const home = testHome();
    const pids = withRaw(home, 'mute');
    const running = startLainclaw(['ask', 'hello'], { home, env: { MY_SECRET: '' } });
    await until(() => pids().length === 1);
    running.kill('SIGINT');
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    await until(() => !isRunning(pids()[0] ?? 0));
  });
});
