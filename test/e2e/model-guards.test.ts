// What ends a run that would continue for nothing or for too much, and what is left out of a conversation that is too long.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { modelFor } from '../support/model-providers.ts';
import { structureProblems } from '../support/transcript-rules.ts';

const LONG = ['--tool-max-steps', '20'];
const read = (path: string): Reply => ({ toolCalls: [{ name: 'fs_read_file', args: { path } }] });
/** Another call every time, so that only a cap can end it. */
const counting = (usage: { input: number; output: number }) => (_request: NeutralRequest, index: number) => ({
  text: `Call ${index + 1}.`,
  toolCalls: [{ name: 'tools_echo', args: { count: index + 1 } }],
  usage,
});

describe.concurrent('the same call again and again', () => {
  it('ends the run after the third with the same result, with an explanation', async () => {
    const { ask, asked, server, home } = await modelFor('openai-compatible', () => read('a.txt'));
    home.file('a.txt', 'alpha\n');
    const { code, json } = await ask('go', ...LONG);
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      success: true,
      stage: 'stopped',
      result: expect.stringMatching(/fs\.read_file 3 times.*same result/),
      toolError: { tool: 'fs.read_file', code: 'execution_error', message: expect.stringMatching(/same arguments/) },
    });
    expect(json().toolCalls).toHaveLength(3);
    expect(asked).toHaveLength(3);
    expect(home.messages().at(-1)).toMatchObject({ role: 'assistant', stage: 'stopped', content: json().result });
    expect(home.lines().at(-1)).toMatchObject({ type: 'turn-end', outcome: 'stopped' });
    expect(structureProblems(home.lines())).toEqual([]);
    expect(server.violations).toEqual([]);
  });

  it('counts the order of arguments as nothing, and a failure as a result', async () => {
    const orders = ['{"path":"gone.txt","startLine":1}', '{"startLine":1,"path":"gone.txt"}'];
    const { ask, asked } = await modelFor('openai-compatible', (_request, index) => ({
      text: 'Once more.',
      toolCalls: [{ name: 'fs_read_file', args: orders[index % 2] ?? '' }],
    }));
    const { stage, result } = (await ask('go', ...LONG)).json();
    expect(stage).toBe('stopped');
    expect(result).toMatch(/^Once more\.\n\n\(the model called fs\.read_file 3 times/);
    expect(asked).toHaveLength(3);
  });

  it('continues while the results or the arguments differ', async () => {
    const replies = [1, 2, 3, 4].map((): Reply => ({ toolCalls: [{ name: 'time_now', args: {} }] }));
    const { ask, home } = await modelFor('openai-compatible', [
      ...replies,
      read('a.txt'),
      read('b.txt'),
      { text: 'End.' },
    ]);
    home.file('a.txt', 'same');
    home.file('b.txt', 'same');
    expect((await ask('go', ...LONG)).json()).toMatchObject({ stage: 'answered', result: 'End.' });
  });
});

describe.concurrent('a cap of one run', () => {
  it.each([
    ['--max-tokens', ['--max-tokens', '250'], {}],
    ['maxTokens in config.json', [], { maxTokens: 250 }],
    ['--max-tokens before maxTokens', ['--max-tokens=250'], { maxTokens: 10 }],
  ])('%s ends it when it is reached, and says so', async (_name, flags, config) => {
    const { ask, asked, home } = await modelFor('openai-compatible', counting({ input: 90, output: 10 }));
    home.config(config);
    const { code, json } = await ask('go', ...LONG, ...flags);
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      success: true,
      stage: 'stopped',
      result: expect.stringMatching(/^Call 3\.[\s\S]*300 tokens.*cap is 250.*--max-tokens/),
      toolError: { code: 'execution_error' },
      usage: { inputTokens: 270, outputTokens: 30 },
    });
    expect(asked).toHaveLength(3);
  });

  it('--max-cost-usd ends it when it is reached, and says so', async () => {
    const { ask, asked } = await modelFor('openai', counting({ input: 100_000, output: 0 }));
    const { json, stderr } = await ask('go', ...LONG, '--max-cost-usd', '0.3');
    expect(json()).toMatchObject({
      stage: 'stopped',
      result: expect.stringMatching(/USD.*cap is 0\.3.*--max-cost-usd/),
    });
    expect(json().usage?.costUsd).toBeGreaterThanOrEqual(0.3);
    expect(asked.length).toBeLessThan(5);
    expect(stderr).not.toContain('unknown');
  });

  it('in USD cannot be watched without a price, and that is said', async () => {
    const { ask } = await modelFor('openai-compatible', [{ text: 'Hello.' }, { text: 'Hello.' }]);
    const { code, stderr, stdout } = await ask('go', '--max-cost-usd', '0.01');
    expect(code).toBe(0);
    expect(stderr).toMatch(/price of fake is unknown.*tokens/);
    expect(stdout).not.toContain('unknown');
    expect((await ask('go')).stderr).toBe('');
  });

  it.each([
    ['--max-tokens', '0'],
    ['--max-tokens', '1.5'],
    ['--max-cost-usd', '0'],
    ['--max-cost-usd', 'cheap'],
    ['--max-cost-usd', '-1'],
  ])('%s=%s is refused by name and value', async (flag, value) => {
    const { ask, server } = await modelFor('openai-compatible', []);
    const { code, stderr } = await ask('go', `${flag}=${value}`);
    expect(code).toBe(2);
    expect(stderr).toContain(flag);
    expect(stderr).toContain(value);
    expect(server.requests).toEqual([]);
  });
});

