// Lines of the day about what changes and what is forgotten. The model answers from what it is sent, and writes down facts when it is asked to.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { startOnScreen } from '../support/chat-terminal.ts';
import { eventually } from '../support/eventually.ts';
import { lainclaw, startTerminal } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const ENTER = '\r';
const home = testHome();
let server: ModelServer;

const isExtraction = ({ system }: NeutralRequest): boolean => system.join().includes('worth knowing in later');
const recalledIn = (request: NeutralRequest): string =>
  /<recalled-memory>[\s\S]*<\/recalled-memory>/.exec(JSON.stringify(request.raw))?.[0] ?? '';

/** Writes down what Ada works on; answers with the first thing that it was reminded of. */
function remember(request: NeutralRequest): Reply {
  if (!isExtraction(request)) {
    const asked = JSON.stringify(request.messages.at(-1));
    const facts = recalledIn(request)
      .split('\\n')
      .filter((line) => line.includes('| facts |'));
    const isPast = asked.includes('before?');
    const known = facts.filter((line) => line.includes('replaced since') === isPast);
    const [, work = 'nothing that I know'] = /Ada works on (?:the )?(\w+)/.exec(known.join('\n')) ?? [];
    return { text: asked.includes('?') ? `It is ${work}.` : 'Noted.' };
  }
  const asked = request.messages.map(({ text }) => text).join('\n');
  const fact = { topic: 'job, team', kind: 'fact', turn: 1 };
  const payments = { ...fact, text: 'Ada works on the payments service.', relation: 'new' };
  const search = { ...fact, text: 'Ada works on search.', relation: 'update', of: 'F1' };
  if (asked.includes('I moved to another team')) return { text: JSON.stringify({ facts: [search] }) };
  return { text: JSON.stringify({ facts: asked.includes('payments service') ? [payments] : [] }) };
}

beforeAll(async () => {
  server = await startModelServer({ script: remember, models: ['fake'], anonymous: true });
  afterFile(() => server.close());
  const provider = { provider: 'openai-compatible', model: 'fake', baseUrl: `${server.url}/v1` };
  home.config({ ...provider, memory: true, memoryFactsRestMinutes: 0, memoryFactsAfterAsk: false, modelTitles: false });
});

async function factsInLog(): Promise<(string | undefined)[]> {
  const log = (await lainclaw(['memory', 'log'], { home })).json<{
    extractions: { changes: { text?: string }[] }[];
  }>();
  return log.extractions.flatMap(({ changes }) => changes.map(({ text }) => text));
}

/** The files of the home that hold the text. */
function holding(text: string): string[] {
  return readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .filter((path) => readFileSync(path).toString('latin1').includes(text));
}

describe('a day, and what changes in it', () => {
  it('15:00 "I moved to another team": asked later, search; asked about before, payments', async () => {
    const screen = startOnScreen(['chat', '--session', 'talk'], { home });
    await screen.shows('fake');
    await screen.type(`my name is Ada, I work on the payments service${ENTER}`);
    await screen.shows('Noted.');
    // The chat itself extracts it, while nothing runs.
    await eventually(async () => expect(await factsInLog()).toEqual(['Ada works on the payments service.']));
    await screen.type(`I moved to another team: I work on search now${ENTER}`);
    await screen.shows(/I work on search now[\s\S]*Noted\./);
    await eventually(async () => expect(await factsInLog()).toContain('Ada works on search.'));
    await screen.type('\x04');
    expect((await screen.ended).code).toBe(0);
    const ask = async (question: string) =>
      (await lainclaw(['ask', '--session', 'later', question], { home })).json().result;
    expect(await ask('which team do I work on?')).toBe('It is search.');
    expect(await ask('which team did I work on before?')).toBe('It is payments.');
    expect(await ask('what did I do before?')).toBe('It is payments.');
  });

  it('16:00 "forget the screenshot conversation": gone everywhere, by grep', async () => {
    const picture = Buffer.concat([
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      ),
      Buffer.from('pixels-of-the-screenshot'),
    ]);
    const path = home.file('screenshot.png', picture);
    const flags = ['--session', 'screenshots', '--image', path];
    const said = await lainclaw(['ask', ...flags, 'the invoice on it has the number heron-7714'], { home });
    expect(said.code, said.stderr).toBe(0);
    await lainclaw(['sessions', 'search', 'invoice'], { home });
    expect(holding('heron-7714').length).toBeGreaterThan(2);
    expect(holding('pixels-of-the-screenshot')).toHaveLength(1);
    server.setScript((request) => {
      if (isExtraction(request)) return remember(request);
      return request.messages.at(-1)?.role === 'tool'
        ? { text: 'It is gone.' }
        : { toolCalls: [{ name: 'memory_forget', args: { session: 'screenshots' } }] };
    });
    const asked = startTerminal(['ask', 'forget the screenshot conversation'], { home });
    await asked.saw('[y] once');
    await asked.write('y\n');
    const { code, stdout } = await asked.ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining('It is gone.')]);
    expect(holding('heron-7714')).toEqual([]);
    expect(holding('pixels-of-the-screenshot')).toEqual([]);
    expect(await factsInLog()).toContain('Ada works on search.');
  });
});
