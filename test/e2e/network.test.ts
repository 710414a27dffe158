// The network of commands, through the binary: off without a question, open to the hosts that a person permitted, and to
// no other.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/tools/tool.ts';
import { startCompanyProxy } from '../fakes/company-proxy.ts';
import { type NpmRegistry, startNpmRegistry } from '../fakes/npm-registry.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, startTerminal } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

let registry: NpmRegistry;
let other: NpmRegistry;

beforeAll(async () => {
  other = await startNpmRegistry([{ name: 'elsewhere', files: { 'index.js': 'module.exports = 2;\n' } }]);
  registry = await startNpmRegistry([
    { name: 'small', files: { 'index.js': 'module.exports = 1;\n' } },
    { name: 'led-away', files: { 'index.js': '' }, tarball: `${other.url}elsewhere/-/elsewhere-1.0.0.tgz` },
  ]);
  afterFile(() => Promise.all([registry.close(), other.close()]));
});

function project(home: Home): void {
  writeFileSync(join(home.workspace, '.npmrc'), `registry=${registry.url}\n`);
  writeFileSync(join(home.workspace, 'package.json'), '{"name":"project","version":"1.0.0"}\n');
}

const INSTALL = 'npm install small --no-audit --no-fund';
const call = (args: object): string => `tool:bash ${JSON.stringify(args)}`;
const installed = (home: Home, name = 'small'): boolean =>
  existsSync(join(home.workspace, 'node_modules', name, 'index.js'));

async function answering(home: Home, args: object, answer: string, ...flags: string[]): Promise<string> {
  const running = startTerminal(['ask', ...flags, '--', call({ timeoutMs: 120_000, ...args })], { home });
  await running.saw('[N] no');
  await running.write(answer);
  const { stdout, stderr } = await running.ended;
  return `${stdout}${stderr}`;
}

async function invoke(home: Home, args: object, ...flags: string[]): Promise<ToolResult> {
  const given = ['tools', 'invoke', 'bash', '--args', JSON.stringify({ timeoutMs: 120_000, ...args }), ...flags];
  return (await lainclaw(given, { home })).json<{ result: ToolResult }>().result;
}

describe('npm install from a registry on loopback', () => {
  it('asks once with the host, works after one approval, and reaches no other host', async () => {
    const home = testHome();
    project(home);
    const before = other.connections();
    const said = await answering(home, { command: INSTALL }, 'a\n');
    expect(said).toContain(`and reach ${registry.host}?`);
    expect(said).toContain(`always: bash(${INSTALL}), network(${registry.host}), in this folder only`);
    expect(said.split('[N] no')).toHaveLength(2);
    expect(installed(home)).toBe(true);
    expect(registry.connections()).toBeGreaterThan(0);
    expect(other.connections()).toBe(before);
    // The rule holds in this workspace, in another process, without a question.
    expect(await invoke(home, { command: INSTALL })).toMatchObject({
      ok: true,
      meta: { network: { reached: [{ host: registry.host }], refused: [] } },
    });
    // And nowhere else.
    const elsewhere = { ...home, workspace: join(home.base, 'elsewhere') };
    mkdirSync(elsewhere.workspace);
    project(elsewhere);
    expect(await invoke(elsewhere, { command: INSTALL })).toMatchObject({ ok: false, error: { reason: 'denied' } });
  });

  it('goes through the proxy that the person’s variables name, which the command does not see', async () => {
    const home = testHome();
    const own = await startCompanyProxy();
    afterFile(() => own.close());
    const env = { HTTP_PROXY: `http://ada:secret@127.0.0.1:${own.port}`, NO_PROXY: '' };
    const args = JSON.stringify({ command: 'curl -sS http://packages.example/list; env' });
    const given = ['tools', 'invoke', 'bash', '--args', args, '--mode', 'auto'];
    const { result } = (await lainclaw(given, { home, env })).json<{ result: ToolResult }>();
    expect(JSON.stringify(result)).toContain('GET http://packages.example/list for packages.example');
    expect(JSON.stringify(result)).not.toContain('secret');
    expect(own.asked).toMatchObject([{ line: 'GET http://packages.example/list' }]);
  });

  it('without an approval nothing is reached', async () => {
    const home = testHome();
    project(home);
    const before = registry.connections();
    expect(await answering(home, { command: INSTALL }, 'n\n')).toContain('was not approved');
    expect(await invoke(home, { command: INSTALL })).toMatchObject({
      ok: false,
      error: { reason: 'denied', message: expect.stringContaining(`it reaches ${registry.host}`) },
    });
    expect([registry.connections(), installed(home)]).toEqual([before, false]);
  });

  it('a host that was not foreseen is refused and named, and can be asked for', async () => {
    const home = testHome();
    project(home);
    const before = other.connections();
    const command = 'npm install led-away --no-audit --no-fund --fetch-retries=0';
    expect(await invoke(home, { command }, '--approve=auto')).toMatchObject({
      error: { message: expect.stringContaining(`permissions add 'network(${registry.host})'`) },
    });
    await lainclaw(['permissions', 'add', `network(${registry.host})`], { home });
    const refused = await invoke(home, { command }, '--approve=auto');
    expect(refused).toMatchObject({
      ok: true,
      data: { exitCode: 1 },
      meta: { network: { refused: [{ host: other.host, reason: 'not-allowed' }] } },
    });
    expect(other.connections()).toBe(before);
    const said = await answering(home, { command, network: [other.host] }, 'y\n');
    expect(said).toContain(`and reach ${other.host}, ${registry.host}?`);
    expect(other.connections()).toBeGreaterThan(before);
  });
});

