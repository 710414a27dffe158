// What was said in conversations is found without memory: by the model's tool and by `lainclaw sessions search`.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import { startOnScreen } from '../support/chat-terminal.ts';
import { eventually } from '../support/eventually.ts';
import { type Finished, lainclaw } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const home = testHome();
const INDEX = join(home.path, 'sessions', 'history.db');
let server: ModelServer;
const run = (...args: string[]): Promise<Finished> => lainclaw(args, { home });
const search = async (...words: string[]): Promise<{ sessionKey: string; snippet: string }[]> =>
  (await run('sessions', 'search', ...words, '--json')).json();
const say = async (sessionKey: string, text: string): Promise<void> => {
  const { code, stderr } = await run('ask', '--session', sessionKey, text);
  expect(code, stderr).toBe(0);
};
/** Asks a model that calls the tool, and returns what the tool told it. */
const toolSays = async (query: string): Promise<string> => {
  server.setScript([{ toolCalls: [{ name: 'history_search', args: { query } }] }, { text: 'Done.' }]);
  const asked = (await run('ask', '--session', 'asking', 'look it up')).json();
  server.setScript(() => ({ text: 'Noted.' }));
  expect(asked.toolResults[0]?.result.ok).toBe(true);
  return JSON.stringify(server.requests.at(-1)?.body);
};
const bytesOfHome = (folder = home.path): string =>
  readdirSync(folder, { withFileTypes: true })
    .map((each) => {
      const path = join(folder, each.name);
      return each.isDirectory() ? bytesOfHome(path) : each.isFile() ? readFileSync(path, 'latin1') : '';
    })
    .join('\n');

beforeAll(async () => {
  server = await startModelServer({ script: () => ({ text: 'Noted.' }), models: ['fake'], anonymous: true });
  afterFile(() => server.close());
  home.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${server.url}/v1` });
  await say('plans', 'We decided that failed payments are retried three times.');
  await say('garden', 'The tulips stand behind the shed.');
});

it('a chat makes the index in the background, after its turns', async () => {
  const other = testHome();
  other.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${server.url}/v1` });
  const index = join(other.path, 'sessions', 'history.db');
  const screen = startOnScreen(['chat'], { home: other, rows: 30, columns: 100 });
  await screen.shows('Ctrl+D leaves');
  await screen.type('The otter is called Bruno.\r');
  await screen.shows('Noted.');
  await eventually(() => {
    // What was said is in the file, or in its log.
    const files = [index, `${index}-wal`].filter((file) => existsSync(file));
    expect(files.some((file) => readFileSync(file, 'latin1').includes('The otter is called Bruno.'))).toBe(true);
  });
  await screen.type('/exit\r');
  expect((await screen.ended).code).toBe(0);
});

describe('searching past conversations', () => {
  it('costs a one-shot ask nothing: it makes no index', () => {
    expect(existsSync(INDEX)).toBe(false);
  });

  it('finds other forms of the words than those that were said', async () => {
    expect(await search('payment', 'retry')).toMatchObject([
      { sessionKey: 'plans', snippet: expect.stringContaining('retried three times') },
    ]);
  });

  it('finds what is written without being a word, as before', async () => {
    expect(await search('ulip')).toMatchObject([{ sessionKey: 'garden' }]);
  });

  it('gives the model what was said, with its conversation and date', async () => {
    expect(await toolSays('payments retried')).toMatch(
      /\[session:plans \| \d{4}-\d\d-\d\d \d\d:\d\d \| user\]\\*n?We decided that failed payments/,
    );
  });

  it('finds what was said after the index was made, and everything again when it is gone', async () => {
    await say('plans', 'The queue is called heron.');
    expect(await search('heron')).toMatchObject([{ sessionKey: 'plans' }]);
    for (const file of [INDEX, `${INDEX}-wal`, `${INDEX}-shm`]) rmSync(file, { force: true });
    expect(await search('heron')).toMatchObject([{ sessionKey: 'plans' }]);
    expect(await search('tulips')).toMatchObject([{ sessionKey: 'garden' }]);
  });

  it('forgets what a rewound conversation said afterwards', async () => {
    expect((await run('sessions', 'rewind', 'plans', '--turn', await firstTurn('plans'))).code).toBe(0);
    expect(await search('heron')).not.toContainEqual(expect.objectContaining({ isCurrent: true }));
    expect(await toolSays('heron')).not.toContain('The queue is called heron');
    expect(await search('payments')).toMatchObject([{ sessionKey: 'plans' }]);
  });

  it('leaves nothing of a deleted conversation in the home', async () => {
    expect(await search('tulips')).toHaveLength(1);
    expect((await run('sessions', 'delete', 'garden', '--yes')).code).toBe(0);
    expect(await search('tulips')).toEqual([]);
    expect(bytesOfHome()).not.toContain('tulips');
  });
});

