// Named providers through the built binary: each is one row of a table, with its variable, its address and its models.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import type { Script } from '../fakes/model-server/reply.ts';
import { eventually } from '../support/eventually.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { filesHolding, KEY, modelFor } from '../support/model-providers.ts';
import { leave, openChat } from '../support/open-chat.ts';
import { afterFile, testHome } from '../support/test-home.ts';

async function serve(script: Script = () => ({ text: 'Hello.' }), models?: string[]): Promise<ModelServer> {
  // The services differ in the fields they know: none is refused here.
  const server = await startModelServer({ script, models, anonymous: true, asMistral: true });
  afterFile(() => server.close());
  return server;
}

const KEYED = [
  ['gemini', 'GEMINI_API_KEY', '/v1beta/openai', '/v1beta/openai/chat/completions', 'gemini-flash-latest'],
  ['openrouter', 'OPENROUTER_API_KEY', '/api/v1', '/api/v1/chat/completions', 'anthropic/claude-sonnet-5'],
  ['deepseek', 'DEEPSEEK_API_KEY', '', '/chat/completions', 'deepseek-v4-pro'],
  ['qwen', 'DASHSCOPE_API_KEY', '/v1', '/v1/chat/completions', 'qwen3.8-max'],
  ['moonshot', 'MOONSHOT_API_KEY', '/v1', '/v1/chat/completions', 'kimi-k3'],
  ['mistral', 'MISTRAL_API_KEY', '', '/v1/chat/completions', 'mistral-medium-latest'],
  ['groq', 'GROQ_API_KEY', '/openai/v1', '/openai/v1/chat/completions', 'openai/gpt-oss-120b'],
  ['xai', 'XAI_API_KEY', '/v1', '/v1/responses', 'grok-4.7'],
  ['kimi-coding', 'KIMI_API_KEY', '/coding', '/coding/v1/messages', 'kimi-for-coding'],
] as const;

describe.concurrent('a named provider', () => {
  it.each(KEYED)('%s answers with its key from %s', async (provider, variable, base, path, model) => {
    const server = await serve();
    const home = testHome();
    const env = {
      [variable]: KEY,
      [`LAINCLAW_${provider.replaceAll('-', '_').toUpperCase()}_BASE_URL`]: server.url + base,
      OPENAI_API_KEY: 'sk-of-another-service',
    };
    const { json, code } = await lainclaw(['ask', '--provider', provider, 'hello'], { home, env });
    expect(code).toBe(0);
    expect(json()).toMatchObject({ success: true, result: 'Hello.', provider, route: provider, model });
    const [request] = server.requests;
    expect(request?.path).toBe(path);
    expect(JSON.stringify(request?.headers)).toContain(KEY);
    expect(JSON.stringify(request)).not.toContain('sk-of-another-service');
    expect(filesHolding(home.path, KEY)).toEqual([]);
  });

  it.each(['gemini', 'openrouter', 'mistral'])(
    '%s without a key says the command and the variable',
    async (provider) => {
      const { code, stderr } = await lainclaw(['ask', '--provider', provider, 'hello'], { home: testHome() });
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`lainclaw auth login ${provider} --api-key-stdin \\(or set [A-Z_]+\\)`));
    },
  );

  it.each(['ollama', 'lmstudio', 'llama-cpp', 'vllm'])(
    '%s needs no key, and its first model is asked',
    async (provider) => {
      const server = await serve(undefined, ['nomic-embed-text', 'qwen3']);
      const env = { [`LAINCLAW_${provider.replaceAll('-', '_').toUpperCase()}_BASE_URL`]: `${server.url}/v1` };
      const { json } = await lainclaw(['ask', '--provider', provider, 'hello'], { home: testHome(), env });
      expect(json()).toMatchObject({ success: true, result: 'Hello.', provider, model: 'qwen3' });
      expect([...server.requests, ...server.lookups].every(({ headers }) => headers.authorization === undefined)).toBe(
        true,
      );
    },
  );

  it('is suggested when its name is misspelt', async () => {
    const { code, stderr } = await lainclaw(['ask', '--provider', 'gemni', 'hello'], { home: testHome() });
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean "gemini"');
  });
});

it('gemini gets the signature of a call back in another process, from the transcript', async () => {
  const signature = 'EhQKEgEMOdbHy8s+signed/by+gemini==';
  const server = await serve(({ messages }) =>
    messages.at(-1)?.role === 'user' && messages.length === 1
      ? { toolCalls: [{ id: 'call-1', name: 'time_now', args: {}, signature }] }
      : { text: 'Done.' },
  );
  const home = testHome();
  const env = { GEMINI_API_KEY: KEY, LAINCLAW_GEMINI_BASE_URL: `${server.url}/v1beta/openai` };
  for (const question of ['what time is it?', 'and now?']) {
    const { code } = await lainclaw(['ask', '--provider', 'gemini', question], { home, env });
    expect(code).toBe(0);
  }
  const signatures = server.requests.map(
    ({ body }) => JSON.stringify(body).match(/"thought_signature":"([^"]+)"/)?.[1],
  );
  expect(signatures).toEqual([undefined, signature, signature]);
});

