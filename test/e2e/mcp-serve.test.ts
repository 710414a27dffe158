// `mcp serve` through the built binary, with the public client library on the other side.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { BINARY, lainclaw, type Running, startLainclaw } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

/** The library itself would wait for one minute. */
const TIMEOUT_MS = 170_000;
type Called = { content: { type: string; text: string }[]; structuredContent?: unknown; isError?: boolean };

async function connected(home: Home, ...flags: string[]): Promise<Client> {
  const env = { PATH: process.env.PATH ?? '', HOME: home.base, LANG: 'C.UTF-8', LAINCLAW_HOME: home.path };
  const args = [BINARY, 'mcp', 'serve', ...flags];
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: home.workspace }));
  afterFile(() => client.close());
  return client;
}

const call = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<Called> =>
  (await client.callTool({ name, arguments: args }, { timeout: TIMEOUT_MS })) as Called;
const names = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name);

function until(what: () => boolean): Promise<void> {
  return eventually(() => expect(what(), String(what)).toBe(true));
}

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
}

describe('over stdio', () => {
  it('offers every tool once, under a legal name, and calls it', async () => {
    const home = testHome();
    const client = await connected(home);
    const { tools } = await client.listTools();
    const offered = tools.map(({ name }) => name);
    expect(offered).toEqual(expect.arrayContaining(['time_now', 'fs_read_file', 'grep']));
    expect(offered.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true);
    expect(new Set(offered).size).toBe(offered.length);
    expect(tools.find(({ name }) => name === 'grep')?.annotations).toEqual({ readOnlyHint: true });
    expect(tools.find(({ name }) => name === 'file_write')?.annotations).toEqual({ readOnlyHint: false });

    home.file('a.txt', 'Grüße\n');
    const read = await call(client, 'fs_read_file', { path: 'a.txt' });
    expect(read.content[0]?.text).toContain('Grüße');
    expect(read.structuredContent).toMatchObject({ content: 'Grüße\n' });
    expect(await call(client, 'fs_read_file', { path: '../x' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('outside workspace') }],
    });
    expect(await call(client, 'fs_read_file', {})).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('"path" is missing') }],
    });
    await expect(call(client, 'no_such_tool')).rejects.toThrow('there is no tool "no_such_tool"');
  });

  it('bounds what a model receives, and hands it the whole no other way', async () => {
    const home = testHome();
    home.file('long.txt', 'word '.repeat(40_000));
    const read = await call(await connected(home), 'fs_read_file', { path: 'long.txt' });
    expect(read.content[0]?.text.length).toBeLessThan(60_000);
    expect(read.structuredContent).toBeUndefined();
  });

  it('asks nobody: what needs permission is denied with the reason, unless it was given beforehand', async () => {
    const home = testHome();
    const write = { path: 'made.txt', content: 'x' };
    const denied = await call(await connected(home), 'file_write', write);
    expect(denied).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('nobody is there') }] });
    expect(existsSync(join(home.workspace, 'made.txt'))).toBe(false);
    const never = await call(await connected(home, '--approve=never'), 'file_write', write);
    expect(never.content[0]?.text).toContain('the mode never refuses it');
    const allowed = await call(await connected(home, '--approve=auto'), 'file_write', write);
    expect(allowed.isError).toBeUndefined();
    expect(readFileSync(join(home.workspace, 'made.txt'), 'utf8')).toBe('x');
  });

  it('hides what an allow-list leaves out, from lists and from calls', async () => {
    const client = await connected(testHome(), '--tool-allow', 'time.now,bash');
    expect(await names(client)).toEqual(['time_now', 'bash']);
    await expect(call(client, 'fs_list_dir')).rejects.toThrow('there is no tool');
    expect(client.getServerCapabilities()).not.toHaveProperty('resources');
    expect(client.getServerCapabilities()).not.toHaveProperty('prompts');
  });

  it('offers the documentation as resources', async () => {
    const client = await connected(testHome());
    const { resources } = await client.listResources();
    const { uri = '' } = resources.find(({ name }) => name === 'permissions.md') ?? {};
    const { contents } = await client.readResource({ uri });
    expect(contents[0]).toMatchObject({
      uri,
      mimeType: 'text/markdown',
      text: expect.stringContaining('# Permissions'),
    });
    for (const bad of ['lainclaw-docs:///../package.json', 'file:///etc/passwd'])
      await expect(client.readResource({ uri: bad })).rejects.toThrow();
  });

  it('offers skills as prompts, and a client that loaded one needs a person from then on', async () => {
    const home = testHome();
    home.file('skills/tidy/SKILL.md', '---\nname: tidy\ndescription: Tidies up.\n---\n\nRun rm -rf.\n');
    const client = await connected(home, '--approve=auto');
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: 'tidy', description: 'Tidies up.' }]);
    expect((await call(client, 'bash', { command: 'touch before' })).isError).toBeUndefined();
    const { messages } = await client.getPrompt({ name: 'tidy' });
    expect(JSON.stringify(messages)).toContain('Run rm -rf.');
    const after = await call(client, 'bash', { command: 'touch Makefile' });
    expect(after).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("a person's approval") }] });
    expect(existsSync(join(home.workspace, 'Makefile'))).toBe(false);
  });

  it('tells progress, and ends a call that is cancelled with everything it started', async () => {
    const home = testHome();
    const client = await connected(home, '--approve=auto');
    const cancel = new AbortController();
    const said: string[] = [];
    // No other program on this machine sleeps for just so long.
    const seconds = String(100_000_000 + process.pid);
    const isSleeping = (): boolean => commandLines().some((line) => line.includes(seconds));
    const command = `echo started; sleep ${seconds} & wait`;
    const running = client.callTool(
      { name: 'bash', arguments: { command, timeoutMs: 120_000 } },
      { signal: cancel.signal, timeout: TIMEOUT_MS, onprogress: ({ message = '' }) => void said.push(message) },
    );
    running.catch(() => {});
    await until(() => said.join('').includes('started') && isSleeping());
    cancel.abort();
    await expect(running).rejects.toThrow();
    await until(() => !isSleeping());
    expect((await call(client, 'time_now')).isError).toBeUndefined();
  });

  it('says nothing but the protocol on stdout, and ends when the other side goes', async () => {
    const home = testHome();
    mkdirSync(home.path, { recursive: true });
    // It would offer itself to itself without end.
    const itself = { command: process.execPath, args: [BINARY, 'mcp', 'serve'] };
    writeFileSync(join(home.path, 'mcp.json'), JSON.stringify({ mcpServers: { itself } }));
    const running = startLainclaw(['mcp', 'serve'], { home });
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    await running.write('this is not JSON\n');
    await running.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize })}\n`);
    await running.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })}\n`);
    await running.saw('"id":2');
    running.kill('SIGTERM');
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { jsonrpc: string; id: number });
    expect(lines.map(({ jsonrpc, id }) => [jsonrpc, id])).toEqual([
      ['2.0', 1],
      ['2.0', 2],
    ]);
    expect(stdout).not.toContain('mcp__');
    expect(stderr).toBe('');

    const gone = await lainclaw(['mcp', 'serve'], { home, stdin: '' });
    expect([gone.code, gone.stdout]).toEqual([0, '']);
    const refused = await lainclaw(['mcp', 'serve', '--workspace', '/no/such'], { home });
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('--workspace /no/such is not accepted');
  });
});

