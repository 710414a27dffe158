import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collect, requestOf } from '../../test/conformance/adapter-subject.ts';
import { codexToken } from '../../test/fakes/model-server/codex-token.ts';
import { type ModelServer, startModelServer } from '../../test/fakes/model-server/model-server.ts';
import { startFakeIssuer } from '../../test/fakes/sign-in-issuer.ts';
import { memoryOwnerFiles } from '../../test/support/memory-owner-files.ts';
import { createLocks } from '../storage/local/locks.ts';
import { createOwnerFiles } from '../storage/local/owner-files.ts';
import type { Adapter } from './adapter.ts';
import { type Auth, createAuth } from './auth/auth.ts';
import type { CredentialRequest, CredentialSource } from './auth/credential.ts';
import { createModelLimits } from './model-limits.ts';
import { createProviderAdapters, type ProviderAdapters, type ProviderAdaptersOptions } from './provider-adapters.ts';
import { createStubAdapter } from './stub.ts';

const KEYS = {
  OPENAI_API_KEY: 'sk-openai-0123456789',
  ANTHROPIC_API_KEY: 'sk-ant-0123456789',
  LAINCLAW_API_KEY: 'sk-own-0123456789',
};
const ONCE = {
  idleMs: 5000,
  totalMs: 10_000,
  retries: 0,
  firstWaitMs: 1,
  longestWaitMs: 1,
  retryAfterCapMs: 1,
  longestAnswer: 1_000_000,
};

let home: string;
let server: ModelServer;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'lainclaw-providers-'));
  server = await startModelServer({
    script: () => ({ text: 'Hi', usage: { input: 1000, output: 100 } }),
    anonymous: true,
  });
});
afterEach(async () => {
  await server.close();
  await rm(home, { recursive: true, force: true });
});

type Env = Record<string, string | undefined>;

function open(env: Env, options: Partial<ProviderAdaptersOptions> = {}): ProviderAdapters {
  const credentials: CredentialSource = authOf(env);
  const limits = createModelLimits({ files: memoryOwnerFiles(), now: Date.now });
  return createProviderAdapters({ credentials, limits, env, now: Date.now, retryPolicy: ONCE, ...options });
}

function authOf(env: Env, issuer?: string): Auth {
  const locks = createLocks(join(home, 'locks'));
  return createAuth({ files: createOwnerFiles(home, locks), locks, now: Date.now, env, issuer });
}

function get(providers: ProviderAdapters, name: string): Adapter {
  const adapter = providers.get(name);
  if (!adapter) throw new Error(`no ${name}`);
  return adapter;
}

test('names what there is, the given ones first, and knows nothing else', () => {
  const providers = open({}, { extra: [createStubAdapter()] });
  expect(providers.names().slice(0, 4)).toEqual(['stub', 'openai-codex', 'openai', 'anthropic']);
  expect(providers.names().at(-1)).toBe('openai-compatible');
  expect(providers.get('stub')?.provider).toBe('stub');
  expect(providers.get('openai-codex')?.route).toBe('codex');
  expect(providers.get('open-ai')).toBeUndefined();
  expect(providers.get('__proto__')).toBeUndefined();
});

test('tells model, context and profile before it is asked', async () => {
  const providers = open(KEYS, { models: { openai: 'gpt-5.5' } });
  expect(await get(providers, 'anthropic').describe({})).toMatchObject({
    model: 'claude-sonnet-5',
    contextWindow: 1_000_000,
  });
  expect(await get(providers, 'openai').describe({})).toMatchObject({ model: 'gpt-5.5', contextWindow: 272_000 });
  expect(await get(providers, 'openai').describe({ model: 'unheard-of' })).toEqual({
    model: 'unheard-of',
    profileId: undefined,
    contextWindow: undefined,
    isWindowOpen: true,
  });
});

test.for(['openai-codex', 'openai', 'anthropic'])(
  '%s without a sign-in asks nobody and says the command',
  async (name) => {
    const providers = open({}, { baseUrls: { [name]: server.url } });
    const { ending } = await collect(get(providers, name), requestOf());
    expect(ending).toMatchObject({
      failure: { code: 'auth', message: expect.stringContaining(`lainclaw auth login ${name}`) },
    });
    expect(server.requests).toEqual([]);
  },
);

