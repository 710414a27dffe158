import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorkspace } from '../../workspace/confined.ts';
import { type FoundSettings, readNetworkSettings } from './read-network-settings.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'network-settings-'));
  mkdirSync(join(base, 'project'));
});
afterEach(() => rmSync(base, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

async function read(variables: Record<string, string> = {}, directory = '.'): Promise<FoundSettings> {
  const workspace = await createWorkspace({ root: join(base, 'project') });
  return readNetworkSettings({ variables, userHome: join(base, 'home'), workspace, directory });
}

test('without any, the programs use their own', async () => {
  const { settings, environment } = await read();
  expect(settings).toMatchObject({
    npmRegistries: ['https://registry.npmjs.org/'],
    pipIndexes: ['https://pypi.org/simple'],
    gitRemotes: {},
  });
  expect(environment).toEqual({});
});

test('a variable beats the project, the project beats the person, and no password is handed on', async () => {
  write('home/.npmrc', '//npm.example/:_authToken=secret\nregistry=https://me:secret@npm.example/\n');
  expect(await read()).toMatchObject({
    settings: { npmRegistries: ['https://me:secret@npm.example/'] },
    environment: { npm_config_registry: 'https://npm.example/' },
  });
  write('project/.npmrc', 'registry = "http://127.0.0.1:4873/"\n@scope:registry=https://scope.example\n');
  const found = await read({}, 'sub/deep');
  expect(found.settings.npmRegistries).toEqual(['http://127.0.0.1:4873/', 'https://scope.example']);
  expect(found.environment).toEqual({});
  expect(await read({ npm_config_registry: 'https://set.example' })).toMatchObject({
    settings: { npmRegistries: ['https://set.example', 'https://scope.example'] },
    environment: { npm_config_registry: 'https://set.example/' },
  });
});

test('no password is handed on of any of several addresses', async () => {
  const { environment } = await read({
    PIP_EXTRA_INDEX_URL: 'https://me:secret@one.example/simple https://me:secret@two.example/simple',
    GOPROXY: 'https://me:secret@go.example,https://me:sec,ret@other.example|direct',
  });
  expect(environment).toMatchObject({
    PIP_EXTRA_INDEX_URL: 'https://one.example/simple https://two.example/simple',
    GOPROXY: expect.stringMatching(/^https:\/\/go\.example\/,.*\|direct$/),
  });
  expect(JSON.stringify(environment)).not.toContain('sec');
});

test('indexes of Python and proxies of Go are read', async () => {
  write('home/.config/pip/pip.conf', '[global]\nindex-url = https://me:secret@index.example/simple\n');
  const { settings, environment } = await read({ GOPROXY: 'https://go.example|direct' });
  expect(settings).toMatchObject({
    pipIndexes: ['https://me:secret@index.example/simple'],
    goProxies: ['https://go.example'],
  });
  expect(environment).toMatchObject({ PIP_INDEX_URL: 'https://index.example/simple', GOPROXY: expect.any(String) });
});

test('remotes are those of the repository that holds the directory', async () => {
  write(
    'project/.git/config',
    '[core]\n\turl = https://wrong.example\n[remote "origin"]\n\turl = https://a.example/x\n\tfetch = +refs\n[remote "two"]\n\tpushurl = https://b.example/y\n[branch "main"]\n\turl = https://wrong.example\n',
  );
  const remotes = { origin: 'https://a.example/x', two: 'https://b.example/y' };
  expect((await read({}, 'sub')).settings.gitRemotes).toEqual(remotes);
  expect((await read({}, '../../etc')).settings.gitRemotes).toEqual(remotes);
});

test('a file that is damaged or too long says nothing', async () => {
  write('project/.npmrc', `registry=not an address\n${'x'.repeat(300_000)}`);
  write('project/.git/config', '[remote "origin\nurl');
  expect((await read()).settings).toMatchObject({ npmRegistries: ['https://registry.npmjs.org/'], gitRemotes: {} });
});
