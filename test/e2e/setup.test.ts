// Set-up without questions: every answer is a flag, what is tried is tried for real, and nothing is stored that was refused.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFeishuServer } from '../fakes/feishu-server/feishu-server.ts';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import { startTelegramServer } from '../fakes/telegram-server/telegram-server.ts';
import type { Home } from '../support/home.ts';
import { type Finished, lainclaw } from '../support/lainclaw.ts';
import { filesHolding, KEY } from '../support/model-providers.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const jsonOf = (home: Home, name: string): unknown =>
  existsSync(join(home.path, name)) ? JSON.parse(readFileSync(join(home.path, name), 'utf8')) : undefined;

async function serve(options: Partial<Parameters<typeof startModelServer>[0]> = {}) {
  const server = await startModelServer({
    script: () => ({ text: 'Hello.' }),
    accept: (token) => token === KEY,
    models: ['fake', 'other'],
    ...options,
  });
  afterFile(() => server.close());
  return server;
}

/** A server that is not a model service. */
async function page(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const setup = (home: Home, flags: string[], more: { stdin?: string; env?: Record<string, string> } = {}) =>
  lainclaw(['setup', '--yes', ...flags], { home, ...more });

describe.concurrent('from an empty home to an answer', () => {
  it('with a key on standard input: two commands, and no file edited', async () => {
    const server = await serve();
    const home = testHome();
    const flags = ['--provider', 'openai', '--model', 'fake', '--api-key-stdin', '--base-url', `${server.url}/v1`];
    const done = await setup(home, [...flags, '--language', 'ru', '--memory', 'on'], { stdin: `${KEY}\n` });
    expect(done.stderr).toBe('');
    expect(done.json()).toMatchObject({
      success: true,
      model: { provider: 'openai', model: 'fake', toolMaxSteps: 25 },
      language: 'ru',
      memory: true,
      next: expect.arrayContaining(['lainclaw ask "что ты умеешь?"']),
    });
    expect(jsonOf(home, 'config.json')).toEqual({
      version: 1,
      provider: 'openai',
      model: 'fake',
      toolMaxSteps: 25,
      language: 'ru',
      memory: true,
    });
    expect(filesHolding(home.path, KEY)).toEqual(['auth-profiles.json']);
    const asked = await lainclaw(['ask', 'hello'], { home });
    expect(asked.json()).toMatchObject({ success: true, result: 'Hello.', provider: 'openai', model: 'fake' });
    expect(server.violations).toEqual([]);
  });

  it('with the only key in the environment: no flag, and the key is not stored', async () => {
    const server = await serve();
    const home = testHome();
    const env = { ANTHROPIC_API_KEY: KEY, LAINCLAW_ANTHROPIC_BASE_URL: server.url };
    const done = await setup(home, ['--model', 'anthropic/fake'], { env });
    expect(done.json()).toMatchObject({
      model: { provider: 'anthropic', model: 'fake', keyVariable: 'ANTHROPIC_API_KEY' },
    });
    expect(filesHolding(home.path, KEY)).toEqual([]);
    expect((await lainclaw(['ask', 'hello'], { home, env })).json()).toMatchObject({ result: 'Hello.' });
  });

  it('takes the only key it finds without any flag', async () => {
    const server = await serve({ models: ['claude-sonnet-5'] });
    const home = testHome();
    const env = { ANTHROPIC_API_KEY: KEY, LAINCLAW_ANTHROPIC_BASE_URL: server.url };
    const done = await setup(home, [], { env });
    expect(done.json()).toMatchObject({ model: { provider: 'anthropic', model: 'claude-sonnet-5' } });
  });

  it('stores the key of another variable, and that one wins over the one in the environment', async () => {
    const server = await serve();
    const home = testHome();
    const env = { OPENAI_API_KEY: 'sk-of-another', MY_KEY: KEY };
    const flags = ['--provider', 'openai', '--model', 'fake', '--api-key-env', 'MY_KEY'];
    const done = await setup(home, [...flags, '--base-url', `${server.url}/v1`], { env });
    expect(done.code).toBe(0);
    const asked = await lainclaw(['ask', 'hello'], { home, env: { OPENAI_API_KEY: 'sk-of-another' } });
    expect(asked.json()).toMatchObject({ success: true, result: 'Hello.' });
  });

  it('with a server that wants no key: its address is kept, and its first model taken', async () => {
    const server = await serve({ anonymous: true, accept: undefined, models: ['nomic-embed', 'qwen3'] });
    const home = testHome();
    const done = await setup(home, ['--provider', 'openai-compatible', '--base-url', `${server.url}/v1`]);
    expect(done.json()).toMatchObject({ model: { provider: 'openai-compatible', model: 'qwen3' } });
    expect((await lainclaw(['ask', 'hello'], { home })).json()).toMatchObject({ result: 'Hello.', model: 'qwen3' });
  });
});

describe.concurrent('run again', () => {
  it('changes what is named and keeps the rest, also steps that were chosen before', async () => {
    const server = await serve();
    const home = testHome();
    const flags = ['--provider', 'openai', '--model', 'fake', '--api-key-stdin', '--base-url', `${server.url}/v1`];
    await setup(home, flags, { stdin: KEY });
    await lainclaw(['config', 'set', 'toolMaxSteps', '7'], { home });
    const changed = await setup(home, ['--model', 'other', '--memory', 'off']);
    expect(changed.json()).toMatchObject({ model: { provider: 'openai', model: 'other', toolMaxSteps: 7 } });
    expect(jsonOf(home, 'config.json')).toMatchObject({ model: 'other', toolMaxSteps: 7, memory: false });
    const asked = await lainclaw(['ask', 'hello'], { home });
    expect(asked.json()).toMatchObject({ success: true, model: 'other' });
  });

  it('with nothing to change changes no byte', async () => {
    const server = await serve();
    const home = testHome();
    const flags = ['--provider', 'openai', '--model', 'fake', '--api-key-stdin', '--base-url', `${server.url}/v1`];
    await setup(home, flags, { stdin: KEY });
    const before = JSON.stringify([jsonOf(home, 'config.json'), jsonOf(home, 'auth-profiles.json')]);
    expect((await setup(home, [])).code).toBe(0);
    expect((await setup(home, ['--text'])).stdout).toMatch(/^Nothing to change/);
    expect(JSON.stringify([jsonOf(home, 'config.json'), jsonOf(home, 'auth-profiles.json')])).toBe(before);
  });
});

describe.concurrent('what is refused, with nothing stored', () => {
  const expectRefused = (home: Home, finished: Finished, exit: number, words: RegExp): void => {
    expect(finished.stderr).toMatch(words);
    expect(finished.code).toBe(exit);
    expect(finished.stdout + finished.stderr).not.toContain(KEY);
    for (const name of ['config.json', 'auth-profiles.json', 'gateway.json'])
      expect(existsSync(join(home.path, name)), name).toBe(false);
  };
  const withKey = (home: Home, url: string, stdin = KEY, model = 'fake') =>
    setup(home, ['--provider', 'openai', '--model', model, '--api-key-stdin', '--base-url', url], { stdin });

  it('a revoked key, with the reason of the service', async () => {
    const server = await serve({ accept: () => false });
    const home = testHome();
    expectRefused(
      home,
      await withKey(home, `${server.url}/v1`),
      1,
      /AUTH_KEY_REFUSED.*does not accept this key \(HTTP 401/,
    );
  });

  it('a model that does not exist', async () => {
    const server = await serve();
    const home = testHome();
    expectRefused(home, await withKey(home, `${server.url}/v1`, KEY, 'gone'), 1, /AUTH_MODEL_REFUSED.*gone/);
  });

  it.each(['sk-one sk-two', '', '   '])('a key with blanks or nothing: %j', async (key) => {
    const server = await serve();
    const home = testHome();
    expectRefused(home, await withKey(home, `${server.url}/v1`, key), 1, /AUTH_BAD_KEY.*not a key/);
    expect(server.requests).toEqual([]);
  });

  it('a server that answers with a page', async () => {
    const home = testHome();
    const url = await page(200, '<!doctype html><title>Welcome</title>');
    expectRefused(home, await withKey(home, url), 1, /AUTH_NOT_A_SERVICE.*a page/);
  });

  it('no network', async () => {
    const home = testHome();
    expectRefused(home, await withKey(home, 'http://127.0.0.1:9'), 1, /AUTH_UNREACHABLE.*cannot be reached/);
  });

  it('a Telegram that cannot be reached, although the model answered', async () => {
    const server = await serve();
    const home = testHome();
    const env = {
      OPENAI_API_KEY: KEY,
      LAINCLAW_OPENAI_BASE_URL: `${server.url}/v1`,
      LAINCLAW_TELEGRAM_API_ROOT: 'http://127.0.0.1:9',
    };
    const flags = ['--provider', 'openai', '--model', 'fake', '--channel', 'telegram', '--bot-token-stdin'];
    const finished = await setup(home, flags, { env, stdin: '123456:AAE' });
    expectRefused(home, finished, 1, /CHANNEL_UNREACHABLE.*Nothing was stored/);
  });

  it.each([
    [['--provider', 'anthropic'], /--provider anthropic needs a key: give --api-key-stdin or --api-key-env/],
    [[], /--provider is missing: nothing is connected yet/],
    [['--provider', 'antropic'], /did you mean "anthropic"/],
    [['--api-key-stdin'], /--provider is missing/],
    [['--provider', 'openai', '--api-key-env', 'NOT_SET'], /--api-key-env: the variable NOT_SET is not set/],
    [['--provider', 'openai-codex'], /lainclaw auth login openai-codex/],
    [['--provider', 'ollama', '--channel', 'telegram'], /--bot-token-stdin or --bot-token-env/],
    [['--provider', 'ollama', '--channel', 'feishu'], /needs --app-id/],
    [['--provider', 'ollama', '--app-id', 'cli_1'], /--app-id needs --channel feishu/],
    [['--provider', 'openai', '--api-key-stdin', '--channel', 'telegram', '--bot-token-stdin'], /one secret/],
    [['--language', 'xx'], /Accepted: en, zh, ru/],
  ])('wrong usage: %j', async (flags, words) => {
    const home = testHome();
    expectRefused(home, await setup(home, flags as string[], { stdin: 'x' }), 2, words as RegExp);
  });

  it('without --yes and without a terminal', async () => {
    const home = testHome();
    expectRefused(home, await lainclaw(['setup'], { home }), 2, /no terminal to ask at: give --yes/);
  });

  it.each([
    ['config.json', '{"version":99,"provider":"openai"}'],
    ['auth-profiles.json', '{"version":99}'],
  ])('a %s of a newer version, left untouched', async (name, text) => {
    const server = await serve();
    const home = testHome();
    home.config(name === 'config.json' ? text : {});
    const { writeFileSync } = await import('node:fs');
    writeFileSync(join(home.path, name), text);
    const finished = await withKey(home, `${server.url}/v1`);
    expect([finished.code, readFileSync(join(home.path, name), 'utf8')]).toEqual([1, text]);
    expect(finished.stderr).toContain('STORAGE_NEWER_VERSION');
    expect(server.requests).toEqual([]);
  });
});

describe.concurrent('a channel', () => {
  const connected = async (home: Home) => {
    const server = await serve();
    const flags = ['--provider', 'openai', '--model', 'fake', '--api-key-stdin', '--base-url', `${server.url}/v1`];
    await setup(home, flags, { stdin: KEY });
  };

  it('on Telegram is tried with its token, and the gateway accepts what is stored', async () => {
    const telegram = await startTelegramServer();
    afterFile(() => telegram.close());
    const home = testHome();
    await connected(home);
    const env = { LAINCLAW_TELEGRAM_API_ROOT: telegram.url };
    const done = await setup(home, ['--channel', 'telegram', '--bot-token-stdin'], { stdin: telegram.token, env });
    expect(done.json()).toMatchObject({ channel: { channel: 'telegram', bot: '@lain_test_bot' } });
    const { code, stdout } = await lainclaw(['gateway', 'config', 'validate'], { home });
    expect([code, stdout]).toEqual([0, expect.stringContaining('telegram/default')]);
  });

  it('may leave its token in a variable, which gateway.json names', async () => {
    const telegram = await startTelegramServer();
    afterFile(() => telegram.close());
    const home = testHome();
    await connected(home);
    const env = { LAINCLAW_TELEGRAM_API_ROOT: telegram.url, BOT: telegram.token };
    const done = await setup(home, ['--channel', 'telegram', '--bot-token-env', 'BOT'], { env });
    expect(done.code).toBe(0);
    expect(jsonOf(home, 'gateway.json')).toMatchObject({ channels: { telegram: { botToken: { env: 'BOT' } } } });
    expect(filesHolding(home.path, telegram.token)).toEqual([]);
  });

  it('with a token that Telegram does not know is refused, and gateway.json is not written', async () => {
    const telegram = await startTelegramServer();
    afterFile(() => telegram.close());
    const home = testHome();
    await connected(home);
    const env = { LAINCLAW_TELEGRAM_API_ROOT: telegram.url };
    const wrong = await setup(home, ['--channel', 'telegram', '--bot-token-stdin'], { stdin: '1:AAAA', env });
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('CHANNEL_REFUSED')]);
    expect(jsonOf(home, 'gateway.json')).toBeUndefined();
  });

  it('on Feishu is tried with its app', async () => {
    const feishu = await startFeishuServer();
    afterFile(() => feishu.close());
    const home = testHome();
    await connected(home);
    const flags = ['--channel', 'feishu', '--app-id', feishu.appId, '--app-secret-stdin', '--domain', feishu.url];
    const wrong = await setup(home, flags, { stdin: 'wrong-secret' });
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('CHANNEL_REFUSED')]);
    const done = await setup(home, flags, { stdin: feishu.appSecret });
    expect(done.json()).toMatchObject({ channel: { channel: 'feishu', bot: feishu.appId } });
    expect((await lainclaw(['gateway', 'config', 'validate'], { home })).code).toBe(0);
  });
});

describe.concurrent('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('of %s is installed once', async (shell) => {
    const server = await serve({ anonymous: true, accept: undefined });
    const home = testHome();
    const flags = ['--provider', 'openai-compatible', '--base-url', `${server.url}/v1`, '--completion', shell];
    const done = await setup(home, flags);
    const { completion } = done.json<{ completion: { path: string; changed: boolean } }>();
    expect(completion.changed).toBe(true);
    const text = readFileSync(completion.path, 'utf8');
    expect(text).toContain(`lainclaw completion ${shell}`);
    expect((await setup(home, ['--completion', shell])).json()).toMatchObject({ completion: { changed: false } });
    expect(readFileSync(completion.path, 'utf8')).toBe(text);
  });
});
