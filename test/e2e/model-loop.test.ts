// The tool loop through the built binary: what the model is offered, what is run for it, what it receives, how it ends.
import { describe, expect, it } from 'vitest';
import type { AskResult } from '../../src/pipeline/events.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import type { Home } from '../support/home.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { CODEX_PROFILE, modelFor, PROVIDERS } from '../support/model-providers.ts';
import { structureProblems } from '../support/transcript-rules.ts';

const read = (path: string) => ({ name: 'fs_read_file', args: { path } });
const results = (request: NeutralRequest | undefined) =>
  (request?.messages ?? []).flatMap((message) => (message.role === 'tool' ? [message] : []));
const journalledCalls = (home: Home) => home.lines().filter(({ type }) => type === 'tool-call');

describe.concurrent.each(PROVIDERS)('over %s', (provider) => {
  it('an answer without calls is the result, and every tool was offered once under a legal name', async () => {
    const { ask, server, asked, home } = await modelFor(provider, [{ text: ['Hel', 'lo.'] }]);
    const { code, stderr, json } = await ask('hi');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(json()).toMatchObject({
      success: true,
      stage: 'answered',
      route: provider === 'openai-codex' ? 'codex' : provider,
      result: 'Hello.',
      provider,
      toolCalls: [],
      toolResults: [],
      sessionContextUpdated: false,
      usage: { inputTokens: 12, outputTokens: 7 },
    });
    expect(json().profileId).toBe(provider === 'openai-codex' ? CODEX_PROFILE : undefined);
    const listed = (await lainclaw(['tools', 'list'], { home })).json<{ name: string }[]>().map(({ name }) => name);
    const offered = asked[0]?.tools.map(({ name }) => name) ?? [];
    expect(offered).toEqual(expect.arrayContaining(['time_now', 'tool_search', 'fs_list_dir', 'fs_read_file']));
    expect(offered).not.toContain('file_read');
    expect(listed).toContain('file_read');
    expect(new Set(offered).size).toBe(offered.length);
    expect(asked[0]?.tools.every(({ description }) => description !== '')).toBe(true);
    expect(server.violations).toEqual([]);
  });

  it('rounds with several calls run in order, their results go back, and the next turn sends it all legally', async () => {
    const { ask, server, asked, home } = await modelFor(provider, [
      { reasoning: 'First the files.', text: 'Reading.', toolCalls: [read('a.txt'), read('b.txt'), read('empty.txt')] },
      { toolCalls: [{ name: 'tools_echo', args: { text: 'Zürich 🌧', list: [1, null] } }] },
      { text: 'Both read.' },
      { text: 'Yes.' },
    ]);
    home.file('a.txt', 'alpha\n');
    home.file('b.txt', 'beta\n');
    home.file('empty.txt', '');
    const { code, json } = await ask('read them');
    const { result, toolCalls, toolResults, toolError, usage, sessionContextUpdated } = json();
    expect({ code, result, toolError }).toEqual({ code: 0, result: 'Both read.', toolError: undefined });
    expect(toolCalls.map(({ name, args, source }) => [name, args, source])).toEqual([
      ['fs.read_file', { path: 'a.txt' }, 'model'],
      ['fs.read_file', { path: 'b.txt' }, 'model'],
      ['fs.read_file', { path: 'empty.txt' }, 'model'],
      ['tools.echo', { text: 'Zürich 🌧', list: [1, null] }, 'model'],
    ]);
    expect(toolResults.map(({ call }) => call)).toEqual(toolCalls);
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(4);
    expect(results(asked[1]).map(({ text }) => text)).toEqual(['alpha\n', 'beta\n', expect.any(String)]);
    expect(results(asked[2])[3]?.text).toContain('Zürich 🌧');
    expect(usage).toMatchObject({ inputTokens: 36, outputTokens: 21 });
    expect(sessionContextUpdated).toBe(true);
    expect(home.messages().map(({ role, content }) => [role, content])).toEqual([
      ['user', 'read them'],
      ['system', expect.stringMatching(/alpha[\s\S]*beta[\s\S]*Zürich/)],
      ['assistant', 'Both read.'],
    ]);
    expect(structureProblems(home.lines())).toEqual([]);

    expect((await ask('and now?')).json()).toMatchObject({ success: true, result: 'Yes.' });
    const told = asked[3]?.messages.map(({ text }) => text).join('\n');
    expect(told).toMatch(/read them[\s\S]*alpha[\s\S]*beta[\s\S]*Both read\.[\s\S]*and now\?/);
    expect(server.violations).toEqual([]);
  });

  it('the model learns of malformed calls once, then they are text; nothing is run, and the next turn is legal', async () => {
    const bad = {
      text: 'I try.',
      toolCalls: [
        { name: 'fs_read_file', args: '{"path":"a.txt"' },
        { name: 'fs_read_file', args: 'path=a.txt' },
        { name: 'fs_read_file', args: '["a.txt"]' },
        { name: '', args: { path: 'nameless' } },
      ],
    };
    const { ask, asked, server, home } = await modelFor(provider, [bad, bad, { text: 'Fine.' }]);
    home.file('a.txt', 'alpha\n');
    const { code, json } = await ask('read a.txt');
    expect(code).toBe(0);
    expect(json()).toMatchObject({ success: true, stage: 'answered', toolError: { code: 'invalid_args' } });
    expect(json().toolResults).toHaveLength(4);
    expect(json().toolResults.every(({ result }) => !result.ok && result.error.code === 'invalid_args')).toBe(true);
    expect(results(asked[1]).map(({ text, isError }) => [text.includes('invalid_args'), isError])).toEqual(
      provider === 'anthropic' ? Array(4).fill([true, true]) : Array(4).fill([true, false]),
    );
    for (const part of ['I try.', '{"path":"a.txt"', 'path=a.txt', '["a.txt"]', 'nameless'])
      expect(json().result).toContain(part);
    expect((await ask('go on')).json()).toMatchObject({ success: true, result: 'Fine.' });
    expect(server.violations).toEqual([]);
  });

  it('a malformed call that the model writes again is run', async () => {
    const { ask, home } = await modelFor(provider, [
      { toolCalls: [{ name: 'fs_read_file', args: '{"path":' }] },
      { toolCalls: [read('a.txt')] },
      { text: 'Read.' },
    ]);
    home.file('a.txt', 'alpha\n');
    const { result, toolResults } = (await ask('read a.txt')).json();
    expect(result).toBe('Read.');
    expect(toolResults.map(({ result: { ok } }) => ok)).toEqual([false, true]);
  });

  it('with --with-tools=false none are offered and the calls of the model are not run', async () => {
    const { ask, server, asked, home } = await modelFor(provider, [{ text: 'I call.', toolCalls: [read('a.txt')] }]);
    home.file('a.txt', 'alpha\n');
    const { code, json } = await ask('read a.txt', '--with-tools=false');
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      success: true,
      stage: 'answered',
      result: 'I call.',
      toolCalls: [],
      toolResults: [],
    });
    expect(asked[0]?.tools).toEqual([]);
    expect(asked).toHaveLength(1);
    expect(journalledCalls(home)).toEqual([]);
    expect(server.violations).toEqual([]);
  });

  it('tools called by hand reach the model as calls with their results, whatever they were', async () => {
    const { ask, server, asked } = await modelFor(provider, [{ text: 'Noon.' }, { text: 'I see.' }]);
    const calls = [{ name: 'time.now' }, { name: 'no.such tool' }, { name: 'fs.read_file', args: { wrong: 1 } }];
    const { code, json } = await ask(`tool:${JSON.stringify(calls)}\nwhat time is it?`);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ success: true, result: 'Noon.', provider, toolError: { code: 'tool_not_found' } });
    expect(json().toolCalls.map(({ name, source }) => [name, source])).toEqual([
      ['time.now', 'ask'],
      ['no.such tool', 'ask'],
      ['fs.read_file', 'ask'],
    ]);
    const [question] = asked[0]?.messages.filter(({ role }) => role === 'user') ?? [];
    expect(question?.text).toBe('what time is it?');
    expect(results(asked[0]).map(({ text }) => text)).toEqual([
      expect.stringContaining('timestamp'),
      expect.stringContaining('tool_not_found'),
      expect.stringContaining('invalid_args'),
    ]);
    expect((await ask('thanks')).json()).toMatchObject({ result: 'I see.' });
    expect(server.violations).toEqual([]);
  });

  it.each([
    ['--with-tools=false', '--with-tools=false'],
    ['no visible tool', '--tool-allow=nothing.visible'],
  ])('a question about a call by hand is legal with %s', async (_name, flag) => {
    const { ask, server, asked } = await modelFor(provider, [{ text: 'Noon.' }]);
    const { json, stderr } = await ask('tool:time.now\nwhat time is it?', flag);
    expect({ violations: server.violations, stderr }).toEqual({ violations: [], stderr: '' });
    expect(json()).toMatchObject({ success: true, result: 'Noon.' });
    expect(asked[0]?.tools).toEqual([]);
  });

  it('a call under a name that no provider accepts back is answered, and the loop continues', async () => {
    const { ask, server, asked } = await modelFor(provider, [
      {
        toolCalls: [
          { name: 'time.now', args: {} },
          { name: 'functions.read file', args: {} },
        ],
      },
      { text: 'Noon.' },
    ]);
    const { json } = await ask('what time is it?');
    expect(server.violations).toEqual([]);
    expect(json()).toMatchObject({ success: true, result: 'Noon.', toolError: { code: 'tool_not_found' } });
    expect(results(asked[1])).toHaveLength(2);
  });
});

