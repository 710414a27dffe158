import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { spellHost } from '../../sandbox/network/host.ts';
import { type Sandbox, SandboxError } from '../../sandbox/sandbox.ts';
import { createWorkspace } from '../../workspace/confined.ts';
import { createCommandParser } from '../permissions/parse-command.ts';
import type { ToolSubject } from '../subject.ts';
import { ToolFailure } from '../tool.ts';
import { createNetworkRequests } from './read-network-request.ts';

let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'network-request-'));
  mkdirSync(join(base, 'web'));
  writeFileSync(join(base, 'web/.npmrc'), 'registry=http://127.0.0.1:4873/\n');
});
afterAll(() => rmSync(base, { recursive: true }));

const FILTERING = { name: 'bubblewrap', isolates: true, forwardsNetwork: true } as Sandbox;

async function read(subject: ToolSubject, sandbox: () => Promise<Sandbox> = async () => FILTERING) {
  const request = await createNetworkRequests({ sandbox, variables: {}, userHome: join(base, 'home') })({
    subject,
    parseCommand: await createCommandParser(),
    workspace: await createWorkspace({ root: base }),
  });
  return request && { ...request, hosts: request.hosts.map(spellHost) };
}

const command = (text: string, network: readonly string[] = [], directory?: string): ToolSubject => ({
  kind: 'command',
  command: text,
  network,
  directory,
});

test('hosts that are named and hosts of the command are asked for together, each once', async () => {
  expect(await read(command('curl https://a.example', ['B.example', 'a.example']))).toMatchObject({
    hosts: ['b.example', 'a.example'],
    filtered: true,
    showsFetched: true,
  });
});

test('a command that needs none, and a tool that gives none, ask for nothing', async () => {
  expect(await read(command('ls && npm test'))).toBeUndefined();
  expect(await read({ kind: 'command', command: 'curl https://a.example' })).toBeUndefined();
  expect(await read({ kind: 'path', path: 'x', access: 'read' })).toBeUndefined();
  expect(await read({ kind: 'none', network: ['a.example'] })).toMatchObject({
    hosts: ['a.example'],
    showsFetched: true,
  });
});

test('settings are those of the directory that the command runs in', async () => {
  const registries = ['npm i', 'cd web && npm i', 'cd web; npm i'].map((text) => read(command(text)));
  expect((await Promise.all(registries)).map((request) => request?.hosts)).toEqual([
    ['registry.npmjs.org'],
    ['127.0.0.1:4873'],
    ['127.0.0.1:4873'],
  ]);
  expect(await read(command('npm i', [], 'web'))).toMatchObject({ hosts: ['127.0.0.1:4873'], showsFetched: false });
});

test('a text that is not a host is an error for the caller', async () => {
  const failure = await read(command('true', ['https://a.example/x'])).catch((error) => error);
  expect(failure).toBeInstanceOf(ToolFailure);
  expect(failure).toMatchObject({ code: 'invalid_args', message: expect.stringContaining('is not a host') });
});

test('without isolation nothing filters; a sandbox that gives no network is asked for none', async () => {
  const curl = command('curl https://a.example');
  expect(await read(curl, async () => ({ name: 'none', isolates: false }) as Sandbox)).toMatchObject({
    filtered: false,
  });
  expect(await read(curl, async () => ({ name: 'docker', isolates: true }) as Sandbox)).toBeUndefined();
  expect(await read(curl, () => Promise.reject(new SandboxError('unavailable', 'none here')))).toBeUndefined();
});