interface Serving {
  url: string;
  token: string;
  tokenPath: string;
  running: Running;
}

async function serveHttp(home: Home, ...flags: string[]): Promise<Serving> {
  const running = startLainclaw(['mcp', 'serve', '--http', ...flags], { home });
  afterFile(() => running.kill('SIGKILL'));
  const tokenPath = join(home.path, 'mcp-token');
  await running.saw(`the bearer token is in ${tokenPath}`);
  const [, url = ''] = /listening at (\S+)/.exec(running.said()) ?? [];
  return { url, token: readFileSync(tokenPath, 'utf8').trim(), tokenPath, running };
}

/** With any header, also those `fetch` would not let us choose. */
function post(
  url: string,
  headers: Record<string, string>,
  body = '{"jsonrpc":"2.0","id":1,"method":"ping"}',
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    // A server that has refused does not read on.
    sent.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve(413) : reject(error),
    );
    sent.end(body);
  });
}

describe('over HTTP', () => {
  it('serves clients with the token, in the old protocol and the new', async () => {
    const home = testHome();
    const { url, token, tokenPath, running } = await serveHttp(home, '--tool-allow', 'time.now,bash');
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(statSync(tokenPath).mode & 0o777).toBe(0o600);
    expect(token.length).toBeGreaterThanOrEqual(43);
    for (const mode of ['legacy', 'auto'] as const) {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      const headers = { Authorization: `Bearer ${token}` };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
      expect(await names(client)).toEqual(['time_now', 'bash']);
      expect((await call(client, 'time_now')).structuredContent).toHaveProperty('iso');
      expect((await call(client, 'bash', { command: 'touch x' })).isError).toBe(true);
      await client.close();
    }
    running.kill('SIGTERM');
    const { code, stdout, stderr } = await running.ended;
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).not.toContain(token);
  });

  it('refuses everybody else, before anything is read', async () => {
    const home = testHome();
    const { url, token, tokenPath } = await serveHttp(home);
    const { port } = new URL(url);
    const bearer = { authorization: `Bearer ${token}` };
    expect(await post(url, {})).toBe(401);
    expect(await post(url, { authorization: `Bearer ${token}x` })).toBe(401);
    expect(await post(url, { authorization: `Bearer ${token.slice(0, -1)}` })).toBe(401);
    expect(await post(url, { authorization: `Basic ${token}` })).toBe(401);
    expect(await post(`${url}?token=${token}`, {})).toBe(401);
    expect(await post(url, { 'x-forwarded-for': '127.0.0.1' })).toBe(401);
    expect(await post(url, { ...bearer, host: 'evil.example' })).toBe(403);
    expect(await post(url, { ...bearer, host: `evil.example:${port}` })).toBe(403);
    expect(await post(url, { ...bearer, origin: 'https://evil.example' })).toBe(403);
    expect(await post(url, { ...bearer, origin: 'null' })).toBe(403);
    expect(await post(url, { ...bearer, 'content-type': 'text/plain' })).toBe(415);
    expect(await post(url, bearer, 'x'.repeat(5_000_000))).toBe(413);
    expect(await post(new URL('/other', url).href, bearer)).toBe(404);
    expect(
      await post(url, { ...bearer, 'mcp-session-id': 'made-up', accept: 'application/json, text/event-stream' }),
    ).toBe(404);
    writeFileSync(tokenPath, `${'n'.repeat(43)}\n`);
    expect(await post(url, bearer)).toBe(401);
    expect(await post(url, { ...bearer, authorization: `Bearer ${'n'.repeat(43)}` })).not.toBe(401);
  });

  it('does not start with a token that could be guessed, on a port that is taken, or with a flag it cannot use', async () => {
    const home = testHome();
    const { url } = await serveHttp(home);
    const taken = await lainclaw(['mcp', 'serve', '--http', '--port', new URL(url).port], { home });
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('choose another with --port')]);
    writeFileSync(join(home.path, 'mcp-token'), 'easy\n');
    const weak = await lainclaw(['mcp', 'serve', '--http'], { home });
    expect([weak.code, weak.stderr]).toEqual([1, expect.stringContaining('delete it, and Lainclaw makes a new one')]);
    expect((await lainclaw(['mcp', 'serve', '--port', '1'], { home })).code).toBe(2);
    expect((await lainclaw(['mcp', 'serve', '--http', '--port', '70000'], { home })).code).toBe(2);
  });
});