describe.concurrent('the limit of steps', () => {
  const again = (_request: NeutralRequest, index: number): Reply => ({
    text: `Step ${index + 1}.`,
    toolCalls: [{ name: 'tools_echo', args: { step: index + 1 } }],
  });
  const exceeded = (steps: number) => ({
    tool: 'tools.echo',
    code: 'execution_error',
    message: `tool call loop exceeded max steps (${steps})`,
  });

  it.each([
    ['1', 1, ['--tool-max-steps', '1']],
    ['2', 2, ['--tool-max-steps=2']],
    ['the default, 3', 3, []],
  ])('%s: the calls of the last step are run and recorded, then it stops', async (_name, steps, flags) => {
    const { ask, server, asked, home } = await modelFor('openai-compatible', again);
    const { code, json } = await ask('go', ...flags);
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      success: true,
      stage: 'tool-limit',
      result: `Step ${steps}.`,
      toolError: exceeded(steps),
      sessionContextUpdated: true,
    });
    expect(json().toolResults.map(({ result }) => result.ok && result.data)).toEqual(
      Array.from({ length: steps }, (_, index) => ({ step: index + 1 })),
    );
    expect(asked).toHaveLength(steps);
    expect(journalledCalls(home)).toHaveLength(steps);
    expect(home.messages().map(({ role }) => role)).toEqual(['user', 'system', 'assistant']);
    expect(server.violations).toEqual([]);
  });

  it('with two steps a model that calls once can answer', async () => {
    const { ask } = await modelFor('openai-compatible', [{ toolCalls: [read('a.txt')] }, { text: 'Answered.' }]);
    expect((await ask('go', '--tool-max-steps', '2')).json()).toMatchObject({
      stage: 'answered',
      result: 'Answered.',
      usage: { inputTokens: 24, outputTokens: 14 },
    });
  });

  it('a model that said nothing leaves a sentence that says what happened', async () => {
    const { ask, home } = await modelFor('openai-compatible', [{ toolCalls: [{ name: 'shell_pwd', args: {} }] }]);
    const { result } = (await ask('go', '--tool-max-steps', '1')).json();
    expect(result).toMatch(/1 step.*--tool-max-steps/);
    expect(home.messages().at(-1)?.content).toBe(result);
  });

  it('is the toolError also when a tool failed on the way', async () => {
    const { ask } = await modelFor('openai-compatible', () => ({ toolCalls: [{ name: 'tools_echoes', args: {} }] }));
    const { toolError, toolResults } = (await ask('go', '--tool-max-steps', '2')).json();
    expect(toolResults.map(({ result }) => result.ok)).toEqual([false, false]);
    expect(toolError).toEqual({ ...exceeded(2), tool: 'tools_echoes' });
  });

  it('says in its last line what was left, and --continue continues it', async () => {
    const { ask, asked, home } = await modelFor('openai-compatible', [
      { text: 'I look.', toolCalls: [read('a.txt')] },
      { text: 'It says alpha.' },
    ]);
    home.file('a.txt', 'alpha\n');
    const limited = await ask('read a.txt', '--tool-max-steps', '1');
    expect(limited.code).toBe(0);
    expect(limited.json()).toMatchObject({ stage: 'tool-limit', result: 'I look.' });
    expect(limited.stderr.trimEnd().split('\n').at(-1)).toMatch(
      /limit of 1 step.*result of fs\.read_file.*"lainclaw ask --continue" continues/,
    );
    const { code, json } = await ask('', '--continue');
    expect(code).toBe(0);
    expect(json()).toMatchObject({ stage: 'answered', result: 'It says alpha.', toolCalls: [] });
    expect(asked[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    const nothing = await ask('', '--continue');
    expect(nothing.code).toBe(1);
    expect(nothing.json()).toMatchObject({ success: false, error: { code: 'NOTHING_TO_CONTINUE' } });
    const wrong = await ask('and this?', '--continue');
    expect({ code: wrong.code, stderr: wrong.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('--continue continues the last turn: it takes no question'),
    });
  });

  it('after it the next turn is legal and knows what was done', async () => {
    const { ask, server, asked, follow } = await modelFor('anthropic', again);
    await ask('go', '--tool-max-steps', '1');
    follow([{ text: 'Ended.' }]);
    expect((await ask('well?')).json()).toMatchObject({ result: 'Ended.' });
    expect(JSON.stringify(asked.at(-1)?.messages)).toMatch(/tools_echo/);
    expect(server.violations).toEqual([]);
  });
});

