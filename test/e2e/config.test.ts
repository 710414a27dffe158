// lainclaw config: every setting with its value, source and what is accepted; nothing bad is ever written.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SettingEntry } from '../../src/config/setting-entry.ts';
import { SETTING_KEYS, SETTINGS } from '../../src/config/settings.ts';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, runBinary } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const pathOf = (home: Home): string => join(home.path, 'config.json');
const textOf = (home: Home): string | undefined =>
  existsSync(pathOf(home)) ? readFileSync(pathOf(home), 'utf8') : undefined;
const config = (home: Home, args: string[], env: Record<string, string> = {}) =>
  lainclaw(['config', ...args], { home, env });
const get = async (home: Home, key: string, env: Record<string, string> = {}) =>
  (await config(home, ['get', key], env)).json<SettingEntry>();

describe.concurrent('config list and get', () => {
  it('tells every setting with what holds, where it comes from and what is accepted', async () => {
    const home = testHome();
    home.config({ model: 'gpt-5.5', toolMaxSteps: 9 });
    const entries = (await config(home, ['list'], { LAINCLAW_LANG: 'ru' })).json<SettingEntry[]>();
    expect(entries.map(({ key }) => key)).toEqual(SETTING_KEYS);
    const of = (key: string) => entries.find((entry) => entry.key === key);
    expect(of('model')).toMatchObject({ value: 'gpt-5.5', source: 'file', flag: '--model' });
    expect(of('toolMaxSteps')).toMatchObject({ value: 9, source: 'file', accepted: expect.stringContaining('1') });
    expect(of('language')).toMatchObject({
      value: 'ru',
      source: 'environment',
      variable: 'LAINCLAW_LANG',
      default: 'en',
    });
    expect(of('provider')).toMatchObject({ value: 'stub', source: 'default' });
    expect(of('historyTokens')).toMatchObject({ value: 64_000, source: 'default' });
    for (const entry of entries) expect(entry.about).not.toBe('');
  });

  it('reads as text at a terminal, with the value alone for one setting', async () => {
    const home = testHome();
    home.config({ fallback: ['anthropic', 'ollama/qwen3'] });
    expect((await config(home, ['get', 'fallback', '--text'])).stdout).toBe('["anthropic","ollama/qwen3"]\n');
    const listed = (await config(home, ['list', '--text'])).stdout;
    expect(listed).toMatch(/^fallback .*from config\.json/m);
    expect(listed).toMatch(/^approve +ask +default/m);
  });

  it('hides a password that is in an address', async () => {
    const home = testHome();
    home.config({ embeddingBaseUrl: 'https://me:hunter2@gpu.lan/v1' });
    const { stdout } = await config(home, ['list']);
    expect(stdout).toContain('https://***@gpu.lan/v1');
    expect(stdout).not.toContain('hunter2');
  });

  it('quotes nothing of a store that is refused: a mistyped address still holds its password', async () => {
    const home = testHome();
    for (const store of ['postgre://me:hunter2@db/lainclaw', 'postgres://me:hunter2@db:99999/lainclaw']) {
      const { code, stdout, stderr } = await config(home, ['set', 'store', store]);
      expect([code, `${stdout}${stderr}`]).toEqual([2, expect.stringContaining('"store" cannot be used')]);
      const listed = await config(home, ['list'], { LAINCLAW_STORE: store });
      expect(`${stdout}${stderr}${listed.stdout}${listed.stderr}`).not.toContain('hunter2');
    }
  });

  it('suggests the nearest name, and ends with 2', async () => {
    const { code, stderr } = await config(testHome(), ['get', 'toolMaxStep']);
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean "toolMaxSteps"');
  });
});