describe('with words for a time', () => {
  const days = testHome();
  const DAY = 24 * 60 * 60_000;
  /** A Wednesday, at noon where this machine is. */
  const TODAY = new Date(2026, 10, 18, 12).getTime();
  const at = (clock: number, ...args: string[]): Promise<Finished> => lainclaw(args, { home: days, now: () => clock });
  const found = async (...args: string[]): Promise<string[]> =>
    (await at(TODAY, 'sessions', 'search', ...args, '--json'))
      .json<{ sessionKey: string }[]>()
      .map(({ sessionKey }) => sessionKey);

  beforeAll(async () => {
    days.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${server.url}/v1` });
    for (const [days, session, text] of [
      [30, 'october', 'The payments queue is full. 付款队列满了。 Платежи стоят.'],
      [8, 'last-week', 'Payments failed because of rounding. 付款失败了。 Платежи не прошли.'],
      [1, 'yesterday', 'Payments work again. 付款恢复了。 Платежи снова идут.'],
      [0, 'today', 'We refactor payments. 重构付款。 Переделываем платежи.'],
    ] as const) {
      const { code, stderr } = await at(TODAY - days * DAY, 'ask', '--session', session, text);
      expect(code, stderr).toBe(0);
    }
  });

  it.each([
    ['payments last week', 'last-week'],
    ['what did we say about payments last week?', 'last-week'],
    ['вчера платежи', 'yesterday'],
    ['上周 付款', 'last-week'],
    ['付款 昨天', 'yesterday'],
  ])('"%s" finds what was said then first, and the rest behind it', async (words, first) => {
    const sessions = await found(words);
    expect(sessions[0]).toBe(first);
    expect(sessions.toSorted()).toEqual(['last-week', 'october', 'today', 'yesterday']);
  });

  it('a time alone finds what was said then', async () => {
    expect(await found('yesterday')).toEqual(['yesterday']);
  });

  it('--since and --until leave the rest out, and what is not a date is refused', async () => {
    expect(await found('payments', '--since', 'last week', '--until', '2026-11-17')).toEqual([
      'yesterday',
      'last-week',
    ]);
    const { code, stderr } = await at(TODAY, 'sessions', 'search', 'payments', '--since', 'soonish');
    expect(code).not.toBe(0);
    expect(stderr).toContain('"soonish" is not a date');
  });

  it('holds for the model as well', async () => {
    const args = { query: 'payments', since: 'last week', until: '2026-11-17' };
    server.setScript([{ toolCalls: [{ name: 'history_search', args }] }, { text: 'Done.' }]);
    const asked = (await at(TODAY, 'ask', '--session', 'asking', 'look it up')).json();
    server.setScript(() => ({ text: 'Noted.' }));
    expect(asked.toolResults[0]?.result.ok).toBe(true);
    const told = JSON.stringify(server.requests.at(-1)?.body);
    expect(told).toContain('because of rounding');
    expect(told).not.toContain('queue is full');
  });
});

async function firstTurn(sessionKey: string): Promise<string> {
  const { session } = (await run('sessions', 'show', sessionKey, '--json')).json<{ session: { sessionId: string } }>();
  const lines = readFileSync(join(home.path, 'sessions', `${session.sessionId}.jsonl`), 'utf8').split('\n');
  const start = lines.find((line) => line.startsWith('{"type":"turn-start"'));
  return (JSON.parse(start ?? '{}') as { turnId: string }).turnId;
}