describe.concurrent('a call that cannot succeed', () => {
  it('is a failed result for the model, each in its way, and the first one is the toolError', async () => {
    const { ask, server, asked, home } = await modelFor('openai-compatible', [
      {
        toolCalls: [
          { name: 'fs_read_file', args: { path: 7 } },
          read('missing.txt'),
          read('../outside.txt'),
          { name: 'no_such_tool', args: {} },
          read('a.txt'),
        ],
      },
      { text: 'Some of it failed.' },
    ]);
    home.file('a.txt', 'alpha\n');
    const { code, json } = await ask('go');
    expect(code).toBe(0);
    const { success, stage, result, toolError, toolResults } = json();
    expect({ success, stage, result }).toEqual({ success: true, stage: 'answered', result: 'Some of it failed.' });
    expect(toolResults.map(({ result: { ok, ...rest } }) => ('error' in rest ? rest.error?.code : ok))).toEqual([
      'invalid_args',
      'execution_error',
      'execution_error',
      'tool_not_found',
      true,
    ]);
    expect(toolError).toMatchObject({ tool: 'fs.read_file', code: 'invalid_args' });
    expect(results(asked[1]).map(({ text }) => text)).toEqual([
      expect.stringMatching(/invalid_args.*path/),
      expect.stringMatching(/No such file: missing\.txt/),
      expect.stringMatching(/Access denied: path outside workspace/),
      expect.stringMatching(/tool_not_found.*no_such_tool/),
      'alpha\n',
    ]);
    expect(server.violations).toEqual([]);
  });

  it('because it is not on the allow-list: it is not offered, not found when called, and the loop continues', async () => {
    const { ask, asked, server, home } = await modelFor('openai-compatible', [
      { toolCalls: [read('a.txt'), { name: 'time_now', args: {} }] },
      { text: 'As far as I may.' },
    ]);
    home.file('a.txt', 'alpha\n');
    const { json } = await ask('go', '--tool-allow', 'time.now,file_list');
    expect(asked[0]?.tools.map(({ name }) => name)).toEqual(['time_now', 'file_list']);
    expect(json()).toMatchObject({
      result: 'As far as I may.',
      toolError: { tool: expect.stringMatching(/^fs[._]read_file$/), code: 'tool_not_found' },
    });
    expect(json().toolResults.map(({ result }) => result.ok)).toEqual([false, true]);
    expect(JSON.stringify(asked)).not.toContain('alpha');
    expect(server.violations).toEqual([]);
  });
});

