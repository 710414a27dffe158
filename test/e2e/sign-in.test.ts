// Signing in connects: the key is checked against its service, the provider becomes the default, the address is kept.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startModelServer } from '../fakes/model-server/model-server.ts';
import { startFakeIssuer } from '../fakes/sign-in-issuer.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, startLainclaw, terminal } from '../support/lainclaw.ts';
import { filesHolding, KEY } from '../support/model-providers.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const configOf = (home: Home): unknown =>
  existsSync(join(home.path, 'config.json'))
    ? JSON.parse(readFileSync(join(home.path, 'config.json'), 'utf8'))
    : undefined;
const isSignedIn = (home: Home): boolean => existsSync(join(home.path, 'auth-profiles.json'));
const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

async function serve(accept: (token: string) => boolean = (token) => token === KEY) {
  const server = await startModelServer({ script: () => ({ text: 'Hello.' }), accept, models: ['fake', 'gpt-6-sol'] });
  afterFile(() => server.close());
  return server;
}

/** A server that is not a model service. */
async function page(status: number, body: string, headers: Record<string, string> = {}): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status, headers).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterFile(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const login = (home: Home, provider: string, key: string, url: string, ...flags: string[]) =>
  lainclaw(['auth', 'login', provider, '--api-key-stdin', '--base-url', url, ...flags], { home, stdin: key });

describe.concurrent('a key that is accepted', () => {
  it.each(['openai', 'deepseek', 'openai-compatible'])('connects %s: it answers from then on', async (provider) => {
    const server = await serve(() => true);
    const home = testHome();
    const signedIn = await login(home, provider, KEY, `${server.url}/v1`);
    expect(signedIn.code).toBe(0);
    expect(signedIn.json()).toMatchObject({ provider, becameDefault: true, defaultProvider: provider });
    expect(configOf(home)).toEqual({ version: 1, provider });
    const model = provider === 'openai-compatible' ? [] : ['--model', `${provider}/fake`];
    const asked = await lainclaw(['ask', ...model, 'hello'], { home });
    expect(asked.json()).toMatchObject({ success: true, result: 'Hello.', provider, model: 'fake' });
    expect(filesHolding(home.path, KEY)).toEqual(['auth-profiles.json']);
  });

  it('of a second provider leaves the default, and says how to change it', async () => {
    const server = await serve();
    const home = testHome();
    await login(home, 'openai', KEY, `${server.url}/v1`);
    const second = await login(home, 'anthropic', KEY, server.url, '--text');
    expect(second.stdout).toContain('openai stays the default; to change that: lainclaw config set provider anthropic');
    expect(configOf(home)).toMatchObject({ provider: 'openai' });
  });

  it('is asked about with one short question where no free request needs a key', async () => {
    const server = await serve();
    const home = testHome();
    const { code } = await login(home, 'nvidia', KEY, `${server.url}/v1`, '--json');
    expect([code, server.requests.map(({ path }) => path)]).toEqual([1, ['/v1/chat/completions']]);
    const accepting = await startModelServer({ script: () => ({ text: 'ok' }), accept: (token) => token === KEY });
    afterFile(() => accepting.close());
    expect((await login(home, 'nvidia', KEY, `${accepting.url}/v1`)).code).toBe(0);
    const wrong = await login(home, 'nvidia', 'another-key', `${accepting.url}/v1`);
    expect(wrong.stderr).toContain('AUTH_KEY_REFUSED');
  });

  it('kept under a name selects its provider without --provider', async () => {
    const server = await serve();
    const home = testHome();
    await login(home, 'openai', KEY, `${server.url}/v1`);
    await login(home, 'anthropic', KEY, server.url, '--profile', 'work');
    const { json } = await lainclaw(['ask', '--profile', 'work', '--model', 'fake', 'hello'], { home });
    expect(json()).toMatchObject({ success: true, provider: 'anthropic', profileId: 'work' });
  });
});

describe.concurrent('what is refused, with nothing stored', () => {
  const expectRefused = async (
    home: Home,
    finished: Awaited<ReturnType<typeof lainclaw>>,
    code: string,
    words: RegExp,
  ): Promise<void> => {
    expect(finished.code).toBe(1);
    expect(finished.stderr).toContain(code);
    expect(finished.stderr).toMatch(words);
    expect(finished.stdout + finished.stderr).not.toContain(KEY);
    expect([isSignedIn(home), configOf(home)]).toEqual([false, undefined]);
  };

  it.each([['openai'], ['anthropic'], ['openai-compatible'], ['mistral'], ['gemini'], ['openrouter']])(
    'a wrong key of %s',
    async (provider) => {
      const server = await serve(() => false);
      const home = testHome();
      const base = { anthropic: '', mistral: '' }[provider] ?? '/v1';
      const refused = await login(home, provider, KEY, server.url + base);
      await expectRefused(home, refused, 'AUTH_KEY_REFUSED', /does not accept this key.*Nothing was stored/);
    },
  );

  it('a server that answers with a page', async () => {
    const url = await page(200, '<!doctype html><title>Welcome</title>');
    const home = testHome();
    await expectRefused(home, await login(home, 'openai', KEY, url), 'AUTH_NOT_A_SERVICE', /a page.*Check the address/);
  });

  it('a server that redirects, which is not followed', async () => {
    const target = await serve(() => true);
    const url = await page(302, '', { location: `${target.url}/v1/models` });
    const home = testHome();
    await expectRefused(home, await login(home, 'openai', KEY, url), 'AUTH_NOT_A_SERVICE', /redirects/);
    expect([...target.requests, ...target.lookups]).toEqual([]);
  });

  it('no network', async () => {
    const home = testHome();
    const url = 'http://127.0.0.1:9';
    await expectRefused(home, await login(home, 'openai', KEY, url), 'AUTH_UNREACHABLE', /cannot be reached/);
  });

  it.each(['sk-one sk-two', 'sk-one\nsk-two', '', '   '])('a key with blanks or nothing: %j', async (key) => {
    const server = await serve();
    const home = testHome();
    await expectRefused(home, await login(home, 'openai', key, server.url), 'AUTH_BAD_KEY', /not a key/);
    expect(server.requests).toEqual([]);
  });

  it('with --no-check nobody is asked', async () => {
    const home = testHome();
    const { code } = await login(home, 'openai', KEY, 'http://127.0.0.1:9', '--no-check');
    expect([code, isSignedIn(home)]).toEqual([0, true]);
  });
});

describe.concurrent('a server that wants no key', () => {
  it('is connected by its name, and its address is kept', async () => {
    const server = await startModelServer({ script: () => ({ text: 'Local.' }), anonymous: true, models: ['qwen3'] });
    afterFile(() => server.close());
    const home = testHome();
    const signedIn = await lainclaw(['auth', 'login', 'ollama', '--base-url', `${server.url}/v1`], { home });
    expect(signedIn.json()).toMatchObject({ kind: 'no-key', provider: 'ollama', becameDefault: true });
    expect((await lainclaw(['ask', 'hello'], { home })).json()).toMatchObject({ result: 'Local.', model: 'qwen3' });
  });

  it('that is not there is refused', async () => {
    const home = testHome();
    const args = ['auth', 'login', 'ollama', '--base-url', 'http://127.0.0.1:9/v1'];
    const { code, stderr } = await lainclaw(args, { home });
    expect(code).toBe(1);
    expect(stderr).toMatch(/AUTH_UNREACHABLE.*Nothing was stored/);
    expect(configOf(home)).toBeUndefined();
  });

  it('that wants one after all says so', async () => {
    const server = await serve(() => false);
    const args = ['auth', 'login', 'openai-compatible', '--base-url', `${server.url}/v1`];
    const { stderr } = await lainclaw(args, { home: testHome() });
    expect(stderr).toMatch(/AUTH_KEY_REFUSED.*wants a key.*--api-key-stdin/);
  });
});

describe('signing in to ChatGPT, with an issuer of the test', () => {
  const settings = async () => {
    const issuer = await startFakeIssuer();
    afterFile(() => issuer.close());
    const server = await startModelServer({ script: () => ({ text: 'Hello.' }) });
    afterFile(() => server.close());
    const env = {
      LAINCLAW_OPENAI_CODEX_ISSUER: issuer.url,
      LAINCLAW_OPENAI_CODEX_CALLBACK_PORT: String(await freePort()),
      LAINCLAW_OPENAI_CODEX_BASE_URL: `${server.url}/backend-api`,
    };
    return { issuer, server, env, home: testHome() };
  };

  it('in a browser: the page returns here, and ChatGPT answers', async () => {
    const { issuer, server, env, home } = await settings();
    const running = startLainclaw(['auth', 'login', 'openai-codex', '--json'], {
      home,
      env: { ...env, DISPLAY: ':99' },
    });
    await running.saw('/oauth/authorize');
    const [page = ''] = /http:\/\/\S+\/oauth\/authorize\S+/.exec(running.said()) ?? [];
    expect((await fetch(issuer.authorize(page))).status).toBe(200);
    const finished = await running.ended;
    expect(finished.json()).toMatchObject({ provider: 'openai-codex', email: 'me@example.com', becameDefault: true });
    for (const secret of issuer.secrets) expect(finished.stdout + finished.stderr).not.toContain(secret);
    const asked = await lainclaw(['ask', 'hello'], { home, env });
    expect(asked.json()).toMatchObject({ success: true, result: 'Hello.', provider: 'openai-codex' });
    expect(server.requests[0]?.headers['chatgpt-account-id']).toBe('account-1');
  });

  it('with a code on another device', async () => {
    const { issuer, env, home } = await settings();
    const running = startLainclaw(['auth', 'login', 'openai-codex', '--device', '--json'], { home, env });
    await running.saw('ABCD-EFGH');
    expect(running.said()).toContain(`${issuer.url}/codex/device`);
    issuer.approveDevice();
    expect((await running.ended).json()).toMatchObject({ provider: 'openai-codex', becameDefault: true });
  });

  it('given up stores nothing', async () => {
    const { env, home } = await settings();
    const running = startLainclaw(['auth', 'login', 'openai-codex', '--device'], { home, env });
    await running.saw('ABCD-EFGH');
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect([isSignedIn(home), configOf(home)]).toEqual([false, undefined]);
  });

  it.each(['http://issuer.example', 'ftp://127.0.0.1', 'nonsense', 'http://127.0.0.1.example.com'])(
    'an issuer that is neither this machine nor encrypted is refused: %s',
    async (issuer) => {
      const { code, stderr } = await lainclaw(['auth', 'login', 'openai-codex', '--device'], {
        home: testHome(),
        env: { LAINCLAW_OPENAI_CODEX_ISSUER: issuer },
      });
      expect(code).toBe(1);
      expect(stderr).toMatch(/AUTH_BAD_ISSUER.*LAINCLAW_OPENAI_CODEX_ISSUER/);
    },
  );
});

describe.concurrent('when nothing is configured', () => {
  it('a sign-in of an earlier version answers', async () => {
    const server = await serve();
    const home = testHome();
    await login(home, 'openai', KEY, `${server.url}/v1`);
    home.config({});
    const { json } = await lainclaw(['ask', '--model', 'fake', 'hello'], { home });
    expect(json()).toMatchObject({ success: true, provider: 'openai' });
    home.config({ provider: 'stub' });
    expect((await lainclaw(['ask', 'hello'], { home })).json()).toMatchObject({ provider: 'stub' });
  });

  it('a key in the environment alone is not used, and is the first way to connect that is named', async () => {
    const { json } = await lainclaw(['ask', 'hello'], { home: testHome(), env: { GEMINI_API_KEY: KEY } });
    const { provider, result } = json();
    expect(provider).toBe('stub');
    const ways = ['config set provider gemini', 'auth login openai-codex', 'auth login anthropic', 'auth login ollama'];
    const places = ways.map((way) => result.indexOf(`lainclaw ${way}`));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(places.toSorted((one, other) => one - other)).toEqual(places);
    expect(result).toContain('GEMINI_API_KEY is set');
    expect(result).not.toContain(KEY);
  });

  it('the doctor does not say that of a fallback, and says it where a named sign-in comes first', async () => {
    const server = await serve();
    const home = testHome();
    const env = { OPENAI_API_KEY: KEY, GROQ_API_KEY: KEY, OLLAMA_HOST: 'http://127.0.0.1:1' };
    const keysOf = async (config: object): Promise<string[]> => {
      home.config(config);
      const { checks } = (await lainclaw(['doctor', '--json'], { home, env })).json<{
        checks: { name: string; message: string }[];
      }>();
      return checks.filter(({ name }) => name === 'key').map(({ message }) => message);
    };
    expect(await keysOf({ provider: 'openai', fallback: ['groq/other'] })).toEqual([]);
    await login(home, 'openai', KEY, `${server.url}/v1`, '--profile', 'work');
    expect(await keysOf({ provider: 'openai', profile: 'work', fallback: ['groq'] })).toEqual([
      'OPENAI_API_KEY is in the environment, and the sign-in work is used instead',
    ]);
  });

  it('the doctor says that a key is not used', async () => {
    const env = { GROQ_API_KEY: KEY, OLLAMA_HOST: 'http://127.0.0.1:1', NO_COLOR: '1' };
    const { stdout } = await terminal(['doctor'], { home: testHome(), env });
    expect(stdout).toMatch(/! key +GROQ_API_KEY is in the environment.*\n +fix: lainclaw config set provider groq/);
  });
});