describe('where keys go', () => {
  const paths: Record<string, string> = { openai: '/v1', anthropic: '', 'openai-compatible': '/v1' };

  test.for(Object.keys(paths))('%s gets its own key and nothing of the others', async (name) => {
    const providers = open(KEYS, { baseUrls: { [name]: server.url + paths[name] } });
    const { ending } = await collect(get(providers, name), { ...requestOf(), model: 'some-model' });
    expect(ending).toMatchObject({ type: 'finish' });
    const sent = JSON.stringify(server.requests.map(({ headers, body }) => [headers, body]));
    const own = {
      openai: KEYS.OPENAI_API_KEY,
      anthropic: KEYS.ANTHROPIC_API_KEY,
      'openai-compatible': KEYS.LAINCLAW_API_KEY,
    }[name];
    for (const key of Object.values(KEYS)) expect(sent.includes(key)).toBe(key === own);
  });

  test('LAINCLAW_BASE_URL moves openai-compatible alone, and a base URL given comes before it', async () => {
    const env = {
      ...KEYS,
      LAINCLAW_BASE_URL: 'http://127.0.0.1:9/v1',
      OPENAI_BASE_URL: server.url,
      ANTHROPIC_BASE_URL: server.url,
    };
    const asked: string[] = [];
    const fetch = (async (input: string | URL | Request) => {
      asked.push(String(input));
      throw new TypeError('fetch failed');
    }) as typeof globalThis.fetch;
    const providers = open(env, { fetch });
    for (const name of Object.keys(paths)) await collect(get(providers, name), { ...requestOf(), model: 'm' });
    await collect(
      get(open(env, { fetch, baseUrls: { 'openai-compatible': 'https://example.com/v1/' } }), 'openai-compatible'),
      { ...requestOf(), model: 'm' },
    );
    expect(asked).toEqual([
      'https://api.openai.com/v1/responses',
      expect.stringMatching(/^https:\/\/api\.anthropic\.com\/v1\/messages/),
      'http://127.0.0.1:9/v1/chat/completions',
      'https://example.com/v1/chat/completions',
    ]);
  });

  test("a server of one's own gets no key when there is none, and nothing the environment slips in", async () => {
    const slipped = {
      OPENAI_ORG_ID: 'org-ambient',
      OPENAI_PROJECT_ID: 'project-ambient',
      OPENAI_CUSTOM_HEADERS: 'x-ambient: yes',
      OPENAI_API_KEY: 'sk-ambient-key',
    };
    const before = { ...process.env };
    Object.assign(process.env, slipped);
    try {
      const providers = open({ LAINCLAW_BASE_URL: `${server.url}/v1` });
      await collect(get(providers, 'openai-compatible'), { ...requestOf(), model: 'm' });
    } finally {
      for (const name of Object.keys(slipped)) delete process.env[name];
      Object.assign(process.env, before);
    }
    const { headers } = server.requests[0] ?? {};
    expect(headers?.authorization).toBeUndefined();
    expect(JSON.stringify(headers)).not.toMatch(/ambient/);
  });

  test.for(['http://user:pass-word@127.0.0.1/v1', 'ftp://x', 'not an address', 'http://x/v1?key=pass-word'])(
    '%s is not a base URL, and is not quoted',
    async (baseUrl) => {
      const providers = open(KEYS, { baseUrls: { openai: baseUrl } });
      const { ending } = await collect(get(providers, 'openai'), requestOf());
      expect(ending).toMatchObject({
        failure: { code: 'refused', message: expect.stringContaining('LAINCLAW_OPENAI_BASE_URL') },
      });
      expect(JSON.stringify(ending)).not.toContain('pass-word');
    },
  );
});

describe('what it costs', () => {
  test('is given for a model whose price is known', async () => {
    const providers = open(KEYS, { baseUrls: { anthropic: server.url } });
    const { ending } = await collect(get(providers, 'anthropic'), requestOf());
    expect(ending).toMatchObject({ usage: { inputTokens: 1000, outputTokens: 100 } });
    expect(ending.usage?.costUsd).toBeCloseTo((1000 * 2 + 100 * 10) / 1e6, 6);
  });

  test('is not made up for one whose price is not', async () => {
    const providers = open(KEYS, { baseUrls: { anthropic: server.url } });
    const { ending } = await collect(get(providers, 'anthropic'), { ...requestOf(), model: 'claude-of-tomorrow' });
    expect(ending.usage).toEqual({ inputTokens: 1000, outputTokens: 100 });
  });
});

