import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBaseUrl } from '../base-url.ts';
import { chooseModel } from '../choose-model.ts';
import { knownModels } from '../pi/catalogue.ts';
import { findProvider, PROVIDERS } from './all.ts';
import { createThoughtSignatures } from './gemini-thought-signatures.ts';
import { baseUrlVariableOf, defaultBaseUrl } from './provider.ts';

describe('the table of providers', () => {
  test('has no name twice, and no name with a slash', () => {
    const names = PROVIDERS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z-]*$/);
    expect(new Set(PROVIDERS.map(baseUrlVariableOf)).size).toBe(names.length);
  });

  test.for(PROVIDERS.map((provider) => [provider.name, provider] as const))('%s is whole', async ([, provider]) => {
    const baseUrl = defaultBaseUrl(provider, {});
    expect(readBaseUrl(baseUrl)).toEqual({ ok: true, url: baseUrl });
    const isHere = new URL(baseUrl).hostname === '127.0.0.1';
    expect(new URL(baseUrl).protocol).toBe(isHere ? 'http:' : 'https:');
    if (provider.signIn === 'api-key') expect(provider.keyVariables?.length).toBeGreaterThan(0);
    const known = await knownModels({ provider, baseUrl });
    expect(known.every(({ api }) => api === provider.api)).toBe(true);
    // Without a table the server is asked, and its first model is used.
    if (provider.models) expect(known.map(({ id }) => id)).toContain(provider.model);
    else expect(provider.model).toBeUndefined();
  });

  test('is the table of docs/models.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/models.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `([\w-]+)` \| (.+?) \| (.+?) \| (.+?) \|$/gm)].map((row) => row.slice(1));
    const expected = PROVIDERS.map(({ name, label, signIn, keyVariables = [], model }) => [
      name,
      label,
      signIn === 'chatgpt'
        ? `\`lainclaw auth login ${name}\``
        : keyVariables.map((one) => `\`${one}\``).join(', ') || 'none',
      model ? `\`${model}\`` : 'the first of its list',
    ]);
    expect(rows).toEqual(expected);
  });

  test('knows nothing by the names of prototypes', () => {
    expect(findProvider('__proto__')).toBeUndefined();
    expect(findProvider('constructor')).toBeUndefined();
  });
});

describe('provider/model', () => {
  test.for([
    ['stub', 'anthropic/claude-opus-5', 'anthropic', 'claude-opus-5'],
    ['openai', 'gpt-5.5', 'openai', 'gpt-5.5'],
    ['openai', 'ollama/qwen3:8b', 'ollama', 'qwen3:8b'],
    ['stub', 'openrouter/anthropic/claude-sonnet-5', 'openrouter', 'anthropic/claude-sonnet-5'],
    // A model the provider in use is known to have is that one.
    ['openrouter', 'anthropic/claude-sonnet-5', 'openrouter', 'anthropic/claude-sonnet-5'],
    ['openrouter', 'openrouter/auto', 'openrouter', 'openrouter/auto'],
    ['groq', 'openai/gpt-oss-120b', 'groq', 'openai/gpt-oss-120b'],
    ['groq', 'openai/gpt-5.5', 'openai', 'gpt-5.5'],
    ['lmstudio', 'lmstudio/openai/gpt-oss-20b', 'lmstudio', 'openai/gpt-oss-20b'],
    ['vllm', 'Qwen/Qwen3-8B', 'vllm', 'Qwen/Qwen3-8B'],
    ['unheard-of', 'a/b', 'unheard-of', 'a/b'],
    ['openai', 'anthropic/', 'openai', 'anthropic/'],
    ['openai', '/x', 'openai', '/x'],
  ] as const)('with %s in use, %s is %s and %s', async ([inUse, named, provider, model]) => {
    expect(await chooseModel({ provider: inUse, model: named })).toEqual({ provider, model });
  });

  test('no model stays none', async () => {
    expect(await chooseModel({ provider: 'openai' })).toEqual({ provider: 'openai', model: undefined });
  });
});

describe("Gemini's thought signatures", () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });

  test('go back with the call they came with; other calls say to skip the check', () => {
    const signatures = createThoughtSignatures();
    const signed = { ...call('a'), extra_content: { google: { thought_signature: 'sig-a' } } };
    signatures.note({ choices: [{ delta: { tool_calls: [signed] } }] });
    const payload = { messages: [{ role: 'user' }, { role: 'assistant', tool_calls: [call('a'), call('b')] }] };
    expect(signatures.addTo(payload)).toEqual({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          tool_calls: [
            signed,
            { ...call('b'), extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } },
          ],
        },
      ],
    });
  });

  test('are kept with the answer for another process, unless they are too long for a transcript', () => {
    const [first, second] = [createThoughtSignatures(), createThoughtSignatures()];
    const signed = (id: string, signature: string) => ({
      ...call(id),
      extra_content: { google: { thought_signature: signature } },
    });
    const long = 'x'.repeat(100_001);
    first.note({ choices: [{ delta: { tool_calls: [signed('a', 'sig-a'), signed('b', long)] } }] });
    expect(first.kept(['c'])).toBeUndefined();
    second.restore(JSON.parse(JSON.stringify(first.kept(['a', 'b', 'c']))));
    for (const damaged of [null, 7, 'x', { a: 7 }, ['y']]) second.restore(damaged);
    expect(second.kept(['a', 'b'])).toEqual({ a: 'sig-a' });
  });

  test.for([null, undefined, 7, 'x', {}, { choices: [{}] }, { choices: [{ delta: { tool_calls: [{}] } }] }])(
    'whatever else an answer holds is passed over: %o',
    (event) => createThoughtSignatures().note(event),
  );
});
