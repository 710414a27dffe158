// Lines of the day that are about memory, with a model that knows nothing but what it is sent.
import { beforeAll, describe, expect, it } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/model-server.ts';
import type { NeutralRequest } from '../fakes/model-server/neutral-request.ts';
import { type Finished, lainclaw } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const home = testHome();
let server: ModelServer;
/** In the middle of the day in most timezones, so that yesterday is yesterday everywhere. */
let clock = Date.UTC(2026, 10, 16, 10, 4);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const run = (...args: string[]): Promise<Finished> => lainclaw(args, { home, now: () => clock });
const ask = async (session: string, question: string): Promise<string> => {
  clock += MINUTE;
  const { code, stderr, json } = await run('ask', '--session', session, question);
  expect(code, stderr).toBe(0);
  return json().result;
};
const recalledIn = (request: NeutralRequest): string =>
  /<recalled-memory>[\s\S]*<\/recalled-memory>/.exec(JSON.stringify(request.raw))?.[0] ?? '';

beforeAll(async () => {
  server = await startModelServer({ script: () => ({ text: 'Noted.' }), models: ['fake'], anonymous: true });
  afterFile(() => server.close());
  home.config({ provider: 'openai-compatible', model: 'fake', baseUrl: `${server.url}/v1`, memory: true });
});

describe('a day, and what is remembered of it', () => {
  it('08:04 what a person says about themselves is known in other conversations of the day', async () => {
    await ask('morning', 'my name is Ada, I work on the payments service, answer in short sentences');
    server.setScript((request) => {
      const [, service] = /I work on the (\w+) service/.exec(recalledIn(request)) ?? [];
      return { text: `You work on ${service}.` };
    });
    expect(await ask('later', 'which service do I work on?')).toBe('You work on payments.');
  });

  it('14:00 300 messages later, the name and the file are known, and their source on request', async () => {
    server.setScript(() => ({ text: 'Fixed: negative amounts were cut off in rounding.js.' }));
    await ask('project', 'the rounding test fails, find out why and fix it');
    server.setScript(() => ({ text: 'Done.' }));
    for (let message = 0; message < 150; message += 1)
      await ask('project', `rename variable number ${message}, please`);
    server.setScript((request) => {
      const recalled = recalledIn(request);
      return { text: `${/my name is (\w+)/.exec(recalled)?.[1]} and ${/[\w]+\.js/.exec(recalled)?.[0]}` };
    });
    clock = Date.UTC(2026, 10, 16, 14);
    expect(
      await ask('afternoon', 'what was my name, and which file did we fix for the rounding test this morning?'),
    ).toBe('Ada and rounding.js');
    const why = (await run('memory', 'why')).json<{ recalled: { source: string; text: string }[] }>();
    expect(why.recalled).toContainEqual(
      expect.objectContaining({ source: 'session:morning', text: expect.stringContaining('my name is Ada') }),
    );
    expect(why.recalled).toContainEqual(
      expect.objectContaining({ source: 'session:project', text: expect.stringContaining('rounding.js') }),
    );
  });

  it('next day: what was decided yesterday is answered with its place', async () => {
    server.setScript(() => ({ text: 'Noted.' }));
    await ask('plans', 'we decided: a failed payment is retried 3 times, then a person is told');
    clock += DAY;
    server.setScript((request) => {
      const [, date, place, said] =
        /\[([\d-]+) \| conversation (\w+) \| user\] (we decided[^\\[]+)/.exec(recalledIn(request)) ?? [];
      return { text: `On ${date} in ${place}: ${said}` };
    });
    expect(await ask('tomorrow', 'what did we decide yesterday about retries?')).toMatch(
      /^On 2026-11-16 in plans: we decided: a failed payment is retried 3 times/,
    );
  });

  it('next day: what was said without memory is found by searching', async () => {
    clock += MINUTE;
    await run('ask', '--no-memory', '--session', 'private', 'the queue is called heron');
    // Facts are extracted from the conversations of yesterday at the same time: only the question is answered by a search.
    server.setScript(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === 'user' && last.text.includes('what is the queue called?')
        ? { toolCalls: [{ name: 'history_search', args: { query: 'queue called' } }] }
        : { text: 'heron' };
    });
    const asked = (await run('ask', '--session', 'tomorrow', 'what is the queue called?')).json();
    expect(JSON.stringify(asked.toolResults)).toContain('the queue is called heron');
  });
});