describe.concurrent('what a small server may send', () => {
  const chat = (...choices: object[]): Reply => ({
    rawBody: [
      ...choices.map(
        (choice) => `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [choice] })}`,
      ),
      'data: [DONE]',
      '',
    ].join('\n\n'),
  });

  it('an empty list of calls is none', async () => {
    const { ask, home } = await modelFor('openai-compatible', [
      chat(
        { index: 0, delta: { role: 'assistant', content: 'Plain.', tool_calls: [] } },
        { index: 0, delta: { tool_calls: [] }, finish_reason: 'stop' },
      ),
    ]);
    const { code, json } = await ask('go');
    expect(code).toBe(0);
    expect(json()).toMatchObject({ success: true, stage: 'answered', result: 'Plain.', toolCalls: [] });
    expect(journalledCalls(home)).toEqual([]);
  });

  it('a finish that promises calls, without any, is an answer', async () => {
    const { ask } = await modelFor('openai-compatible', [{ text: 'Only text.', finish: 'tool-calls' }]);
    expect((await ask('go')).json()).toMatchObject({ success: true, stage: 'answered', result: 'Only text.' });
  });

  it('an answer cut at its length limit: none of its calls is run, and the model learns so', async () => {
    const { ask, asked } = await modelFor('openai-compatible', [
      { text: 'I read', toolCalls: [read('a.txt')], finish: 'length' },
      { text: 'Done.' },
    ]);
    const { code, json } = await ask('go');
    expect(code).toBe(0);
    expect(json()).toMatchObject({ success: true, result: 'Done.', toolError: { code: 'invalid_args' } });
    expect(results(asked[1])[0]?.text).toContain('length limit');
  });

  it('the same id in every round still gives each result its own', async () => {
    const same = (path: string) => ({ toolCalls: [{ id: 'call_0', ...read(path) }] });
    const { ask, asked, server, home } = await modelFor('openai-compatible', [
      same('a.txt'),
      same('b.txt'),
      { text: 'Read.' },
    ]);
    home.file('a.txt', 'alpha');
    home.file('b.txt', 'beta');
    const { toolCalls, result } = (await ask('go')).json();
    expect(result).toBe('Read.');
    expect(new Set(toolCalls.map(({ id }) => id)).size).toBe(2);
    expect(results(asked[2]).map(({ text }) => text)).toEqual(['alpha', 'beta']);
    expect(server.violations).toEqual([]);
  });

  it('no text at all leaves a sentence, never an empty answer', async () => {
    const { ask, server } = await modelFor('anthropic', [{}, { text: ' \n' }, { text: 'Here.' }]);
    expect((await ask('one')).json().result.trim()).not.toBe('');
    await ask('two');
    expect((await ask('three')).json()).toMatchObject({ success: true, result: 'Here.' });
    expect(server.violations).toEqual([]);
  });
});

