// When facts are extracted, and by whom: after an `ask`, at a compaction, by a gateway, and beside a forgetting.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { startOnScreen } from '../support/chat-terminal.ts';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, runBinary } from '../support/lainclaw.ts';
import { type Model, modelFor } from '../support/model-providers.ts';
import { afterFile } from '../support/test-home.ts';

const MARKER = 'magpie-3306';
const HOUR = 3_600_000;

interface Log {
  waiting: { turns: number };
  extractions: { turns: number; changes: { text?: string }[] }[];
}

const isExtraction = ({ system }: NeutralRequest): boolean => system.join().includes('worth knowing in later');
const askedText = (request: NeutralRequest): string => request.messages.map(({ text }) => text).join('\n');
const fact = (text: string): Reply => ({
  text: JSON.stringify({ facts: [{ text, kind: 'fact', turn: 1, relation: 'new' }] }),
});

async function remembering(
  extract: (request: NeutralRequest) => Reply | Promise<Reply>,
  config: Record<string, unknown> = {},
): Promise<Model> {
  const model = await modelFor('anthropic', (request) => {
    return isExtraction(request) ? extract(request) : { text: 'Noted.' };
  });
  model.home.config({ provider: 'anthropic', memory: true, modelTitles: false, ...config });
  return model;
}

const run = ({ home, env }: Model, ...args: string[]) => lainclaw(args, { home, env });
const logOf = async (model: Model): Promise<Log> => (await run(model, 'memory', 'log')).json<Log>();
const factsOf = async (model: Model): Promise<(string | undefined)[]> =>
  (await logOf(model)).extractions.flatMap(({ changes }) => changes.map(({ text }) => text));

/** The files of the home that hold the marker. */
function holding(home: Home): string[] {
  return readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .filter((path) => readFileSync(path).toString('latin1').toLowerCase().includes(MARKER));
}

describe('after an ask', () => {
  it('what rested until then is extracted by a process of its own', async () => {
    const model = await remembering(() => fact('Ada likes tea.'));
    const { home, env } = model;
    await run(model, 'ask', 'I like tea');
    expect((await logOf(model)).waiting.turns).toBe(1);
    expect(model.asked.filter(isExtraction)).toEqual([]);
    // An hour later; the conversation does not rest again because of this question.
    const later = Date.now() + HOUR;
    const answered = await lainclaw(['ask', 'and milk'], { home, env, now: () => later });
    expect(answered.code).toBe(0);
    await eventually(async () => expect(await factsOf(model)).toEqual(['Ada likes tea.']));
    expect((await logOf(model)).waiting.turns).toBe(0);
    expect(model.asked.filter(isExtraction)).toHaveLength(1);
  });

  it('nothing is left behind where that is switched off, or nothing has rested', async () => {
    const model = await remembering(() => fact('Ada likes tea.'), { memoryFactsAfterAsk: false });
    const { home, env } = model;
    await run(model, 'ask', 'I like tea');
    const later = Date.now() + HOUR;
    await lainclaw(['ask', 'and milk'], { home, env, now: () => later });
    expect((await logOf(model)).waiting.turns).toBe(2);
    expect((await run(model, 'memory', 'extract', '--rested', '--seconds', '60')).json()).toMatchObject({ facts: 1 });
    expect(model.asked.filter(isExtraction)).toHaveLength(1);
    await run(model, 'ask', 'and sugar');
    expect((await run(model, 'memory', 'extract', '--rested')).json()).toEqual({
      conversations: 0,
      facts: 0,
      proposals: 0,
    });
  });
});

