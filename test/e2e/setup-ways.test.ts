// Every way to connect, on a real terminal: a server on this machine, ChatGPT, the sign-in of Codex, a bot on Feishu; set-up run
// again; and what goes wrong on the way: no network, keys and addresses that cannot be used, files of a newer version.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startFeishuServer } from '../fakes/feishu-server/feishu-server.ts';
import { startFakeIssuer } from '../fakes/sign-in-issuer.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, terminal } from '../support/lainclaw.ts';
import { CODEX_TOKEN, filesHolding, KEY } from '../support/model-providers.ts';
import {
  CANCELLED,
  CTRL_C,
  choose,
  contentsOf,
  DOWN,
  ENTER,
  EXTRAS,
  finish,
  LANGUAGE,
  MODEL,
  serveModel,
  startSetup,
  storedIn,
} from '../support/setup-screen.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const NOBODY = 'http://127.0.0.1:9';

async function servePages(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe.concurrent('a server on this machine', () => {
  it('Ollama is found with its models, one is chosen, and it answers', async () => {
    const server = await serveModel({ accept: undefined, anonymous: true, models: ['llama3:8b', 'qwen3:4b'] });
    const home = testHome();
    const env = { OLLAMA_HOST: server.url };
    const screen = startSetup(home, [], env);
    await screen.shows('llama3:8b, qwen3:4b');
    await choose(screen, 'Ollama on this machine');
    await screen.shows('Which model? Type to search');
    await screen.type('qwen');
    await screen.shows('(1 match)');
    await screen.type(ENTER);
    await screen.shows('ollama/qwen3:4b answers');
    expect((await finish(screen)).code).toBe(0);
    expect(storedIn(home)).toMatchObject({ provider: 'ollama', model: 'qwen3:4b' });
    expect((await lainclaw(['ask', 'hello'], { home })).json()).toMatchObject({ result: 'Hello.', provider: 'ollama' });
  });

  it('the address that other programs use is suggested, and a key that it wants is typed after its refusal', async () => {
    const server = await serveModel({ models: ['small'] });
    const home = testHome();
    const screen = startSetup(home, [], { OPENAI_BASE_URL: `${server.url}/v1` });
    await choose(screen, 'Another server');
    await screen.shows(`${server.url}/v1`);
    await screen.type(ENTER);
    await screen.shows('Its API key');
    await screen.type(ENTER);
    await screen.shows('wants a key');
    await choose(screen, 'Type a key');
    await screen.shows('◆  The key');
    await screen.type(KEY + ENTER);
    await screen.shows('openai-compatible/small answers');
    expect((await finish(screen)).code).toBe(0);
    expect((await lainclaw(['ask', 'hello'], { home })).json()).toMatchObject({ result: 'Hello.' });
  });

  it('LM Studio is found where its address is set', async () => {
    const server = await serveModel({ accept: undefined, anonymous: true });
    const url = await servePages((request, response) => {
      if (request.url !== '/v1/models')
        return void response.writeHead(307, { location: server.url + request.url }).end();
      response.end(JSON.stringify({ data: [{ id: 'qwen3-8b', owned_by: 'organization_owner' }] }));
    });
    const home = testHome();
    const screen = startSetup(home, ['setup'], { LAINCLAW_LMSTUDIO_BASE_URL: `${url}/v1` });
    await screen.shows('LM Studio on this machine');
    await screen.type(CTRL_C);
    expect((await screen.ended).code).toBe(CANCELLED);
  });

  it('that has no model yet says how to get one', async () => {
    const server = await serveModel({ accept: undefined, anonymous: true, models: [] });
    const home = testHome();
    const screen = startSetup(home, ['setup'], { OLLAMA_HOST: server.url });
    await screen.shows('it has no model yet');
    await choose(screen, 'Ollama on this machine');
    await screen.shows('ollama pull');
    await screen.shows('What now?');
    await screen.type(CTRL_C);
    await screen.ended;
    expect(contentsOf(home.path)).toEqual({});
  });
});

describe.concurrent('signing in to ChatGPT', () => {
  const settings = async () => {
    const issuer = await startFakeIssuer();
    afterFile(() => issuer.close());
    const server = await serveModel({ accept: undefined });
    const env = {
      LAINCLAW_OPENAI_CODEX_ISSUER: issuer.url,
      LAINCLAW_OPENAI_CODEX_BASE_URL: `${server.url}/backend-api`,
    };
    return { issuer, env, home: testHome() };
  };

  it('with a code typed on another device; then ChatGPT answers', async () => {
    const { issuer, env, home } = await settings();
    const screen = startSetup(home, ['setup'], env);
    await choose(screen, 'Sign in to ChatGPT');
    await screen.shows('ABCD-EFGH');
    issuer.approveDevice();
    await screen.shows('openai-codex/gpt-6-sol answers');
    expect((await finish(screen)).code).toBe(0);
    expect(storedIn(home)).toMatchObject({ provider: 'openai-codex', model: 'gpt-6-sol' });
    for (const secret of issuer.secrets) expect(screen.raw()).not.toContain(secret);
    expect((await lainclaw(['ask', 'hello'], { home, env })).json()).toMatchObject({ result: 'Hello.' });
  });

  it('given up with Ctrl-C stores nothing', async () => {
    const { env, home } = await settings();
    const screen = startSetup(home, ['setup'], env);
    await choose(screen, 'Sign in to ChatGPT');
    await screen.shows('ABCD-EFGH');
    await screen.type(CTRL_C);
    expect((await screen.ended).code).toBe(CANCELLED);
    expect(contentsOf(home.path)).toEqual({});
  });

  it('is kept where the person leaves afterwards, and that is said', async () => {
    const { issuer, env, home } = await settings();
    const screen = startSetup(home, ['setup'], env);
    await choose(screen, 'Sign in to ChatGPT');
    await screen.shows('ABCD-EFGH');
    issuer.approveDevice();
    await screen.shows(LANGUAGE);
    await screen.type(CTRL_C);
    const { code, stdout } = await screen.ended;
    expect([code, stdout]).toEqual([CANCELLED, expect.stringContaining('the sign-in to ChatGPT is kept')]);
    expect(storedIn(home, 'auth-profiles.json')).toMatchObject({ active: { 'openai-codex': expect.any(String) } });
  });

  it('without network is refused, and something else can be chosen', async () => {
    const { home } = await settings();
    const screen = startSetup(home, ['setup'], { LAINCLAW_OPENAI_CODEX_ISSUER: NOBODY });
    await choose(screen, 'Sign in to ChatGPT');
    await screen.shows('cannot be reached');
    await screen.shows(/Which model should answer\?[\s\S]+Which model should answer\?/);
    await screen.type(CTRL_C);
    expect((await screen.ended).code).toBe(CANCELLED);
    expect(contentsOf(home.path)).toEqual({});
  });
});

describe.concurrent('the sign-in of Codex', () => {
  const REFRESH = 'refresh-of-codex';
  const signedIn = (home: Home, file: object): string => {
    mkdirSync(join(home.base, '.codex'), { recursive: true });
    const path = join(home.base, '.codex', 'auth.json');
    writeFileSync(path, JSON.stringify(file));
    return path;
  };
  const TOKENS = { OPENAI_API_KEY: null, tokens: { access_token: CODEX_TOKEN, refresh_token: REFRESH } };

  it('is used where the person chooses it; it stays where it is, and follows what Codex does', async () => {
    const server = await serveModel({ accept: (token) => token === CODEX_TOKEN });
    const home = testHome();
    const path = signedIn(home, TOKENS);
    const env = { LAINCLAW_OPENAI_CODEX_BASE_URL: `${server.url}/backend-api` };
    const screen = startSetup(home, ['setup'], env);
    await choose(screen, 'Use the sign-in of Codex or Claude Code');
    await choose(screen, 'Codex');
    await screen.shows('openai-codex/gpt-6-sol answers');
    const { code, stdout } = await finish(screen);
    expect([code, stdout]).toEqual([0, expect.stringContaining(path)]);
    for (const secret of [CODEX_TOKEN, REFRESH]) expect(filesHolding(home.path, secret)).toEqual([]);
    expect((await lainclaw(['ask', 'hello'], { home, env })).json()).toMatchObject({ result: 'Hello.' });
    signedIn(home, { tokens: null });
    const { code: failed, stderr } = await lainclaw(['ask', 'hello'], { home, env });
    expect([failed, stderr]).toEqual([1, expect.stringContaining('lainclaw auth login openai-codex')]);
  });

  it('with an API key is one of OpenAI, which is copied', async () => {
    const server = await serveModel();
    const home = testHome();
    signedIn(home, { auth_mode: 'apikey', OPENAI_API_KEY: KEY });
    const env = { LAINCLAW_OPENAI_BASE_URL: `${server.url}/v1` };
    const { code, json } = await lainclaw(['setup', '--yes', '--reuse', 'codex', '--model', 'gpt-6-sol'], {
      home,
      env,
    });
    expect([code, json()]).toMatchObject([0, { model: { provider: 'openai', model: 'gpt-6-sol' } }]);
    expect(filesHolding(home.path, KEY)).toEqual(['auth-profiles.json']);
  });

  it('is not looked at before: neither by set-up nor by anything else', async () => {
    const server = await serveModel();
    const home = testHome();
    // A folder in its place would be an error if it were opened.
    mkdirSync(join(home.base, '.codex', 'auth.json'), { recursive: true });
    const env = { OPENAI_API_KEY: KEY, LAINCLAW_OPENAI_BASE_URL: `${server.url}/v1` };
    expect((await lainclaw(['setup', '--yes'], { home, env })).code).toBe(0);
    const { code, stderr } = await lainclaw(['setup', '--yes', '--reuse', 'codex'], { home, env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('AUTH_NOTHING_TO_REUSE')]);
  });

  it.each([
    [['--provider', 'openai'], 'excludes --provider'],
    [['--api-key-stdin'], 'excludes'],
  ])('excludes %j', async (flags, words) => {
    const { code, stderr } = await lainclaw(['setup', '--yes', '--reuse', 'codex', ...flags], { home: testHome() });
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  it('of Claude Code is refused with the reason, and another way can be chosen', async () => {
    const home = testHome();
    mkdirSync(join(home.base, '.claude'));
    writeFileSync(
      join(home.base, '.claude', '.credentials.json'),
      '{"claudeAiOauth":{"accessToken":"sk-ant-oat01-x"}}',
    );
    const { code, stderr } = await lainclaw(['setup', '--yes', '--reuse', 'claude'], { home });
    expect([code, stderr]).toEqual([1, expect.stringContaining('AUTH_NOT_REUSABLE')]);
    const screen = startSetup(home, ['setup']);
    await choose(screen, 'Use the sign-in of Codex or Claude Code');
    await choose(screen, 'Claude Code');
    await screen.shows('Make an API key at');
    await screen.shows(/Which model should answer\?[\s\S]+Which model should answer\?/);
    await screen.type(CTRL_C);
    await screen.ended;
    expect(contentsOf(home.path)).toEqual({});
  });
});

describe.concurrent('a bot on Feishu', () => {
  it('is tried with its App ID and Secret; a wrong one is typed again', async () => {
    const [server, feishu] = [await serveModel(), await startFeishuServer()];
    afterFile(() => feishu.close());
    const home = testHome();
    const env = { ANTHROPIC_API_KEY: KEY, LAINCLAW_ANTHROPIC_BASE_URL: server.url };
    const screen = startSetup(home, ['setup', '--language', 'en', '--memory', 'off'], env);
    await screen.shows(MODEL);
    await screen.type(ENTER);
    await screen.shows(EXTRAS);
    await screen.type(`${DOWN}${DOWN} ${ENTER}`);
    const askForApp = async (secret: string): Promise<void> => {
      await choose(screen, 'A private deployment');
      await screen.shows('◆  Its address');
      await screen.type(feishu.url + ENTER);
      await screen.shows('◆  App ID');
      await screen.type(feishu.appId + ENTER);
      await screen.shows('◆  App Secret');
      await screen.type(secret + ENTER);
    };
    await askForApp('wrong-secret');
    await choose(screen, 'Try again');
    await askForApp(feishu.appSecret);
    const { code, stdout } = await screen.ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining(`feishu knows the bot: ${feishu.appId}`)]);
    expect(screen.raw()).not.toContain(feishu.appSecret);
    expect(storedIn(home, 'gateway.json')).toMatchObject({ channels: { feishu: { appId: feishu.appId } } });
    expect((await lainclaw(['gateway', 'config', 'validate'], { home })).code).toBe(0);
  });
});

describe.concurrent('run again', () => {
  it('shows what is there, keeps what is not changed, and changes the rest', async () => {
    const server = await serveModel({ models: ['claude-sonnet-5', 'claude-haiku-4-5'] });
    const home = testHome();
    const env = { ANTHROPIC_API_KEY: KEY, LAINCLAW_ANTHROPIC_BASE_URL: server.url };
    const flags = ['--yes', '--provider', 'anthropic', '--language', 'ru', '--memory', 'off'];
    expect((await lainclaw(['setup', ...flags], { home, env })).code).toBe(0);
    await lainclaw(['config', 'set', 'toolMaxSteps', '7'], { home });
    const first = startSetup(home, ['setup'], env);
    await first.shows(/модель +anthropic\/claude-sonnet-5/);
    await first.shows(/язык +Русский/);
    await first.shows(/память +выключена/);
    await choose(first, 'Оставить anthropic/claude-sonnet-5');
    await first.shows('anthropic/claude-sonnet-5 отвечает');
    await first.shows('● Русский');
    await first.type(ENTER);
    await first.shows('Что ещё?');
    await first.type(`${DOWN} ${ENTER}`);
    await first.shows('Какая модель?');
    await first.type('claude-haiku-4-5');
    await first.shows(/● claude-haiku-4-5/);
    await first.type(ENTER);
    expect((await first.ended).code).toBe(0);
    expect(storedIn(home)).toEqual({
      version: 1,
      provider: 'anthropic',
      model: expect.stringContaining('claude-haiku-4-5'),
      toolMaxSteps: 7,
      language: 'ru',
      memory: false,
    });
  });

  it('with every answer as it is changes no byte', async () => {
    const server = await serveModel();
    const home = testHome();
    const env = { ANTHROPIC_API_KEY: KEY, LAINCLAW_ANTHROPIC_BASE_URL: server.url };
    const flags = ['--yes', '--provider', 'anthropic', '--language', 'en', '--memory', 'on'];
    expect((await lainclaw(['setup', ...flags], { home, env })).code).toBe(0);
    // Its log alone grows: somebody ran set-up.
    const kept = () =>
      Object.fromEntries(Object.entries(contentsOf(home.path)).filter(([path]) => !path.includes('audit')));
    const before = kept();
    const screen = startSetup(home, ['setup'], env);
    await choose(screen, 'Keep anthropic/claude-sonnet-5');
    expect((await finish(screen)).code).toBe(0);
    expect(kept()).toEqual(before);
  });
});

describe.concurrent('the language', () => {
  it.each([
    ['zh_CN.UTF-8', '由哪个模型回答？', '● 中文'],
    ['ru_RU.UTF-8', 'Какая модель будет отвечать?', '● Русский'],
  ])('follows LANG=%s', async (LANG, question, chosen) => {
    const server = await serveModel();
    const env = { LANG, ANTHROPIC_API_KEY: KEY, LAINCLAW_ANTHROPIC_BASE_URL: server.url };
    const screen = startSetup(testHome(), ['setup'], env);
    await screen.shows(question);
    await screen.type(ENTER);
    await screen.shows(chosen);
    // How the library explains its keys, in English only.
    expect(await screen.everything()).not.toContain('to navigate');
    await screen.type(CTRL_C);
    expect((await screen.ended).code).toBe(CANCELLED);
  });
});

describe.concurrent('what goes wrong', () => {
  const after = (home: Home) => expect(contentsOf(home.path)).toEqual({});

  it('a key with blanks is not sent', async () => {
    const server = await serveModel();
    const home = testHome();
    const screen = startSetup(home, ['setup'], { LAINCLAW_ANTHROPIC_BASE_URL: server.url });
    await choose(screen, 'Type an API key');
    await screen.shows('Which service?');
    await screen.type('anthropic');
    await screen.shows('(1 match)');
    await screen.type(ENTER);
    await screen.shows('API key of Anthropic');
    await screen.type(`sk with blanks${ENTER}`);
    await screen.shows('That is not a key');
    await screen.type(KEY + ENTER);
    await screen.shows('anthropic/claude-sonnet-5 answers');
    expect((await finish(screen)).code).toBe(0);
    expect(filesHolding(home.path, KEY)).toEqual(['auth-profiles.json']);
  });

  it.each([
    ['a revoked key', async () => (await serveModel({ accept: () => false })).url, 'does not accept this key'],
    [
      'a server that answers with a page',
      () => servePages((_, response) => void response.end('<html>Sign in</html>')),
      'it sent a page',
    ],
    ['no network', async () => NOBODY, 'cannot be reached'],
  ])('%s, with the reason; something else can be chosen', async (_name, serve, reason) => {
    const home = testHome();
    const env = { ANTHROPIC_API_KEY: KEY, LAINCLAW_ANTHROPIC_BASE_URL: await serve() };
    const screen = startSetup(home, ['setup'], env);
    await choose(screen, 'Anthropic: the key in ANTHROPIC_API_KEY');
    await screen.shows(reason);
    await choose(screen, 'Choose something else');
    await screen.shows(/Which model should answer\?[\s\S]+Which model should answer\?/);
    await screen.type(CTRL_C);
    expect((await screen.ended).code).toBe(CANCELLED);
    after(home);
  });

  it('no network to Feishu: it can be left out, and the model is stored all the same', async () => {
    const server = await serveModel();
    const home = testHome();
    const env = { ANTHROPIC_API_KEY: KEY, LAINCLAW_ANTHROPIC_BASE_URL: server.url };
    const flags = ['--channel', 'feishu', '--app-id', 'cli_a1b2', '--app-secret-env', 'SECRET', '--domain', NOBODY];
    const screen = startSetup(home, ['setup', '--language', 'en', '--memory', 'off', ...flags], {
      ...env,
      SECRET: 'app-secret-1',
    });
    await screen.shows(MODEL);
    await screen.type(ENTER);
    await screen.shows(EXTRAS);
    await screen.type(ENTER);
    await choose(screen, 'Continue without it');
    expect((await screen.ended).code).toBe(0);
    expect(storedIn(home)).toMatchObject({ provider: 'anthropic' });
    expect(storedIn(home, 'gateway.json')).toBeUndefined();
  });

  it.each(['config.json', 'gateway.json', 'auth-profiles.json'])(
    'a %s of a newer version is left alone',
    async (file) => {
      const server = await serveModel();
      const home = testHome();
      mkdirSync(home.path, { recursive: true });
      const text = '{"version":99,"kept":true}';
      writeFileSync(join(home.path, file), text);
      const env = { ANTHROPIC_API_KEY: KEY, LAINCLAW_ANTHROPIC_BASE_URL: server.url };
      const { code, stdout } = await terminal(['setup'], { home, env });
      expect([code, stdout]).toEqual([1, expect.stringContaining(file)]);
      expect(stdout).toMatch(/newer version|STORAGE_NEWER_VERSION/);
      expect(readFileSync(join(home.path, file), 'utf8')).toBe(text);
    },
  );
});