describe('openai-compatible', () => {
  test('asks the first model of the server when none is named', async () => {
    await server.close();
    server = await startModelServer({ script: [{ text: 'Hi' }], anonymous: true, models: ['llama-9', 'other'] });
    const adapter = get(open({ LAINCLAW_BASE_URL: `${server.url}/v1` }), 'openai-compatible');
    expect(await adapter.describe({})).toMatchObject({ model: 'llama-9' });
    expect(await collect(adapter, requestOf())).toMatchObject({ ending: { type: 'finish' } });
    expect(server.requests.at(-1)?.body).toMatchObject({ model: 'llama-9' });
    expect(server.violations).toEqual([]);
  });

  test('says that nobody is there', async () => {
    const { url } = server;
    await server.close();
    const adapter = get(open({ LAINCLAW_BASE_URL: `${url}/v1` }), 'openai-compatible');
    expect(await adapter.describe({})).toEqual({});
    expect((await collect(adapter, requestOf())).ending).toMatchObject({ failure: { code: 'network' } });
    const named = await collect(adapter, { ...requestOf(), model: 'm' });
    expect(named.ending).toMatchObject({
      failure: { code: 'network', message: expect.stringMatching(`${url}.*ECONNREFUSED.*Is the server running`) },
    });
  });
});

describe('a ChatGPT token the service no longer accepts', () => {
  const asks: CredentialRequest[] = [];
  const renewing: CredentialSource = {
    async credential(_provider, request = {}) {
      asks.push(request);
      return {
        ok: true,
        kind: 'oauth',
        secret: codexToken(request.rejected ? 'new' : 'old'),
        profileId: 'me',
        accountId: 'account-fake',
      };
    },
    profileFor: async () => 'me',
    baseUrlFor: async () => undefined,
  };
  beforeEach(() => asks.splice(0));

  async function ask(accept: (token: string) => boolean) {
    await server.close();
    server = await startModelServer({ script: () => ({ text: 'Hi' }), accept });
    const providers = open({}, { credentials: renewing, baseUrls: { 'openai-codex': server.url } });
    return collect(get(providers, 'openai-codex'), requestOf());
  }

  test('is renewed and asked with once more', async () => {
    const { events } = await ask((token) => token === codexToken('new'));
    expect(events).toMatchObject([{ type: 'text-delta', text: 'Hi' }, { type: 'finish' }]);
    expect(asks).toMatchObject([{}, { rejected: codexToken('old') }]);
    expect(server.requests).toHaveLength(2);
  });

  test('is renewed once only', async () => {
    const { events } = await ask(() => false);
    expect(events).toMatchObject([
      { failure: { code: 'auth', message: expect.stringContaining('lainclaw auth login openai-codex') } },
    ]);
    expect(JSON.stringify(events)).not.toContain(codexToken('new'));
    expect(server.requests).toHaveLength(2);
  });

  test('signing in, being renewed and answering fit together', async () => {
    const issuer = await startFakeIssuer({ expiresIn: 30 });
    const auth = authOf({}, issuer.url);
    let page = '';
    const interaction = {
      showUrl: (url: string) => {
        page = url;
      },
      showDeviceCode: () => {},
      progress: () => {},
      readPastedCode: async () => issuer.authorize(page),
    };
    await auth.login({
      provider: 'openai-codex',
      method: 'browser',
      interaction,
      signal: new AbortController().signal,
    });
    const providers = open({}, { credentials: auth, baseUrls: { 'openai-codex': server.url } });
    const { ending } = await collect(get(providers, 'openai-codex'), requestOf());
    expect(ending).toMatchObject({ type: 'finish' });
    expect(server.requests[0]?.headers['chatgpt-account-id']).toBe('account-1');
    expect(issuer.requests.map(({ fields }) => fields.grant_type)).toEqual(['authorization_code', 'refresh_token']);
    await issuer.close();
  });
});