describe.concurrent('config set', () => {
  it.each([
    ['toolMaxSteps', '25', 25],
    ['memory', 'on', true],
    ['memory', 'false', false],
    ['approve', 'auto', 'auto'],
    ['historyTokens', '32000', 32_000],
    ['system', 'Answer in short sentences.', 'Answer in short sentences.'],
    ['provider', 'gemini', 'gemini'],
    ['model', 'anthropic/claude-opus-5', 'anthropic/claude-opus-5'],
    ['effort', 'high', 'high'],
    ['language', 'zh', 'zh'],
    ['fallback', 'anthropic, ollama/qwen3', ['anthropic', 'ollama/qwen3']],
    ['maxCostUsd', '0.5', 0.5],
    ['baseUrl', 'http://127.0.0.1:8000/v1', 'http://127.0.0.1:8000/v1'],
  ])('%s %s is written and holds', async (key, text, value) => {
    const home = testHome();
    const { code } = await config(home, ['set', key, text]);
    expect(code).toBe(0);
    expect(await get(home, key)).toMatchObject({ value, source: 'file' });
    expect(JSON.parse(textOf(home) ?? '')).toEqual({ version: 1, [key]: value });
    expect(statSync(pathOf(home)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['toolMaxSteps=25', 'toolMaxSteps', 25],
    ['system=a = b', 'system', 'a = b'],
    ['fallback=anthropic,ollama/qwen3', 'fallback', ['anthropic', 'ollama/qwen3']],
  ])('%s is written like a key and a value', async (written, key, value) => {
    const home = testHome();
    expect((await config(home, ['set', written])).code).toBe(0);
    expect(await get(home, key)).toMatchObject({ value, source: 'file' });
  });

  it.each([
    [['model'], 'the value is missing: lainclaw config set model <value>, or model=<value>'],
    [['model=a', 'language=ru'], 'one setting at a time: lainclaw config set model <value>'],
    [['model=a', 'b'], 'one setting at a time'],
    [['=a'], 'is not a setting'],
  ])('%s is refused with how to write it', async (args, message) => {
    const home = testHome();
    const { code, stderr } = await config(home, ['set', ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(textOf(home)).toBeUndefined();
  });

  it.each([
    ['toolMaxSteps', '0'],
    ['toolMaxSteps', '1.5'],
    ['memory', 'maybe'],
    ['approve', 'always'],
    ['historyTokens', '0'],
    ['language', 'de'],
    ['effort', 'enormous'],
    ['provider', 'gemni'],
    ['fallback', 'anthropic,nobody'],
    ['profile', 'nobody'],
    ['baseUrl', 'nonsense'],
    ['system', '  '],
    ['maxTokens', '-1'],
    ['nonsense', '1'],
    ['__proto__', '1'],
    ['version', '2'],
  ])('%s %s is refused with what is accepted, and nothing is written', async (key, text) => {
    const home = testHome();
    const before = '{ "model": "m" }';
    home.config(before);
    const { code, stderr } = await config(home, ['set', key, '--', text]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/SETTING_REFUSED.*(accepted|did you mean|is not a setting)/);
    expect(textOf(home)).toBe(before);
  });

  it('keeps the other settings and their order, and says when a variable comes first', async () => {
    const home = testHome();
    home.config({ sandbox: 'none', model: 'a', language: 'en' });
    const { stderr } = await config(home, ['set', 'language', 'zh'], { LAINCLAW_LANG: 'ru' });
    expect(stderr).toContain('LAINCLAW_LANG is set and comes before config.json');
    expect(Object.entries(JSON.parse(textOf(home) ?? ''))).toEqual([
      ['version', 1],
      ['sandbox', 'none'],
      ['model', 'a'],
      ['language', 'zh'],
    ]);
  });

  it('of many processes at once, none is lost', async () => {
    const home = testHome();
    const changes = [
      ['model', 'a'],
      ['toolMaxSteps', '7'],
      ['memory', 'on'],
      ['language', 'ru'],
      ['effort', 'low'],
    ];
    await Promise.all(changes.map((change) => runBinary(['config', 'set', ...change], { home })));
    expect(Object.keys(JSON.parse(textOf(home) ?? '')).toSorted()).toEqual(
      ['version', ...changes.map(([key]) => key ?? '')].toSorted(),
    );
  });
});

describe.concurrent('a config.json that cannot be used', () => {
  it('is repaired by unset and set, which name what is left', async () => {
    const home = testHome();
    home.config({ provder: 'x', language: 'de', model: 'm' });
    expect((await config(home, ['unset', 'provder'])).json()).toEqual({ key: 'provder', removed: true });
    const listed = (await config(home, ['list'])).json<SettingEntry[]>();
    expect(listed.find(({ key }) => key === 'language')).toMatchObject({
      problem: expect.stringContaining('en, zh, ru'),
    });
    const { code, stderr } = await config(home, ['set', 'model', 'n']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('still cannot be used: "language"')]);
    expect((await config(home, ['set', 'language', 'zh'])).stderr).toBe('');
    expect((await lainclaw(['ask', 'hi'], { home })).code).toBe(0);
  });

  it('that is not JSON is never overwritten', async () => {
    const home = testHome();
    home.config('{ "model": ');
    for (const args of [['set', 'model', 'x'], ['unset', 'model'], ['list']]) {
      const { code, stderr } = await config(home, args);
      expect([code, stderr]).toEqual([1, expect.stringContaining('not valid JSON')]);
    }
    expect(textOf(home)).toBe('{ "model": ');
    expect((await config(home, ['path'])).json()).toEqual({ path: pathOf(home) });
  });

  it('of a newer version is refused untouched, by every command', async () => {
    const home = testHome();
    const newer = '{"version":2,"future":true}';
    home.config(newer);
    for (const args of [
      ['config', 'set', 'model', 'x'],
      ['config', 'unset', 'future'],
      ['ask', 'hi'],
    ]) {
      const { code, stderr } = await lainclaw(args, { home });
      expect(code).toBe(1);
      expect(stderr).toMatch(/newer Lainclaw.*upgrade lainclaw/);
    }
    expect(textOf(home)).toBe(newer);
  });
});

describe.concurrent('config edit', () => {
  function editor(home: Home, script: string): string {
    mkdirSync(home.base, { recursive: true });
    const path = join(home.base, 'editor.sh');
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  }
  const edit = (home: Home, script: string, variable = 'EDITOR') =>
    runBinary(['config', 'edit', '--json'], { home, env: { [variable]: editor(home, script) } });

  it('replaces the file by what the editor left', async () => {
    const home = testHome();
    home.config({ model: 'old' });
    const { code, json } = await edit(home, `sed -i s/old/new/ "$1"`, 'VISUAL');
    expect([code, json()]).toEqual([0, { changed: true, path: pathOf(home) }]);
    expect(await get(home, 'model')).toMatchObject({ value: 'new' });
  });

  it('begins with an empty object, and an unchanged copy changes nothing', async () => {
    const home = testHome();
    expect((await edit(home, 'true')).json()).toEqual({ changed: false });
    expect(textOf(home)).toBeUndefined();
  });

  it.each([
    ['a value that is not accepted', `echo '{"language":"de"}' > "$1"`],
    ['what is not JSON', `echo '{' > "$1"`],
    ['a provider that does not exist', `echo '{"provider":"gemni"}' > "$1"`],
  ])('refuses %s: the file stays, and what was typed is kept', async (_name, script) => {
    const home = testHome();
    home.config({ model: 'old' });
    const before = textOf(home);
    const { code, stderr } = await edit(home, script);
    expect(code).toBe(2);
    expect(textOf(home)).toBe(before);
    const [, kept = ''] = /what you wrote is in (\S+)/.exec(stderr) ?? [];
    expect(existsSync(kept)).toBe(true);
  });

  it('an editor that fails changes nothing and leaves nothing behind', async () => {
    const home = testHome();
    const left = readdirSync(tmpdir()).filter((name) => name.startsWith('lainclaw-edit-')).length;
    const { code } = await edit(home, 'exit 3');
    expect(code).toBe(2);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('lainclaw-edit-')).length).toBeLessThanOrEqual(
      left + 3,
    );
  });

  it('repairs what is not JSON', async () => {
    const home = testHome();
    home.config('{ "model": ');
    expect((await edit(home, `echo '{"model":"m"}' > "$1"`)).code).toBe(0);
    expect(await get(home, 'model')).toMatchObject({ value: 'm' });
  });

  it('without an editor says what to set', async () => {
    const { code, stderr } = await runBinary(['config', 'edit'], { home: testHome() });
    expect([code, stderr]).toEqual([2, expect.stringContaining('VISUAL or EDITOR')]);
  });
});

describe.concurrent('a setting is honoured by ask', () => {
  const setUp = async (settings: object) => {
    const server = await startModelServer({
      script: () => ({ text: 'Working.', toolCalls: [{ name: 'time_now', args: {} }] }),
      anonymous: true,
      models: ['fake'],
    });
    afterFile(() => server.close());
    const home = testHome();
    home.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${server.url}/v1`, ...settings });
    return { server, home, ask: (...flags: string[]) => lainclaw(['ask', ...flags, 'hello'], { home }) };
  };

  it('toolMaxSteps, under the flag', async () => {
    const { ask, server } = await setUp({ toolMaxSteps: 2 });
    await ask();
    expect(server.requests).toHaveLength(2);
    await ask('--tool-max-steps', '1');
    expect(server.requests).toHaveLength(3);
  });

  it('system and effort', async () => {
    const { ask, server } = await setUp({ system: 'Speak like a pirate.', effort: 'low', toolMaxSteps: 1 });
    await ask();
    await ask('--system', 'Speak plainly.', '--effort', 'high');
    const [first, second] = server.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toMatch(/Speak like a pirate[\s\S]*"reasoning_effort":"low"/);
    expect(second).toMatch(/Speak plainly[\s\S]*"reasoning_effort":"high"/);
  });

  it('system from a file; one that is not there is refused', async () => {
    const { ask, server, home } = await setUp({ toolMaxSteps: 1 });
    writeFileSync(join(home.workspace, 'words.txt'), 'Speak in verse.');
    await ask('--system', `@${join(home.workspace, 'words.txt')}`);
    expect(JSON.stringify(server.requests[0]?.body)).toContain('Speak in verse.');
    expect((await ask('--system', '@/no/such/file')).code).toBe(2);
  });

  it('memory, for sessions that have decided nothing', async () => {
    const { ask, home } = await setUp({ toolMaxSteps: 1, memory: true });
    expect((await ask('--session', 'a', '--no-memory')).json()).toMatchObject({ memoryEnabled: false });
    expect((await ask('--session', 'a')).json()).toMatchObject({ memoryEnabled: false });
    expect((await ask('--session', 'b')).json()).toMatchObject({ memoryEnabled: true });
    home.config({});
    expect((await lainclaw(['ask', '--session', 'b', 'x'], { home })).json()).toMatchObject({ memoryEnabled: true });
  });

  it('approve', async () => {
    const home = testHome();
    home.config({ approve: 'auto' });
    const call = 'tool:file_write {"path":"a.txt","content":"x"}';
    expect((await lainclaw(['ask', call], { home })).json()).not.toHaveProperty('toolError');
    expect((await lainclaw(['ask', '--approve', 'never', call], { home })).json()).toHaveProperty('toolError');
  });
});

describe('completion', () => {
  const complete = async (...words: string[]) =>
    (await lainclaw(['completion', '--complete', 'words', '--', 'lainclaw', ...words], { home: testHome() })).stdout;

  it('knows keys, and the values of a key', async () => {
    expect(await complete('config', 'set', 'tool')).toContain('toolMaxSteps');
    expect(await complete('config', 'set', 'approve', '')).toMatch(/ask[\s\S]*auto[\s\S]*never/);
    expect(await complete('config', 'set', 'provider', 'gem')).toContain('gemini');
  });
});

it('docs/config/config.md is the table of settings', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/config/config.md'), 'utf8');
  for (const key of SETTING_KEYS) {
    const { kind, default: usual, variable, flag } = SETTINGS[key];
    const [row = ''] = page.split('\n').filter((line) => line.startsWith(`| \`${key}\` |`));
    for (const words of [kind.accepted, String(usual), variable, flag]) {
      if (words !== undefined) expect([key, row]).toEqual([key, expect.stringContaining(words)]);
    }
  }
});
