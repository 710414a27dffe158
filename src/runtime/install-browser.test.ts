// `mcp add browser` through the program, with a registry of our own whose package tells what it sees from where it runs.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startNpmRegistry } from '../../test/support/npm-registry.ts';
import { testOperations } from '../../test/support/test-operations.ts';
import { BROWSER_PACKAGE, BROWSER_VERSION } from '../mcp/browser-server.ts';

/** Takes the place of Playwright's server: one tool, which tries to read and to write the paths that it is given. */
const SERVER = `
const { existsSync, writeFileSync } = require('node:fs');
const canWrite = (path) => { try { writeFileSync(path, 'x'); return true; } catch { return false; } };
const look = ({ reads = [], writes = [] }) => ({
  argv: process.argv.slice(2), interfaces: Object.keys(require('node:os').networkInterfaces()), cwd: process.cwd(), home: process.env.HOME,
  reads: reads.map((path) => existsSync(path)), writes: writes.map(canWrite),
});
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fake', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'look', description: 'Looks around.', inputSchema: { type: 'object' } }] }),
  'tools/call': async ({ arguments: given }) => ({ content: [{ type: 'text', text: JSON.stringify({ ...look(given), reached: await Promise.all((given.urls ?? []).map(reach)) }) }] }),
};
/** As the browser does: through the proxy that it was started with. */
const reach = (url) => new Promise((resolve) => {
  const proxy = new URL(process.argv[process.argv.indexOf('--proxy-server') + 1]);
  const request = require('node:http').get({ host: proxy.hostname, port: proxy.port, path: url, headers: { host: new URL(url).host } }, (answer) => {
    let text = '';
    answer.on('data', (part) => (text += part)).on('end', () => resolve(answer.statusCode + ' ' + text.trim()));
  });
  request.on('error', (error) => resolve(error.message));
});
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const body = answer ? { result: await answer(params) } : { error: { code: -32601, message: 'no such method' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...body }) + '\\n');
});
`;

async function withRegistry() {
  const folder = mkdtempSync(join(tmpdir(), 'lainclaw-browser-'));
  const manifest = { name: BROWSER_PACKAGE, version: BROWSER_VERSION, scripts: { postinstall: 'touch was-run' } };
  mkdirSync(join(folder, 'package'));
  writeFileSync(join(folder, 'package', 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package', 'cli.js'), SERVER);
  const archive = execFileSync('tar', ['-cz', '-C', folder, 'package']);
  const registry = await startNpmRegistry({ manifest, archive });
  onTestFinished(() => {
    registry.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, 'cache'),
    LAINCLAW_CHROMIUM: process.execPath,
  };
}

/** A server on this machine, and what it was asked. */
async function insideServer() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('inside');
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

it('the browser is fetched in its exact version, confined to its folder, and its results taint', async () => {
  const variables = await withRegistry();
  const { invoke, folder } = await testOperations({ variables });
  const browser = join(folder, 'home', 'browser');
  const secret = join(folder, 'home', 'secret.txt');
  const [secretServer, namedServer] = [await insideServer(), await insideServer()];
  mkdirSync(join(folder, 'home'), { recursive: true });
  const config = { privateHosts: [`127.0.0.1:${namedServer.port}`] };
  writeFileSync(join(folder, 'home', 'config.json'), JSON.stringify(config));
  expect(await invoke('mcp.add', { name: 'browser', recipe: 'browser' })).toMatchObject({
    reached: true,
    tools: ['mcp__browser__look'],
  });
  writeFileSync(secret, 'kept');
  const installed = join(browser, 'package', 'node_modules', BROWSER_PACKAGE);
  expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))).toMatchObject({ version: BROWSER_VERSION });
  expect(existsSync(join(installed, 'was-run'))).toBe(false);
  const inside = ['127.0.0.1', 'localhost', '0x7f.1', '[::1]', '169.254.169.254', '10.0.0.1'];
  const args = {
    urls: [
      ...inside.map((name) => `http://${name}:${secretServer.port}/`),
      `http://127.0.0.1:${namedServer.port}/named`,
    ],
    reads: [secret, variables.HOME, join(folder, 'project'), '/usr'],
    writes: [
      join(installed, 'cli.js'),
      secret,
      '/usr/x',
      join(browser, 'files', 'shot.png'),
      join(browser, 'profile', 'x'),
    ],
  };
  const name = 'mcp__browser__look';
  const { result } = (await invoke('tools.invoke', { name, args, mode: 'auto' })) as {
    result: { data: { content: [{ text: string }] }; meta: object };
  };
  expect(result.meta).toMatchObject({ tainted: true, taintedBy: ['mcp:browser'] });
  const seen = JSON.parse(result.data.content[0].text);
  expect(seen).toMatchObject({
    cwd: join(browser, 'files'),
    home: browser,
    reads: [false, false, false, true],
    writes: [false, true, false, true, true],
  });
  // It has a loopback of its own, and the proxy is the only way out: it leads to public addresses alone.
  expect(seen.interfaces.filter((each: string) => each !== 'lo')).toEqual([]);
  expect(seen.reached.slice(0, -1)).toEqual(
    inside.map(() => expect.stringMatching(/^403 .* leads to an address that is not public$/)),
  );
  expect(secretServer.asked).toEqual([]);
  // The owner has named this one in privateHosts.
  expect(seen.reached.at(-1)).toBe('200 inside');
  expect(namedServer.asked).toEqual(['/named']);
  // What it writes outside of its folder is in a folder of its own in memory.
  expect(readFileSync(secret, 'utf8')).toBe('kept');
  expect(seen.argv).toEqual(
    expect.arrayContaining(['--headless', '--executable-path', '--user-data-dir', join(browser, 'profile')]),
  );
  await expect(invoke('mcp.add', { name: 'browser', recipe: 'browser' })).rejects.toThrow(
    'there is a server "browser"',
  );
  expect(await invoke('tools.invoke', { name, mode: 'ask' })).toMatchObject({ result: { ok: false } });
});

it('without a Chromium nothing is fetched, and the error names the command that installs one', async () => {
  const variables = { ...(await withRegistry()), LAINCLAW_CHROMIUM: '/nowhere/chromium' };
  const { invoke, folder } = await testOperations({ variables });
  await expect(invoke('mcp.add', { name: 'browser', recipe: 'browser' })).rejects.toThrow('sudo apt install chromium');
  expect(existsSync(join(folder, 'home', 'browser'))).toBe(false);
  expect(await invoke('mcp.list')).toMatchObject({ servers: [] });
});

it('a recipe chooses its program itself', async () => {
  const { invoke } = await testOperations();
  await expect(invoke('mcp.add', { name: 'browser', recipe: 'browser', command: 'x' })).rejects.toThrow(
    'leave out command',
  );
});