describe.concurrent('a cap of the day', () => {
  it('that is used up refuses before the model is asked, over all sessions, but not what needs no model', async () => {
    const { ask, server, home } = await modelFor('openai-compatible', [
      { text: 'Hello.', usage: { input: 90, output: 10 } },
    ]);
    home.config({ dailyMaxTokens: 100 });
    expect((await ask('one')).json()).toMatchObject({ success: true });
    const { code, json, stderr } = await ask('two', '--session', 'other');
    expect(code).toBe(1);
    expect(json()).toMatchObject({
      success: false,
      stage: 'failed',
      result: '',
      error: { code: 'BUDGET_EXCEEDED', message: expect.stringMatching(/100 tokens.*dailyMaxTokens/) },
    });
    expect(stderr).toContain('error BUDGET_EXCEEDED');
    expect(server.requests).toHaveLength(1);
    expect(home.lines('other').at(-1)).toMatchObject({ type: 'turn-end', outcome: 'failed' });
    expect((await ask('tool:time.now')).json()).toMatchObject({ success: true });

    home.config({ dailyMaxTokens: 1_000 });
    server.setScript([{ text: 'Again.' }]);
    expect((await ask('three')).json()).toMatchObject({ success: true, result: 'Again.' });
  });

  it('ends a run that uses up what is left of it', async () => {
    const { ask, asked, home } = await modelFor('openai-compatible', counting({ input: 90, output: 10 }));
    home.config({ dailyMaxTokens: 250 });
    const { stage, result } = (await ask('go', ...LONG)).json();
    expect(stage).toBe('stopped');
    expect(result).toMatch(/dailyMaxTokens/);
    expect(asked).toHaveLength(3);
  });

  it('that is set at noon counts the morning', async () => {
    const { ask, server, home } = await modelFor('openai-compatible', [
      { text: 'Hello.', usage: { input: 90, output: 10 } },
    ]);
    await ask('one');
    home.config({ dailyMaxTokens: 100 });
    expect((await ask('two')).json()).toMatchObject({ success: false, error: { code: 'BUDGET_EXCEEDED' } });
    expect(server.requests).toHaveLength(1);
  });

  it.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
    'is the same day that the model receives, the one where the owner is: %s',
    async (timeZone) => {
      const today = (): string => new Intl.DateTimeFormat('en-CA', { timeZone }).format(Date.now());
      const before = today();
      const { start, asked, home } = await modelFor('openai-compatible', [{ text: 'Hello.' }], {
        env: { TZ: timeZone },
      });
      await start('one').ended;
      const told = /Today is (\S+)\./.exec(asked[0]?.note ?? '')?.[1];
      expect([before, today()]).toContain(told);
      expect(readdirSync(join(home.path, 'spending'))).toEqual([`${told}.jsonl`]);
    },
  );

  it('in USD works the same', async () => {
    const { ask, server, home } = await modelFor('anthropic', [
      { text: 'Hello.', usage: { input: 500_000, output: 0 } },
    ]);
    home.config({ dailyMaxCostUsd: 0.5 });
    await ask('one');
    const { json } = await ask('two');
    expect(json()).toMatchObject({ success: false, error: { code: 'BUDGET_EXCEEDED' } });
    expect(server.requests).toHaveLength(1);
  });
});

