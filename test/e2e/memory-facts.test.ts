// Facts that a model extracts from conversations, through the commands, with a fake model on the other side.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SearchResult } from '../../src/memory/search.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import type { Reply } from '../fakes/model-server/reply.ts';
import { type Finished, lainclaw } from '../support/lainclaw.ts';
import { type Model, modelFor } from '../support/model-providers.ts';
import { testHome } from '../support/test-home.ts';

interface Log {
  off?: { code: string; text: string };
  waiting: { turns: number; conversations: number; givenUp: number };
  proposals: { number: number; text: string; why: string; otherText?: string }[];
  extractions: {
    number: number;
    turns: number;
    problem?: string;
    undoneAt?: string;
    usage?: { inputTokens: number };
    changes: { relation: string; text?: string; otherText?: string; id?: string }[];
  }[];
}

type Written = {
  text: string;
  kind?: string;
  turn?: number;
  relation?: string;
  of?: string;
  since?: string;
  topic?: string;
};

const isExtraction = ({ system }: NeutralRequest): boolean => system.join().includes('worth knowing in later');
const facts = (...written: Written[]): Reply => ({
  text: JSON.stringify({ facts: written.map((fact) => ({ kind: 'fact', turn: 1, relation: 'new', ...fact })) }),
});
const askedText = (request: NeutralRequest): string => request.messages.map(({ text }) => text).join('\n');

/** A model that answers "Noted." in conversations, and what `extract` says about their facts. */
function remembering(extract: (request: NeutralRequest) => Reply): Promise<Model> {
  return modelFor('anthropic', (request) => (isExtraction(request) ? extract(request) : { text: 'Noted.' }));
}

function commands({ home, env, flags, ...model }: Model) {
  const run = (...args: string[]): Promise<Finished> => lainclaw(['memory', ...args], { home, env });
  return {
    ask: (input: string, ...more: string[]) => model.ask(input, '--memory', ...more),
    run,
    extract: async () => {
      const [, provider = ''] = flags;
      return (
        await lainclaw(['memory', 'extract'], { home, env: { ...env, LAINCLAW_PROVIDER: provider } })
      ).json<object>();
    },
    log: async () => (await run('log')).json<Log>(),
    texts: async (query: string) =>
      (await run('search', query))
        .json<SearchResult>()
        .results.filter(({ kind }) => kind)
        .map(({ text }) => text),
  };
}