describe.concurrent('provider/model', () => {
  const ask = async (args: string[], config: object = {}, env: Record<string, string> = {}) => {
    const server = await serve();
    const home = testHome();
    home.config(config);
    const addresses = ['OLLAMA', 'LMSTUDIO', 'GROQ'].map((name) => [`LAINCLAW_${name}_BASE_URL`, `${server.url}/v1`]);
    const finished = await lainclaw(['ask', ...args, 'hello'], {
      home,
      env: { ...Object.fromEntries(addresses), GROQ_API_KEY: KEY, ...env },
    });
    return { ...finished, sent: server.requests.at(-1)?.body as { model?: string } | undefined };
  };

  it('as a flag names both, over a provider that is configured with its profile', async () => {
    const { json, sent } = await ask(['--model', 'ollama/qwen3:8b'], { provider: 'openai', profile: 'work' });
    expect(json()).toMatchObject({ success: true, provider: 'ollama', model: 'qwen3:8b' });
    expect(sent?.model).toBe('qwen3:8b');
  });

  it('in config.json names both', async () => {
    const { json } = await ask([], { model: 'ollama/qwen3' });
    expect(json()).toMatchObject({ success: true, provider: 'ollama', model: 'qwen3' });
  });

  it.each([
    [['--provider', 'lmstudio', '--model', 'openai/gpt-oss-20b'], {}, 'lmstudio', 'openai/gpt-oss-20b'],
    [[], { provider: 'lmstudio', model: 'openai/gpt-oss-20b' }, 'lmstudio', 'openai/gpt-oss-20b'],
    [['--model', 'openai/gpt-oss-120b'], { provider: 'groq' }, 'groq', 'openai/gpt-oss-120b'],
  ])(
    'a model named beside its provider, or known to be of it, is of that one: %j %j',
    async (args, config, provider, model) => {
      const { json, sent } = await ask(args, config);
      expect(json()).toMatchObject({ success: true, provider, model });
      expect(sent?.model).toBe(model);
    },
  );
});

describe('provider/model, wherever a model is named', () => {
  const modelOf = ({ requests }: ModelServer): unknown => (requests.at(-1)?.body as { model?: string })?.model;
  const other = async () => {
    const server = await serve(() => ({ text: 'From the other.' }), ['qwen3:8b']);
    return { server, env: { LAINCLAW_OLLAMA_BASE_URL: `${server.url}/v1` } };
  };

  it('/model in the chat, and /model default takes it back', async () => {
    const { server, env } = await other();
    const opened = await openChat([{ text: 'From the first.' }], [], { env });
    await opened.say('/model ollama/qwen3:8b');
    await opened.chat.shows('ollama/qwen3:8b · main');
    await opened.say('hello');
    await opened.chat.shows('From the other.');
    expect(modelOf(server)).toBe('qwen3:8b');
    await opened.say('/model ollama/qwen4');
    await opened.chat.shows(/ollama has no model \W?qwen4/);
    await opened.say('/model default');
    await opened.chat.hides('ollama/qwen3:8b · main');
    await opened.say('and now?');
    await opened.chat.shows('From the first.');
    expect(server.requests).toHaveLength(1);
    expect(await leave(opened)).toBe(0);
  });

  it('a sub-agent: its definition, and subagent_spawn', async () => {
    const { server, env } = await other();
    const model = await modelFor('openai-compatible', [], { env });
    const definition = '---\nname: small\ndescription: d\nmodel: ollama/qwen3:8b\n---\nBe brief.\n';
    mkdirSync(join(model.home.path, 'agents'), { recursive: true });
    writeFileSync(join(model.home.path, 'agents', 'small.md'), definition);
    model.follow(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'done' }
        : {
            toolCalls: [
              { name: 'task', args: { agent: 'small', prompt: 'look' } },
              { name: 'subagent_spawn', args: { name: 'own', message: 'look', model: 'ollama/qwen3:8b' } },
            ],
          },
    );
    const { toolResults } = (await model.ask('go', '--approve', 'auto')).json();
    expect(toolResults[0]?.result).toMatchObject({ ok: true, data: { answer: 'From the other.' } });
    await eventually(async () => {
      const { runs } = (await lainclaw(['agents', 'status'], model)).json<{
        runs: { state: string; result: string }[];
      }>();
      expect(runs).toMatchObject([{ state: 'done', result: 'From the other.' }]);
    });
    expect(server.requests.map(({ body }) => (body as { model?: string }).model)).toEqual(['qwen3:8b', 'qwen3:8b']);
  });

  it('a schedule', async () => {
    const { server, env } = await other();
    const home = testHome();
    home.config({ provider: 'stub' });
    const job = ['--every', '1d', '--message', 'look', '--model', 'ollama/qwen3:8b'];
    expect((await lainclaw(['schedule', 'add', 'daily', ...job], { home, env })).code).toBe(0);
    const { json } = await lainclaw(['schedule', 'run', 'daily'], { home, env });
    expect(json()).toMatchObject({ status: 'ok', answer: 'From the other.' });
    expect(modelOf(server)).toBe('qwen3:8b');
  });
});