describe.concurrent('the summary of a session that remembers', () => {
  const usage = { input: 90, output: 10 };
  const isSummary = ({ system }: NeutralRequest): boolean => system.join().includes('Summarise this part');
  const script = (request: NeutralRequest): Reply => ({ text: isSummary(request) ? '- sums up' : 'Noted.', usage });

  it('counts in the usage of its turn and in the day', async () => {
    const { ask, asked, home } = await modelFor('openai-compatible', script);
    for (let turn = 1; turn <= 12; turn += 1) await ask(`fact ${turn}`, '--memory');
    home.config({ dailyMaxTokens: 1_400 });
    const { json } = await ask('fact 13');
    expect(json()).toMatchObject({ memoryUpdated: true, usage: { inputTokens: 180, outputTokens: 20 } });
    expect(asked.filter(isSummary)).toHaveLength(1);
    expect((await ask('one more')).json()).toMatchObject({ error: { message: expect.stringContaining('(1400)') } });
  });

  it('is an extract when a cap leaves no room for the model', async () => {
    const { ask, asked, home } = await modelFor('openai-compatible', script);
    for (let turn = 1; turn <= 12; turn += 1) await ask(`fact ${turn}`, '--memory');
    const { json } = await ask('fact 13', '--max-tokens', '110');
    expect(json()).toMatchObject({ memoryUpdated: true, usage: { inputTokens: 90, outputTokens: 10 } });
    expect(asked.filter(isSummary)).toEqual([]);
    expect(readFileSync(join(home.path, 'memory', 'main.md'), 'utf8')).toContain('- fact 1');
  });
});

describe.concurrent('a conversation longer than the model can take', () => {
  const textOf = (request: NeutralRequest | undefined): string => JSON.stringify(request?.messages);
  const filler = (word: string): string => `${word} `.repeat(1_500);

  it('is sent without its oldest messages when the size of the model is known', async () => {
    const { ask, asked, server } = await modelFor('openai', () => ({ text: 'Noted.' }));
    for (const word of ['first', 'second', 'third']) await ask(filler(word), '--model', 'gpt-4');
    const { json } = await ask('what now?', '--model', 'gpt-4');
    expect(json().success).toBe(true);
    const last = textOf(asked.at(-1));
    expect(last).not.toContain('first');
    expect(last).toContain('third');
    expect(last).toContain('what now?');
    expect(server.violations).toEqual([]);
  });

  it('loses tool results before anything else, with a note in their place and every pair whole', async () => {
    const { ask, asked, server, home } = await modelFor('openai', [
      read('a.txt'),
      read('b.txt'),
      { text: 'Read both.' },
    ]);
    home.file('a.txt', filler('alpha'));
    home.file('b.txt', filler('beta'));
    const { json } = await ask('read a and b', '--model', 'gpt-4');
    expect(json()).toMatchObject({ success: true, result: 'Read both.' });
    const results = asked[2]?.messages.flatMap((message) => (message.role === 'tool' ? [message.text] : []));
    expect(results).toEqual([expect.stringContaining('dropped'), expect.stringContaining('beta beta')]);
    expect(textOf(asked[2])).toContain('read a and b');
    expect(json().toolResults[0]?.result).toMatchObject({ ok: true, data: { content: filler('alpha') } });
    expect(server.violations).toEqual([]);
  });

  it.each(['openai-compatible', 'anthropic'] as const)(
    'is asked once more, smaller and legal, when %s says it is too long',
    async (provider) => {
      const { ask, asked, server } = await modelFor(provider, [
        { text: 'One.' },
        { text: 'Two.' },
        { fault: { kind: 'context-length' } },
        { text: 'Three.' },
      ]);
      await ask(filler('first'));
      await ask('second');
      const { code, stdout, stderr } = await ask('third', '--text');
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'Three.\n' });
      expect(stderr).toMatch(/too long.*left out/);
      expect(textOf(asked[3])).not.toContain('first');
      expect(textOf(asked[3])).toMatch(/second.*Two\..*third/);
      expect(server.violations).toEqual([]);
    },
  );

  it('is given up when it is too long a second time', async () => {
    const tooLong: Reply = { fault: { kind: 'context-length' } };
    const { ask, server } = await modelFor('openai-compatible', [{ text: 'One.' }, tooLong, tooLong]);
    await ask(filler('first'));
    const { code, json } = await ask('second');
    expect(code).toBe(1);
    expect(json()).toMatchObject({ success: false, error: { code: 'PROVIDER_CONTEXT_LENGTH' } });
    expect(server.requests).toHaveLength(3);
  });

  it('loses what an earlier turn read before what the model has just asked for', async () => {
    const { ask, asked, server, home } = await modelFor('openai-compatible', [
      read('old.txt'),
      { text: 'Old.' },
      read('new.txt'),
      { fault: { kind: 'context-length' } },
      { text: 'New.' },
    ]);
    home.file('old.txt', 'old '.repeat(9_000));
    home.file('new.txt', 'new '.repeat(1_000));
    await ask('read old.txt');
    expect((await ask('read new.txt')).json()).toMatchObject({ success: true, result: 'New.' });
    expect(textOf(asked[4])).not.toContain('old old old');
    expect(textOf(asked[4])).toContain('new new new');
    expect(server.violations).toEqual([]);
  });
});
