// The conversation as the model sees it: what it is sent of earlier turns, what begins each request, and what happens when
// the history no longer fits. Driven in this process, against the real adapters and disk.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sizeOfReport } from '../../src/pipeline/context-size.ts';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../fakes/model-server/model-server.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import { promptText, sharedBytes } from '../fakes/model-server/prompt-cache.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { type FortyFacts, faithfulSummary, tellFortyFacts } from '../support/forty-facts.ts';
import { type AppTool, createModelApp, type ModelApp } from '../support/model-app.ts';
import { modelFor } from '../support/model-providers.ts';

const PLACES = [
  { provider: 'openai-compatible', path: '/v1' },
  { provider: 'openai', path: '/v1' },
  { provider: 'anthropic', path: '' },
  { provider: 'openai-codex', path: '/backend-api' },
];
const TOOLS: AppTool[] = [
  { name: 'file_write', effect: 'write', parameters: ['path'], run: () => 'written' },
  { name: 'time.now', effect: 'read', run: () => '12:00' },
  { name: 'fs.read_file', effect: 'read', parameters: ['path'], run: ({ path }) => `the text of ${path}` },
];

interface Talk {
  app: ModelApp;
  server: ModelServer;
}

async function talk(
  { provider, path }: (typeof PLACES)[number],
  options: ModelServerOptions,
  use: (talk: Talk) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-talk-'));
  const storage = createLocalStorage({ home, now: Date.now });
  const server = await startModelServer(options);
  try {
    await use({ app: createModelApp({ storage, provider, baseUrl: server.url + path, tools: TOOLS }), server });
    expect(server.violations).toEqual([]);
  } finally {
    storage.close();
    await server.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Two rounds of tools and an answer, with thinking where the provider has it. */
const toolTurn = ({ messages }: NeutralRequest): Reply => {
  const question = messages.findLastIndex(({ role }) => role === 'user');
  const rounds = messages.slice(question).filter(({ role }) => role === 'assistant').length;
  const read = (name: string) => ({ name: 'fs_read_file', args: { path: `${name}-${messages.length}.txt` } });
  if (rounds === 0)
    return { reasoning: 'Hm.', text: 'I will look.', toolCalls: [read('a'), { name: 'time_now', args: {} }] };
  if (rounds === 1) return { toolCalls: [read('b')] };
  return { text: `Both say the same. ${'word '.repeat(20)}` };
};

describe.each(PLACES)('over $provider', (place) => {
  it('each request begins with the bytes of the one before it', async () => {
    await talk(place, { script: toolTurn }, async ({ app, server }) => {
      for (let turn = 0; turn < 6; turn += 1) await app.ask(`Question ${turn}: what do the files say?`);
      const prompts = server.requests.map(({ dialect, body }) =>
        promptText(dialect ?? 'chat', body as Record<string, unknown>),
      );
      expect(prompts).toHaveLength(18);
      for (const [index, prompt] of prompts.slice(1).entries()) {
        const before = prompts[index] as string;
        const lost = Buffer.byteLength(before) - sharedBytes(before, prompt);
        // The note of the turn, and the brackets around it.
        expect(lost, before.slice(-200)).toBeLessThan(130);
      }
    });
  });

  it('what was cached is read again, and counted in the usage', async () => {
    await talk(place, { script: toolTurn, promptCache: true }, async ({ app }) => {
      await app.ask(`Begin. ${'A long text that is worth caching. '.repeat(200)}`);
      for (let turn = 0; turn < 3; turn += 1) {
        const { result } = await app.ask(`And number ${turn}?`);
        const { inputTokens = 0, cachedTokens = 0 } = result.usage ?? {};
        expect(cachedTokens / inputTokens, JSON.stringify(result.usage)).toBeGreaterThan(0.9);
      }
    });
  });
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

it.each(PLACES)('a picture is sent again with later questions, over $provider', async (place) => {
  await talk(place, { script: toolTurn }, async ({ app, server }) => {
    const attachments = [{ kind: 'image' as const, name: 'dot.png', mimeType: 'image/png', data: PIXEL }];
    await app.ask('What is this?', { attachments, withTools: false });
    await app.ask('And its colour?', { withTools: false });
    const [first = '', second = ''] = server.requests.map(({ dialect, body }) =>
      promptText(dialect ?? 'chat', body as Record<string, unknown>),
    );
    expect(second).toContain(PIXEL);
    expect(Buffer.byteLength(first) - sharedBytes(first, second)).toBeLessThan(130);
  });
});

it('many calls in one answer do not lose what Anthropic has cached', async () => {
  const calls = Array.from({ length: 25 }, (_, index) => ({ name: 'fs_read_file', args: { path: `${index}.txt` } }));
  const script: ModelServerOptions['script'] = ({ messages }) =>
    messages.at(-1)?.role === 'user' ? { toolCalls: calls } : { text: 'All read.' };
  await talk({ provider: 'anthropic', path: '' }, { script, promptCache: true }, async ({ app }) => {
    await app.ask(`Begin. ${'A long text that is worth caching. '.repeat(200)}`);
    const { result } = await app.ask('And again?');
    expect((result.usage?.cachedTokens ?? 0) / (result.usage?.inputTokens ?? 1)).toBeGreaterThan(0.6);
  });
});

describe.each(PLACES)('a turn that is continued, over $provider', (place) => {
  it('continues where it stopped: the results are sent, no question is added, and the bytes stay the same', async () => {
    await talk(place, { script: toolTurn }, async ({ app, server }) => {
      await app.ask('Hello.', { withTools: false });
      const { result: limited } = await app.ask('What do the files say?', { toolMaxSteps: 1 });
      expect(limited).toMatchObject({ success: true, stage: 'tool-limit' });
      const { result: again } = await app.ask('', { continues: true, toolMaxSteps: 1 });
      expect(again).toMatchObject({ success: true, stage: 'tool-limit' });
      const { result } = await app.ask('', { continues: true });
      expect(result).toMatchObject({ success: true, stage: 'answered', result: expect.stringMatching(/^Both say/) });
      await app.ask('And now?');
      const prompts = server.requests.map(({ dialect, body }) =>
        promptText(dialect ?? 'chat', body as Record<string, unknown>),
      );
      for (const [index, prompt] of prompts.slice(2).entries()) {
        const before = prompts[index + 1] as string;
        expect(Buffer.byteLength(before) - sharedBytes(before, prompt)).toBeLessThan(130);
      }
      expect(prompts.at(-1)?.match(/What do the files say/g)).toHaveLength(1);
    });
  });
});

it('a session whose last turn was answered has nothing to continue, and nothing is written', async () => {
  await talk(PLACES[0] as (typeof PLACES)[number], { script: toolTurn }, async ({ app, server }) => {
    expect((await app.ask('', { continues: true })).result).toMatchObject({
      success: false,
      error: { code: 'NOTHING_TO_CONTINUE', message: expect.stringContaining('no turn yet') },
    });
    await app.ask('Hello.', { withTools: false });
    const { result } = await app.ask('', { continues: true });
    expect(result).toMatchObject({ success: false, error: { code: 'NOTHING_TO_CONTINUE' } });
    expect(server.requests).toHaveLength(1);
  });
});

describe('between turns', () => {
  const place = PLACES[0] as (typeof PLACES)[number];
  const script: ModelServerOptions['script'] = (request) =>
    request.system[0]?.startsWith('You summarise') ? { text: '## Goal\nA garden for the person.' } : toolTurn(request);

  it('says what fills the window, part by part', async () => {
    await talk(place, { script }, async ({ app }) => {
      expect(await app.describe()).toBeUndefined();
      for (let turn = 0; turn < 3; turn += 1) await app.ask(`Question ${turn}?`);
      const before = await app.describe();
      expect(before).toMatchObject({ budgetTokens: 64_000, summary: 0, memory: 0, messageCount: 9, toolCount: 3 });
      for (const part of ['system', 'tools', 'history'] as const) expect(before?.[part]).toBeGreaterThan(30);
      await app.ask(`${'A long text. '.repeat(100)}`);
      const after = await app.describe();
      expect(after?.history).toBeGreaterThan((before?.history ?? 0) + 300);
      // The meter of the chat reads the last model call, and says the same.
      const { events } = await app.ask('And now?');
      const metered = events.flatMap((event) => (event.type === 'model-end' ? [event.context?.tokens] : [])).at(-1);
      const report = await app.describe();
      expect(metered).toBe(report && sizeOfReport(report).tokens);
    });
  });

  it('summarises the older part when it is asked to, with what the person wants kept', async () => {
    await talk(place, { script }, async ({ app, server }) => {
      for (let turn = 0; turn < 4; turn += 1) await app.ask(`Question ${turn}?`);
      expect(await app.compact()).toEqual({ kind: 'nothing', messageCount: 12 });
      for (let turn = 4; turn < 8; turn += 1) await app.ask(`Question ${turn}?`);
      const report = await app.compact('the roses');
      expect(report).toMatchObject({ kind: 'compacted', notice: expect.stringContaining('messages 1 to 12') });
      if (report.kind === 'compacted') expect(report.tokensAfter).toBeLessThan(report.tokensBefore);
      expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('keep above all: the roses');
      expect(await app.compact()).toMatchObject({ kind: 'nothing' });
      await app.ask('And now?');
      const sent = JSON.stringify(server.requests.at(-1)?.body);
      expect(sent).toContain('A garden for the person.');
      expect(sent).not.toContain('Question 3?');
      expect(sent).toContain('Question 4?');
      expect(await app.describe()).toMatchObject({ summary: expect.any(Number), messageCount: 15 });
    });
  });

  it('keeps everything when the summary is refused', async () => {
    const refusing: ModelServerOptions['script'] = (request) =>
      request.system[0]?.startsWith('You summarise') ? { text: ' ' } : toolTurn(request);
    await talk(place, { script: refusing }, async ({ app, server }) => {
      for (let turn = 0; turn < 8; turn += 1) await app.ask(`Question ${turn}?`);
      expect(await app.compact()).toEqual({ kind: 'refused', reason: 'the model returned an empty summary' });
      await app.ask('And now?');
      expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('Question 0?');
    });
  });
});

describe('a window that nobody knows', () => {
  const place = PLACES[0] as (typeof PLACES)[number];
  const WINDOW = 4_096;
  let refusals = 0;
  /** Like vLLM: counts four characters a token, and says what the most would have been. */
  const refusing: ModelServerOptions['script'] = (request) => {
    const tokens = JSON.stringify(request.messages).length / 4;
    const message = `This model's maximum context length is ${WINDOW} tokens. However, you requested ${tokens} tokens.`;
    if (tokens > WINDOW) refusals += 1;
    if (tokens > WINDOW) return { fault: { kind: 'status', status: 400, body: { error: { message } } } };
    if (request.system[0]?.startsWith('You summarise')) return faithfulSummary(request);
    return { text: `Noted. ${'word '.repeat(40)}` };
  };

  it('is learnt from a refusal: older turns are summarised, it is asked again, and the next turn knows', async () => {
    await talk(place, { script: refusing }, async ({ app, server }) => {
      const notices: string[] = [];
      for (let turn = 0; turn < 40; turn += 1) {
        const fact = turn === 2 ? 'My secret of number 7 is cedar-1259. ' : '';
        const { result, events } = await app.ask(`Question ${turn}. ${fact}${'word '.repeat(60)}`);
        expect(result).toMatchObject({ success: true, result: expect.stringContaining('Noted.') });
        notices.push(...events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])));
      }
      expect(notices.length).toBeGreaterThan(0);
      expect(notices.every((notice) => notice.includes('were summarised to make room'))).toBe(true);
      expect(await app.describe()).toMatchObject({ windowTokens: WINDOW, budgetTokens: WINDOW / 2 });
      expect(refusals).toBe(1);
      expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('cedar-1259');
    });
  });
});

it('a conversation is not lost with a poor summary: who, what for, decided, forbidden, done, open', async () => {
  const lines = [
    'My name is Ada, I work on the payments service.',
    'Never touch the ledger table without asking me.',
    'We decided to retry refunds 3 times, because the bank drops 2% of them.',
    'The rounding bug is in src/money/round.ts.',
    'Still to do: the invoices of the Lisbon office.',
  ];
  const poor = 'They talked about work.';
  const script: ModelServerOptions['script'] = ({ system, messages }) => {
    if (system[0]?.startsWith('You summarise')) return { text: poor };
    const isAsked = messages.at(-1)?.role === 'user' && messages.at(-1)?.text.startsWith('Fix it');
    if (isAsked) return { toolCalls: [{ name: 'file_write', args: { path: 'src/money/round.ts' } }] };
    return { text: `Noted. ${'word '.repeat(60)}` };
  };
  await talk(PLACES[0] as (typeof PLACES)[number], { script }, async ({ app, server }) => {
    for (const line of lines) await app.ask(line);
    await app.ask('Fix it now, please.');
    for (let turn = 0; turn < 12; turn += 1) await app.ask(`Go on with part ${turn}, ${'word '.repeat(40)}`);
    expect(await app.compact()).toMatchObject({ kind: 'compacted' });
    await app.ask('What was my name, and which file did we fix?');
    const body = server.requests.at(-1)?.body as { messages: { role: string; content: string }[] } | undefined;
    const first = body?.messages.find(({ role }) => role === 'user');
    expect(first?.content).toContain(poor);
    for (const line of lines) expect(first?.content).toContain(line);
    expect(first?.content).toContain('Files written: src/money/round.ts');
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('Fix it now');
  });
});

it('a small window that tools and instructions fill is made room in by a summary, before anything is left out', async () => {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-small-'));
  const storage = createLocalStorage({ home, now: Date.now });
  const server = await startModelServer({
    script: ({ system }) =>
      system[0]?.startsWith('You summarise') ? { text: 'They talked about roses.' } : { text: 'So it is. '.repeat(30) },
  });
  const tool = (index: number): AppTool => ({ name: `tool.${index}${'x'.repeat(40)}`, effect: 'read', run: () => '' });
  const tools = Array.from({ length: 60 }, (_, index) => tool(index));
  const app = createModelApp({
    storage,
    provider: 'openai-compatible',
    baseUrl: `${server.url}/v1`,
    tools,
    contextWindow: 6_000,
  });
  const notices: string[] = [];
  for (let turn = 0; turn < 30; turn += 1) {
    const { events } = await app.ask(`What about part ${turn}, ${'word '.repeat(20)}`);
    notices.push(...events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])));
  }
  expect(notices.length).toBeGreaterThan(0);
  expect(notices.filter((notice) => !notice.includes('were summarised'))).toEqual([]);
  await storage.close();
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