it('what a host answered is content from outside, what an installer prints is not', async () => {
  const home = testHome();
  project(home);
  await lainclaw(['permissions', 'add', `network(${registry.host})`], { home });
  const read = await invoke(
    home,
    { command: `curl -sS ${registry.url}small`, network: [registry.host] },
    '--approve=auto',
  );
  expect(read).toMatchObject({
    data: { stdout: expect.stringContaining('"small"') },
    meta: { tainted: true, taintedBy: [`host:${registry.host}`] },
  });
  const installing = await invoke(home, { command: INSTALL }, '--approve=auto');
  expect(installing).toMatchObject({ ok: true, data: { exitCode: 0 } });
  expect(installing.meta.tainted).toBeUndefined();
});

describe('a command without network', () => {
  const lookUp = `python3 -c 'import socket; socket.getaddrinfo("name.example", 80)'`;

  it('says so when that is why it failed', async () => {
    const home = testHome();
    const { stdout } = await lainclaw(['ask', '--approve=auto', '--', call({ command: lookUp })], { home });
    expect(stdout).toContain('this command has no network');
    const { stdout: other } = await lainclaw(['ask', '--approve=auto', '--', call({ command: 'false' })], { home });
    expect(other).not.toContain('network');
  });

  it('never has any where the owner switched it off', async () => {
    const home = testHome();
    project(home);
    mkdirSync(home.path, { recursive: true });
    writeFileSync(join(home.path, 'config.json'), '{"bashNetwork":"off"}');
    const before = registry.connections();
    const result = await invoke(home, { command: `${INSTALL} --fetch-retries=0` }, '--approve=auto');
    expect(result).toMatchObject({ ok: true, data: { exitCode: 1 } });
    expect(await invoke(home, { command: 'true', network: ['a.example'] }, '--approve=auto')).toMatchObject({
      ok: false,
      error: { reason: 'denied', message: expect.stringContaining('switched the network off') },
    });
    expect(registry.connections()).toBe(before);
  });
});

it('limits of commands are the owner’s settings', async () => {
  const home = testHome();
  await lainclaw(['config', 'set', 'bashMemoryMb', '200'], { home });
  await lainclaw(['config', 'set', 'bashCpuSeconds', '1'], { home });
  const hungry = `python3 -c 'import time; x = bytearray(b"x") * (400 << 20); time.sleep(1); print("had it")'`;
  const eaten = await invoke(home, { command: hungry }, '--approve=auto');
  expect(JSON.stringify(eaten)).not.toContain('had it');
  expect(await invoke(home, { command: 'while :; do :; done' }, '--approve=auto')).toMatchObject({
    data: { exitCode: expect.toSatisfy((code: number) => code > 128) },
  });
  expect(JSON.parse(readFileSync(join(home.path, 'config.json'), 'utf8'))).toMatchObject({ bashMemoryMb: 200 });
});