describe.concurrent('tools called by hand without a question', () => {
  it('ask the model nothing, whatever provider is named', async () => {
    const { ask, server } = await modelFor('openai-compatible', []);
    const { json } = await ask('tool:time.now');
    expect(json()).toMatchObject({ success: true, provider: 'openai-compatible', route: 'tool' });
    expect(json().toolCalls).toHaveLength(1);
    expect(server.requests).toEqual([]);
  });

  it('also need no sign-in', async () => {
    const { home, server } = await modelFor('anthropic', []);
    const { code, json } = await lainclaw(['ask', '--provider', 'anthropic', 'tool:time.now'], {
      home,
      env: { LAINCLAW_ANTHROPIC_BASE_URL: server.url },
    });
    expect(code).toBe(0);
    expect(json()).toMatchObject({ success: true, toolResults: [{ result: { ok: true } }] });
    expect(server.requests).toEqual([]);
  });

  it('do not ask a server for its models either', async () => {
    const { home, server, env } = await modelFor('openai-compatible', []);
    const args = ['ask', '--provider', 'openai-compatible', '--base-url', `${server.url}/v1`, 'tool:time.now'];
    expect((await lainclaw(args, { home, env })).code).toBe(0);
    expect(server.requests.map(({ path }) => path)).toEqual([]);
  });
});

describe.concurrent('what a turn cost', () => {
  it('is summed over the steps, in USD where the price is known', async () => {
    const script = [{ toolCalls: [read('a.txt')], usage: { input: 1_000_000, output: 0 } }, { text: 'Done.' }];
    const { ask, follow, asked } = await modelFor('openai', script);
    const cost = (result: AskResult) => result.usage?.costUsd ?? 0;
    const two = (await ask('go')).json();
    follow([{ text: 'Done.' }]);
    const one = (await ask('go')).json();
    expect(two.model).toBe('gpt-6-sol');
    expect(two.usage).toMatchObject({ inputTokens: 1_000_012, outputTokens: 7, costUsd: expect.any(Number) });
    expect(cost(one)).toBeGreaterThan(0);
    expect(cost(two)).toBeGreaterThan(cost(one));
    expect(asked.every(({ model }) => model === 'gpt-6-sol')).toBe(true);
  });

  it('has no price for a model whose price is unknown', async () => {
    const { ask } = await modelFor('openai', [{ text: 'Done.' }]);
    const { usage, model } = (await ask('go', '--model', 'gpt-of-tomorrow')).json();
    expect({ usage, model }).toEqual({ usage: { inputTokens: 12, outputTokens: 7 }, model: 'gpt-of-tomorrow' });
  });
});

describe.concurrent('LAINCLAW_DEBUG_SOURCE=1', () => {
  it.each([
    ['openai-compatible', '[openai-compatible] '],
    ['openai-codex', `[openai-codex:${CODEX_PROFILE}] `],
  ] as const)('tells who answered in front of the result: %s', async (provider, prefix) => {
    const { ask, home } = await modelFor(provider, [{ text: 'Hello.' }], { env: { LAINCLAW_DEBUG_SOURCE: '1' } });
    expect((await ask('hi')).json().result).toBe(`${prefix}Hello.`);
    expect(home.messages().at(-1)?.content).toBe('Hello.');
  });

  it('does so in streamed text as well', async () => {
    const { ask } = await modelFor('openai-compatible', [{ text: 'Hello.' }], { env: { LAINCLAW_DEBUG_SOURCE: '1' } });
    expect((await ask('hi', '--text')).stdout).toBe('[openai-compatible] Hello.\n');
  });
});
