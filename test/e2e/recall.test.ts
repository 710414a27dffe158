// Recall through the door that a person uses: what the model is sent, what the person sees of it, and what stays of it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import { startOnScreen } from '../support/chat-terminal.ts';
import { type Finished, lainclaw, terminal } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const home = testHome();
let server: ModelServer;
const run = (...args: string[]): Promise<Finished> => lainclaw(args, { home });
const ask = async (question: string, ...flags: string[]): Promise<string> => {
  const { code, stderr } = await run('ask', '--memory', ...flags, question);
  expect(code, stderr).toBe(0);
  return lastRequest();
};
const lastRequest = (): string => JSON.stringify(server.requests.at(-1)?.body ?? {});
const transcriptLines = (sessionId: string): { type: string; [field: string]: unknown }[] =>
  readFileSync(join(home.path, 'sessions', `${sessionId}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string });

beforeEach(async () => {
  if (server) return;
  server = await startModelServer({ script: () => ({ text: 'Noted.' }), models: ['fake'], anonymous: true });
  afterFile(() => server.close());
  home.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${server.url}/v1` });
  await run('memory', 'save', 'The spare key of the flat is with Mrs Kowalski.');
});

describe('recall', () => {
  it('gives the model what bears on the question, after it, with its date and source', async () => {
    const sent = await ask('Who keeps the spare key?', '--session', 'a');
    const at = sent.indexOf('Who keeps the spare key?');
    expect(at).toBeGreaterThan(0);
    expect(sent.indexOf('Mrs Kowalski')).toBeGreaterThan(at);
    expect(sent).toMatch(/\[\d{4}-\d\d-\d\d \| note\] The spare key/);
  });

  it('is not kept: the next request has the question alone', async () => {
    const sent = await ask('Thanks!', '--session', 'a');
    expect(sent).toContain('Who keeps the spare key?');
    expect(sent).not.toContain('Mrs Kowalski');
  });

  it('finds what was said in another conversation', async () => {
    await ask('We decided that retries stop after five attempts.', '--session', 'b');
    expect(await ask('What did we decide about retries?', '--session', 'c')).toMatch(
      /\[\d{4}-\d\d-\d\d \| conversation b \| user\] We decided that retries stop after five attempts\./,
    );
  });

  it('is nothing for small talk, nor without memory', async () => {
    expect(await ask('Hello, how are you?', '--session', 'd')).not.toContain('recalled-memory');
    await run('ask', '--no-memory', '--session', 'e', 'Who keeps the spare key?');
    expect(lastRequest()).not.toContain('Mrs Kowalski');
  });

  it('is on record with the turn: where it came from, never its text', async () => {
    const { sessionId } = (await run('ask', '--memory', '--session', 'f', 'Who keeps the spare key?')).json();
    const lines = transcriptLines(sessionId);
    const recall = lines.find(({ type }) => type === 'recall');
    expect(recall?.items).toContainEqual(expect.objectContaining({ source: 'manual', scope: 'owner' }));
    expect(JSON.stringify(lines)).not.toContain('Kowalski');
  });

  it('can be asked why: what was recalled for an answer, from where, and what was forgotten since', async () => {
    const { sessionId } = (await run('ask', '--memory', '--session', 'w', 'Who keeps the spare key?')).json();
    const why = async (...args: string[]) =>
      (await run('memory', 'why', ...args)).json<{ question: string; recalled: { id?: string; text?: string }[] }>();
    const last = await why();
    expect(last).toMatchObject({ sessionKey: 'w', question: 'Who keeps the spare key?', remembers: true });
    const note = last.recalled.find(({ text }) => text?.includes('Mrs Kowalski'));
    expect(note).toMatchObject({ source: 'manual', scope: 'owner', tainted: false });
    const answer = transcriptLines(sessionId).findLast(({ type }) => type === 'message') as unknown as {
      message: { id: string };
    };
    expect(await why(answer.message.id)).toEqual(last);
    const shown = await run('memory', 'why', '--text', '--session', 'w');
    expect(shown.stdout).toContain('The spare key of the flat is with Mrs Kowalski.');
    await run('ask', '--memory', '--session', 'x', 'Hello!');
    expect((await run('memory', 'why', '--text')).stdout).toContain('Nothing was recalled: nothing in memory');
    await run('ask', '--provider', 'stub', '--memory', '--session', 'z', 'Who keeps the spare key?');
    expect((await run('memory', 'why', '--text')).stdout).toContain('Nothing was recalled: no model was connected');
    const said = await run('memory', 'search', '--text', 'what happened today?');
    expect(said.stdout).toContain('Mrs Kowalski');
    expect(said.stdout).not.toContain('()');
    expect((await run('memory', 'why', 'turn-nowhere')).json()).toMatchObject({ error: { code: 'TURN_NOT_FOUND' } });
    await run('memory', 'save', 'The heron eats frogs.');
    await run('ask', '--memory', '--session', 'y', 'What does the heron eat?');
    const [frogs] = (await why('--session', 'y')).recalled;
    await run('memory', 'forget', frogs?.id ?? '');
    expect((await why('--session', 'y')).recalled[0]).not.toHaveProperty('text');
    const seen = (await terminal(['memory', 'why', '--session', 'y'], { home })).stdout;
    expect(seen).toContain('forgotten since');
    expect(seen).not.toContain('x1b');
  });

  it('is summed up by "lainclaw memory": how much there is, since when, of whom, and what was saved last', async () => {
    const summary = (await run('memory')).json<{ notes: number; turns: number }>();
    expect(summary).toMatchObject({
      notes: 1,
      files: 0,
      facts: { fact: 0, preference: 0, decision: 0, date: 0 },
      scopes: [{ scope: 'owner' }],
      latest: [{ source: 'manual', head: 'The spare key of the flat is with Mrs Kowalski.' }],
    });
    expect(summary.turns).toBeGreaterThan(4);
    expect((await run('memory', '--text')).stdout).toContain('Saved last');
    expect((await run('memory', '--scope', 'person:telegram:5')).json()).toMatchObject({ documents: 0 });
    expect((await run('memory', 'serch')).stderr).toContain('Did you mean search?');
  });

  it('shows one line in the chat, and its size in /context', async () => {
    const screen = startOnScreen(['chat', '--memory', '--session', 'g'], { home, rows: 40, columns: 100 });
    await screen.shows('Ctrl+D leaves');
    await screen.type('Who keeps the spare key?\r');
    await screen.shows('1 from notes');
    await screen.shows('Noted.');
    await screen.type('/context\r');
    await screen.shows('Recalled for the last question:');
    await screen.type('/exit\r');
    expect((await screen.ended).code).toBe(0);
  });
});