it('turns that are summarised away need not rest', async () => {
  const model = await remembering(() => fact('Ada likes tea.'), { memoryFactsAfterAsk: false });
  const rested = async () => (await run(model, 'memory', 'extract', '--rested')).json<{ facts: number }>();
  for (let turn = 0; turn < 12; turn += 1) await run(model, 'ask', `Tea, cup ${turn}`);
  expect(await rested()).toMatchObject({ facts: 0 });
  expect((await run(model, 'ask', 'One more cup')).json()).toMatchObject({ memoryUpdated: true });
  expect(await rested()).toMatchObject({ conversations: 1, facts: 1 });
  expect((await logOf(model)).waiting.turns).toBe(0);
});

it('a gateway extracts what others left', async () => {
  const model = await remembering(() => fact('Ada likes tea.'), { memoryFactsAfterAsk: false });
  const { home, env } = model;
  await run(model, 'ask', 'I like tea');
  home.config({ provider: 'anthropic', memory: true, memoryFactsRestMinutes: 0 });
  afterFile(() => lainclaw(['gateway', 'stop'], { home }).catch(() => {}));
  const started = await lainclaw(['gateway', 'start', '--daemon', '--channel=local'], { home, env });
  expect(started.code).toBe(0);
  await eventually(async () => expect(await factsOf(model)).toEqual(['Ada likes tea.']));
});

it('a text that is forgotten while the model extracts it does not come back', async () => {
  const answers = [fact(`The vault opens with ${MARKER}.`), fact('The vault has a code.')];
  const model = await remembering(
    async () => {
      const [answer = fact('')] = answers.splice(0, 1);
      if (answers.length > 0) await run(model, 'memory', 'forget', '--everywhere', MARKER, '--yes');
      return answer;
    },
    { memoryFactsAfterAsk: false },
  );
  await run(model, 'ask', `The vault opens with ${MARKER}.`);
  expect((await run(model, 'memory', 'extract')).json()).toMatchObject({ facts: 0 });
  expect(holding(model.home)).toEqual([]);
  expect(await factsOf(model)).toEqual([]);
  // The turn is read again, without the text.
  expect((await run(model, 'memory', 'extract')).json()).toMatchObject({ facts: 1 });
  expect(await factsOf(model)).toEqual(['The vault has a code.']);
  expect(askedText(model.asked.findLast(isExtraction) as NeutralRequest)).toContain('[forgotten]');
  expect(holding(model.home)).toEqual([]);
});

it('the model gets the days of the person’s time zone', async () => {
  const model = await remembering(() => fact('Ada likes tea.'), { memoryFactsAfterAsk: false });
  const { home, env } = model;
  const now = new Date();
  // One of the two has another day than UTC at any hour.
  const TZ = now.getUTCHours() >= 10 ? 'Pacific/Kiritimati' : 'Etc/GMT+12';
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: TZ }).format(now);
  await run(model, 'ask', 'I like tea');
  await runBinary(['memory', 'extract'], { home, env: { ...env, TZ } });
  expect(askedText(model.asked.findLast(isExtraction) as NeutralRequest)).toContain(`[turn 1, ${day}]`);
});

it('a contradiction is asked about when a chat begins', async () => {
  const model = await remembering(
    (request) =>
      askedText(request).includes('sister')
        ? {
            text: JSON.stringify({
              facts: [{ text: 'Ada has a sister.', kind: 'fact', turn: 1, relation: 'contradicts', of: 'F1' }],
            }),
          }
        : fact('Ada has no siblings.'),
    { memoryFactsAfterAsk: false },
  );
  const { home, env } = model;
  for (const said of ['I have no siblings', 'my sister called']) {
    await run(model, 'ask', said);
    await run(model, 'memory', 'extract');
  }
  const screen = startOnScreen(['chat', '--session', 'new'], { home, env });
  await screen.shows(/Which is true\?[\s\S]*Ada has a sister[\s\S]*memory accept 1/);
  await screen.type('\x04');
  expect((await screen.ended).code).toBe(0);
  await run(model, 'memory', 'accept', '1');
  const { stdout } = await run(model, 'memory', 'log', '--text');
  expect(stdout).not.toContain('memory accept');
});
