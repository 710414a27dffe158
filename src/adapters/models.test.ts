import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { CredentialSource } from './auth/credential.ts';
import { findLocalServers } from './local-servers.ts';
import { createModels } from './models.ts';
import { ollamaAddress } from './providers/ollama.ts';

const withKey: CredentialSource = {
  credential: async () => ({ ok: true, kind: 'api-key', secret: 'sk-secret-key' }),
  profileFor: async () => undefined,
  baseUrlFor: async () => undefined,
};
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

async function serve(answers: Record<string, { status?: number; body?: unknown; hang?: true }>): Promise<string> {
  server = createServer((request, response) => {
    const { status = 200, body, hang } = answers[request.url ?? ''] ?? { status: 404 };
    if (!hang) response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('models', () => {
  test.for(['openai-codex', 'openai', 'anthropic', 'gemini', 'openrouter', 'mistral'])(
    'of %s are known without asking, with context and price, and one is the default',
    async (provider) => {
      const fetch = (() => {
        throw new Error('asked');
      }) as typeof globalThis.fetch;
      const list = await createModels({ credentials: withKey, env: {}, fetch }).list(provider);
      if (!list?.ok) throw new Error('no list');
      expect(list.models.length).toBeGreaterThan(3);
      expect(list.models.filter(({ isDefault }) => isDefault)).toHaveLength(1);
      expect(list.models.find(({ isDefault }) => isDefault)).toMatchObject({
        contextWindow: expect.any(Number),
        price: { input: expect.any(Number), output: expect.any(Number) },
      });
    },
  );

  test('of a service known by its address have prices too', async () => {
    const list = await createModels({
      credentials: withKey,
      env: { LAINCLAW_BASE_URL: 'https://api.deepseek.com/v1' },
    }).list('openai-compatible');
    expect(list).toMatchObject({ ok: true, models: [{ price: { input: expect.any(Number) } }, {}] });
  });

  test('of any other server are what it lists', async () => {
    const data = [
      { id: 'nomic-embed-text' },
      { id: 'old', supported_parameters: ['temperature'] },
      { id: 'qwen', max_model_len: 32_768, capabilities: ['tool_use'] },
      { id: 'llama', meta: { n_ctx: 4096 }, capabilities: { function_calling: false } },
      { id: 7 },
      null,
    ];
    const url = await serve({ '/v1/models': { body: { data } } });
    const models = createModels({ credentials: withKey, env: { LAINCLAW_BASE_URL: `${url}/v1` } });
    expect(await models.list('openai-compatible')).toEqual({
      ok: true,
      models: [
        { id: 'nomic-embed-text', isDefault: false },
        { id: 'old', tools: false, isDefault: false },
        { id: 'qwen', contextWindow: 32_768, tools: true, isDefault: true },
        { id: 'llama', contextWindow: 4096, tools: false, isDefault: false },
      ],
    });
    expect(await models.list('nobody')).toBeUndefined();
  });

  test.for([
    [{ status: 401, body: {} }, 'auth'],
    [{ status: 500, body: 'sk-secret-key' }, 'protocol'],
    [{ body: 'sk-secret-key' }, 'protocol'],
    [{ body: { data: 7 } }, 'protocol'],
  ] as const)('a list that does not come says why: %o', async ([answer, code]) => {
    const url = await serve({ '/models': answer });
    const list = await createModels({ credentials: withKey, env: {}, baseUrls: { 'openai-compatible': url } }).list(
      'openai-compatible',
    );
    expect(list).toMatchObject({ ok: false, failure: { code, message: expect.stringContaining(url) } });
    expect(JSON.stringify(list)).not.toContain('sk-secret-key');
  });

  test('a server that is not there is a failure of the network', async () => {
    const models = createModels({
      credentials: withKey,
      env: {},
      baseUrls: { 'openai-compatible': 'http://127.0.0.1:9' },
    });
    expect(await models.list('openai-compatible')).toMatchObject({ ok: false, failure: { code: 'network' } });
  });
});

/** Most people have none, so it is looked for briefly; a test that expects an answer waits for it. */
const PATIENT = { timeoutMs: 20_000 };

describe('a server on this machine', () => {
  /** Everything on the ports of such servers is this one. */
  const find = async (url: string, timeoutMs = PATIENT.timeoutMs) => {
    const here = ((input: string, init?: RequestInit) =>
      fetch(url + new URL(input).pathname, init)) as typeof globalThis.fetch;
    return (await findLocalServers({ fetch: here, env: {}, timeoutMs })).map(({ provider, ...found }) => ({
      provider: provider.name,
      ...found,
    }));
  };

  test('is found with its models: Ollama', async () => {
    const url = await serve({
      '/api/tags': { body: { models: [{ name: 'qwen3:8b', size: 5_200_000_000 }, { name: 'x' }, null] } },
    });
    const found = await findLocalServers({ ...PATIENT, env: { OLLAMA_HOST: url } });
    expect(found.find(({ provider }) => provider.name === 'ollama')).toMatchObject({
      baseUrl: `${url}/v1`,
      models: [{ id: 'qwen3:8b', sizeBytes: 5_200_000_000 }, { id: 'x' }],
    });
  });

  test.for([
    ['lmstudio', 'organization_owner', 'http://127.0.0.1:1234/v1'],
    ['llama-cpp', 'llamacpp', 'http://127.0.0.1:8080/v1'],
    ['vllm', 'vllm', 'http://127.0.0.1:8000/v1'],
  ] as const)('is known by what it says of itself: %s', async ([provider, owner, baseUrl]) => {
    const url = await serve({ '/v1/models': { body: { data: [{ id: 'm', owned_by: owner }] } } });
    expect(await find(url)).toEqual([{ provider, baseUrl, models: [{ id: 'm' }] }]);
  });

  test.for([
    { status: 404 },
    { body: '<html>' },
    { body: {} },
    { body: null },
    { body: { data: [{ id: 'x' }] } },
  ] as const)('something else on its port is none: %o', async (answer) => {
    expect(await find(await serve({ '/api/tags': answer, '/v1/models': answer }))).toEqual([]);
  });

  test('one that says nothing is none, soon', async () => {
    const url = await serve({ '/api/tags': { hang: true }, '/v1/models': { hang: true } });
    expect(await find(url, 300)).toEqual([]);
  });

  test('nothing is asked once it was cancelled', async () => {
    expect(await findLocalServers({ env: {}, signal: AbortSignal.abort() })).toEqual([]);
  });

  test.for([
    [undefined, 'http://127.0.0.1:11434'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['0.0.0.0:8080', 'http://127.0.0.1:8080'],
    [':8080', 'http://127.0.0.1:8080'],
    ['gpu.lan', 'http://gpu.lan:11434'],
    ['https://gpu.lan', 'https://gpu.lan'],
    ['http://gpu.lan:80', 'http://gpu.lan'],
    ['%%%', 'http://127.0.0.1:11434'],
  ] as const)('OLLAMA_HOST %s is %s', ([host, address]) => {
    expect(ollamaAddress({ OLLAMA_HOST: host })).toBe(address);
  });
});