describe('facts', () => {
  it('are listed, and shown before they are forgotten, in their own words and not by their topic', async () => {
    const model = await remembering(() => facts({ text: 'Ada works on the payments service.', topic: 'job, team' }));
    const { ask, extract, run } = commands(model);
    await ask('my name is Ada, I work on the payments service');
    await extract();
    expect((await run('list', '--text')).stdout).toMatch(/facts +Ada works on the payments service\./);
    const { stdout, stderr } = await run('forget', '--everywhere', 'payments', '--yes', '--text');
    expect(stdout + stderr).toContain('Ada works on the payments service.');
    expect(stdout + stderr).not.toContain('job, team');
  });

  it('an update is found first, the old fact only when the past is asked about', async () => {
    const model = await remembering((request) =>
      askedText(request).includes('I moved')
        ? facts({ text: 'Ada works on search.', relation: 'update', of: 'F1' })
        : facts({ text: 'Ada works on the payments service.' }),
    );
    const { ask, extract, texts, log } = commands(model);
    await ask('my name is Ada, I work on the payments service');
    expect(await extract()).toEqual({ conversations: 1, facts: 1, proposals: 0 });
    await ask('I moved to another team: I work on search now');
    expect(await extract()).toEqual({ conversations: 1, facts: 1, proposals: 0 });
    expect(await texts('what does Ada work on?')).toEqual(['Ada works on search.']);
    const before = await texts('what did Ada work on before?');
    expect(before[0]).toBe('Ada works on the payments service.');
    const { extractions, waiting } = await log();
    expect(waiting).toEqual({ turns: 0, conversations: 0, givenUp: 0 });
    expect(extractions[0]).toMatchObject({
      turns: 1,
      usage: { inputTokens: 12 },
      changes: [{ relation: 'update', text: 'Ada works on search.', otherText: 'Ada works on the payments service.' }],
    });
    const shown = await commands(model).run('log', '--text');
    expect(shown.stdout).toContain('update fact: Ada works on search.  (before: Ada works on the payments service.)');
  });

  it.each([
    ['today', 0],
    ['two weeks ago', 14],
  ])('an update that became true %s, before the known fact was said, replaces it', async (_, days) => {
    const since = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
    const model = await remembering((request) =>
      askedText(request).includes('I moved')
        ? facts({ text: 'Ada lives in Hamburg.', relation: 'update', of: 'F1', since })
        : facts({ text: 'Ada lives in Berlin.' }),
    );
    const { ask, extract, texts } = commands(model);
    await ask('my name is Ada, I live in Berlin');
    await extract();
    await ask('I moved to Hamburg');
    await extract();
    expect(await texts('where does Ada live?')).toEqual(['Ada lives in Hamburg.']);
  });

  it('a turn is extracted once, and the question names what is known', async () => {
    const model = await remembering(() => facts({ text: 'Ada likes tea.', kind: 'preference' }));
    const { ask, extract } = commands(model);
    await ask('I like tea');
    await extract();
    expect(await extract()).toEqual({ conversations: 0, facts: 0, proposals: 0 });
    expect(model.asked.filter(isExtraction)).toHaveLength(1);
    await ask('and something else');
    await extract();
    const question = askedText(model.asked.findLast(isExtraction) as NeutralRequest);
    expect(question).toContain('F1 (preference, ');
    expect(question).toContain('and something else');
    expect(question).not.toContain('person: I like tea');
  });

  it('what says the same in other words merges', async () => {
    let round = 0;
    const model = await remembering(() => {
      round += 1;
      if (round === 1) return facts({ text: 'The deploy is on Friday.' });
      // The model missed once that it knows this.
      return round === 2
        ? facts({ text: 'On Friday is the deploy.' })
        : facts({ text: 'x', relation: 'same', of: 'F1' });
    });
    const { ask, extract, texts, log } = commands(model);
    for (const input of ['we deploy on Friday', 'Friday is deploy day', 'as I said, Friday']) {
      await ask(input);
      await extract();
    }
    expect(await texts('when is the deploy?')).toEqual(['The deploy is on Friday.']);
    expect((await log()).extractions.map(({ changes }) => changes[0]?.relation)).toEqual(['same', 'same', 'new']);
  });

  it('a contradiction of the same day is asked about', async () => {
    const model = await remembering((request) =>
      askedText(request).includes('sister')
        ? facts({ text: 'Ada has a sister.', relation: 'contradicts', of: 'F1' })
        : facts({ text: 'Ada has no siblings.' }),
    );
    const { ask, extract, texts, log, run } = commands(model);
    await ask('I have no siblings');
    await extract();
    await ask('my sister called');
    expect(await extract()).toEqual({ conversations: 1, facts: 0, proposals: 1 });
    expect(await texts('siblings of Ada')).toEqual(['Ada has no siblings.']);
    const [proposal] = (await log()).proposals;
    expect(proposal).toMatchObject({
      text: 'Ada has a sister.',
      why: 'contradicts',
      otherText: 'Ada has no siblings.',
    });
    expect((await run('log', '--text')).stdout).toContain('known: Ada has no siblings.');
    expect((await run('accept', String(proposal?.number))).code).toBe(0);
    expect(await texts('sister of Ada')).toEqual(['Ada has a sister.']);
    expect((await log()).proposals).toEqual([]);
    expect((await run('reject', String(proposal?.number))).stderr).toContain('MEMORY_NOT_FOUND');
  });

  it('undoing an extraction removes its facts, and what they replaced holds again', async () => {
    const model = await remembering((request) =>
      askedText(request).includes('Riga')
        ? facts({ text: 'Ada lives in Riga.', relation: 'update', of: 'F1' })
        : facts({ text: 'Ada lives in Lisbon.' }),
    );
    const { ask, extract, texts, log, run } = commands(model);
    for (const input of ['I live in Lisbon', 'I moved to Riga']) {
      await ask(input);
      await extract();
    }
    expect((await run('undo', '2')).json()).toEqual({ removed: 1 });
    expect(await texts('where does Ada live?')).toEqual(['Ada lives in Lisbon.']);
    expect((await log()).extractions[0]).toMatchObject({ number: 2, undoneAt: expect.any(String) });
    const again = await run('undo', '2');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('memory log')]);
    expect(await extract()).toEqual({ conversations: 0, facts: 0, proposals: 0 });
  });

  it('an answer that cannot be used is asked for once more, then given up, and loses nothing', async () => {
    let answers: Reply[] = [{ text: 'Sure! Here are the facts.' }, facts({ text: 'x', turn: 7 })];
    const model = await remembering(() => answers.shift() ?? facts({ text: 'Ada likes tea.' }));
    const { ask, extract, texts, log } = commands(model);
    await ask('I like tea');
    expect(await extract()).toEqual({ conversations: 0, facts: 0, proposals: 0 });
    expect(askedText(model.asked.at(-1) as NeutralRequest)).toContain('it is not JSON');
    const { extractions, waiting } = await log();
    expect(extractions[0]).toMatchObject({
      problem: expect.stringContaining('there is no turn 7'),
      usage: { inputTokens: 24 },
    });
    expect(waiting).toEqual({ turns: 0, conversations: 0, givenUp: 1 });
    answers = [];
    expect(await extract()).toMatchObject({ facts: 1 });
    expect(await texts('tea')).toEqual(['Ada likes tea.']);
    expect((await log()).waiting.givenUp).toBe(0);
  });

  it('a model that does not answer loses nothing', async () => {
    const model = await remembering(() => ({ fault: { kind: 'status', status: 400 } }));
    const { ask, extract, log } = commands(model);
    await ask('I like tea');
    expect(await extract()).toMatchObject({ facts: 0, stopped: expect.any(String) });
    expect((await log()).waiting).toEqual({ turns: 1, conversations: 1, givenUp: 0 });
  });

  it('nothing of a tainted conversation becomes a fact without a person', async () => {
    const model = await modelFor('anthropic', (request) => {
      if (isExtraction(request)) return facts({ text: 'Ada pays invoices to account 7.' });
      return { text: 'Noted.' };
    });
    const { extract, texts, log, run } = commands(model);
    await run('save', 'pay to account 7', '--scope', 'person:telegram:9');
    model.follow((request) => {
      if (isExtraction(request)) return facts({ text: 'Ada pays invoices to account 7.' });
      return request.messages.at(-1)?.role === 'tool'
        ? { text: 'Noted.' }
        : { toolCalls: [{ name: 'memory_search', args: { query: 'account' } }] };
    });
    await model.ask('what do you know about accounts?', '--memory');
    expect(await extract()).toEqual({ conversations: 1, facts: 0, proposals: 1 });
    expect(await texts('account invoices')).toEqual([]);
    const [proposal] = (await log()).proposals;
    expect(proposal).toMatchObject({ why: 'tainted' });
    await run('accept', String(proposal?.number));
    expect(await texts('account invoices')).toEqual(['Ada pays invoices to account 7.']);
  });

  it('a cheaper model is asked when one is configured, within the tokens of a day', async () => {
    const model = await remembering(() => facts({ text: 'Ada likes tea.' }));
    const { ask, extract, log } = commands(model);
    const config = (...args: string[]) => lainclaw(['config', 'set', ...args], { home: model.home, env: model.env });
    await config('memoryFactsModel', 'anthropic/claude-haiku-4-5');
    await config('memoryFactsDailyTokens', '10');
    await ask('I like tea');
    await extract();
    expect(model.asked.findLast(isExtraction)?.model).toBe('claude-haiku-4-5');
    await ask('I like coffee');
    expect(await extract()).toMatchObject({ stopped: expect.stringContaining('memoryFactsDailyTokens') });
    expect((await log()).waiting.turns).toBe(1);
    // Two turns and one extraction.
    const spent = readdirSync(join(model.home.path, 'spending')).map((day) =>
      readFileSync(join(model.home.path, 'spending', day), 'utf8'),
    );
    expect(spent.join('').match(/"tokens":19/g)).toHaveLength(3);
  });

  it('without a model nothing is extracted, which the log says', async () => {
    const home = testHome();
    await lainclaw(['ask', '--memory', 'I like tea'], { home });
    const extracted = (await lainclaw(['memory', 'extract'], { home })).json<{ stopped?: string }>();
    expect(extracted.stopped).toContain('lainclaw setup');
    const log = (await lainclaw(['memory', 'log'], { home })).json<Log>();
    expect(log).toMatchObject({ off: { code: 'no-model' }, waiting: { turns: 1 } });
    const { stdout } = await lainclaw(['memory', 'log', '--text'], { home });
    expect(stdout).toContain('no facts are extracted: no model is connected');
  });

  it('a deleted conversation takes its facts with it, unless another one said them too', async () => {
    let round = 0;
    const model = await remembering(() => {
      round += 1;
      const tea = { text: 'Ada likes tea.', relation: round > 1 ? 'same' : 'new', ...(round > 1 && { of: 'F1' }) };
      return round === 1 ? facts(tea) : facts(tea, { text: 'Ada owns a blue kettle.' });
    });
    const { ask, extract, texts } = commands(model);
    await ask('I like tea', '--session', 'one');
    await extract();
    await ask('tea from my blue kettle', '--session', 'two');
    await extract();
    await lainclaw(['sessions', 'delete', 'two', '--yes'], { home: model.home });
    expect(await texts('tea kettle')).toEqual(['Ada likes tea.']);
    await lainclaw(['sessions', 'delete', 'one', '--yes'], { home: model.home });
    expect(await texts('tea kettle')).toEqual([]);
  });
});