it('historyTokens of config.json limits the history of a request, and what is left out is summarised', async () => {
  const questions = Array.from({ length: 12 }, (_, index) => `question ${index} ${'word '.repeat(200)}`);
  const historyOf = async (config: object) => {
    const model = await modelFor('openai-compatible', ({ system }) => ({
      text: system[0]?.startsWith('You summarise') ? 'A few questions.' : `answer ${'word '.repeat(200)}`,
    }));
    model.home.config(config);
    let said = '';
    for (const question of questions) said += (await model.ask(question)).stderr;
    const last = model.asked.findLast(({ messages }) => JSON.stringify(messages).includes('question 11 '));
    const sent = JSON.stringify(last?.messages.filter(({ text }) => !text.includes('<conversation-summary>')));
    const seen = questions.filter((_, index) => sent.includes(`question ${index} `));
    return { seen: seen.length, said };
  };
  expect(await historyOf({})).toEqual({ seen: 12, said: '' });
  const { seen, said } = await historyOf({ historyTokens: 1_000 });
  // The last twelve messages are sent in any case: six questions, and the one that is asked.
  expect(seen).toBeLessThan(9);
  expect(seen).toBeGreaterThanOrEqual(7);
  expect(said).toContain('were summarised to make room');
});

describe.concurrent('what a model cannot do', () => {
  it('see: it is asked without the picture, which one line says', async () => {
    const server = await serve();
    const home = testHome();
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
      'base64',
    );
    home.file('dot.png', png);
    const env = { GROQ_API_KEY: KEY, LAINCLAW_GROQ_BASE_URL: `${server.url}/openai/v1` };
    const args = ['ask', '--provider', 'groq', '--image', 'dot.png', 'what is it?'];
    const { json, stderr } = await lainclaw(args, { home, env });
    expect(json()).toMatchObject({ success: true, result: 'Hello.', model: 'openai/gpt-oss-120b' });
    expect(stderr.match(/openai\/gpt-oss-120b of groq cannot see pictures: it is asked without them/g)).toHaveLength(1);
    const sent = JSON.stringify(server.requests.at(-1)?.body);
    expect(sent).not.toContain(png.toString('base64'));
    expect(sent).toContain('[1 picture is not shown: this model cannot see]');
  });

  it('tools: it is asked without them, which one line says, and that is remembered', async () => {
    const server = await serve(({ tools }) =>
      tools.length > 0
        ? { fault: { kind: 'status', status: 400, body: { error: { message: 'gemma:2b does not support tools' } } } }
        : { text: 'Hello.' },
    );
    const home = testHome();
    const env = { LAINCLAW_OLLAMA_BASE_URL: `${server.url}/v1` };
    const ask = () => lainclaw(['ask', '--model', 'ollama/gemma:2b', 'hello'], { home, env });
    const first = await ask();
    expect(first.json()).toMatchObject({ success: true, result: 'Hello.' });
    expect(first.stderr.match(/gemma:2b of ollama cannot call tools: it is asked without them/g)).toHaveLength(1);
    expect(server.requests).toHaveLength(2);
    expect((await ask()).json()).toMatchObject({ success: true, result: 'Hello.' });
    expect(server.requests).toHaveLength(3);
  });

  it('effort: the flag reaches the service, and a level that does not exist is refused', async () => {
    const server = await serve();
    const env = { OPENAI_API_KEY: KEY, LAINCLAW_OPENAI_BASE_URL: `${server.url}/v1` };
    const ask = (...flags: string[]) =>
      lainclaw(['ask', '--provider', 'openai', ...flags, 'hello'], { home: testHome(), env });
    await ask('--effort', 'high');
    await ask();
    const efforts = server.requests.map(({ body }) => (body as { reasoning?: { effort?: string } }).reasoning?.effort);
    expect(efforts).toEqual(['high', 'medium']);
    const wrong = await ask('--effort', 'enormous');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/--effort.*enormous[\s\S]*off, minimal, low, medium, high/);
  });
});