describe('forty facts said in three hundred turns', () => {
  const linesOf = ({ transcript }: FortyFacts): { type: string; summary?: string }[] =>
    transcript
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });

  it('are all sent where they fit', async () => {
    const facts = await tellFortyFacts({ turns: 300, contextWindow: 128_000, summarise: faithfulSummary });
    expect(facts.saidTokens).toBeGreaterThan(25_000);
    expect(facts).toMatchObject({ known: 40, notices: [], summaries: [] });
  });

  it('are in the summary or the messages where they do not fit', async () => {
    const facts = await tellFortyFacts({ turns: 300, contextWindow: 16_000, summarise: faithfulSummary });
    expect(facts.known).toBe(40);
    expect(facts.summaries.length).toBeGreaterThan(3);
    expect(facts.summaries.length).toBeLessThan(20);
    expect(facts.notices).toHaveLength(facts.summaries.length);
    expect(facts.notices[0]).toMatch(/^messages 1 to \d+ of this conversation were summarised/);
    const lines = linesOf(facts);
    expect(lines.filter(({ type }) => type === 'history-summary')).toHaveLength(facts.summaries.length);
    // The originals stay.
    expect(lines.filter(({ type }) => type === 'message')).toHaveLength(602);
  });

  it('are in what is added to a summary that leaves them out', async () => {
    const poor = () => ({ text: 'The person and the assistant talked about gardens and reports.' });
    const facts = await tellFortyFacts({ turns: 300, contextWindow: 16_000, summarise: poor });
    expect(facts.summaries.length).toBeGreaterThan(3);
    expect(facts.known).toBe(40);
  });

  it.each([
    ['nothing', { text: '' }, 'the model returned an empty summary'],
    ['a summary that is cut', { text: 'The person wants', finish: 'length' as const }, 'cut at'],
    ['a refusal', { text: 'I', finish: 'refused' as const }, 'refus'],
    ['an error', { fault: { kind: 'status' as const, status: 400 } }, 'could not be summarised'],
  ])('are not thrown away for %s', async (_, reply, reason) => {
    const facts = await tellFortyFacts({ turns: 100, contextWindow: 16_000, summarise: () => reply });
    expect(facts.notices.length).toBeGreaterThan(0);
    expect(facts.notices.every((notice) => notice.includes('could not be summarised'))).toBe(true);
    expect(facts.notices.at(-1)).toContain(reason);
    expect(facts.notices.at(-1)).toMatch(/does not see the \d+ messages before the last \d+/);
    // A turn that cannot use a summary pays for it once in about twenty turns, and says so as often.
    expect(facts.summaries.length).toBeLessThan(6);
    expect(facts.notices).toHaveLength(facts.summaries.length);
    expect(linesOf(facts).filter(({ type }) => type === 'history-summary')).toEqual([]);
    // It continues with as much as fits.
    expect(facts.last?.messages.length).toBeGreaterThan(60);
    expect(facts.known).toBeGreaterThan(10);
  });
});

it('says so when the last messages are too long for anything before them to be read back', async () => {
  const model = await modelFor('openai-compatible', () => ({ text: 'ok' }));
  model.home.config({ historyTokens: 1_000 });
  // One argument of a command holds less than 128 KB.
  const long = (word: string): string => `${word} ${'and so on '.repeat(9_000)}`;
  for (const word of ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'])
    expect((await model.ask(long(word))).code).toBe(0);
  const { stderr } = await model.ask('and now?');
  expect(stderr).toContain('the model does not see the messages before the last');
  expect(JSON.stringify(model.asked.at(-1))).not.toContain('one and so on');
});
