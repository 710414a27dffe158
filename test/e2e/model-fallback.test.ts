// Which model answers: the chain of config.json when the first one fails, and the model named for a provider.
import { describe, expect, it } from 'vitest';
import type { Reply, Script } from '../fakes/model-server/reply.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { CODEX_PROFILE, KEY, type Model, modelFor, settingsFor, signInToCodex } from '../support/model-providers.ts';
import { testHome } from '../support/test-home.ts';
import { structureProblems } from '../support/transcript-rules.ts';

const REFUSED: Reply = { fault: { kind: 'status', status: 400 } };
const READ: Reply = { text: 'Looking.', toolCalls: [{ name: 'fs_read_file', args: { path: 'a.txt' } }] };
const SECOND_KEY = 'key-of-the-second-0041';

interface Chain {
  first: Model;
  second: Model;
}

/** openai first, an openai-compatible server behind it, each with a key of its own. */
async function chain(firstScript: Script, secondScript: Script, fallback = ['openai-compatible/fake']): Promise<Chain> {
  const home = testHome();
  const second = await modelFor('openai-compatible', secondScript, { home });
  const first = await modelFor('openai', firstScript, { home, env: { LAINCLAW_API_KEY: SECOND_KEY } });
  home.config({ fallback, baseUrl: `${second.server.url}/v1` });
  return { first, second };
}

describe.concurrent('a chain of models', () => {
  it('the second answers when the first does not, is named in the result, and gets its own key only', async () => {
    const { first, second } = await chain(() => REFUSED, [READ, { text: 'It says alpha.' }, { text: 'Again me.' }]);
    first.home.file('a.txt', 'alpha\n');
    const { code, json } = await first.ask('read a.txt');
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      success: true,
      result: 'It says alpha.',
      provider: 'openai-compatible',
      model: 'fake',
      route: 'openai-compatible',
      toolCalls: [{ name: 'fs.read_file' }],
    });
    expect(json().toolError).toBeUndefined();
    expect((await first.ask('and?')).json()).toMatchObject({ result: 'Again me.', provider: 'openai-compatible' });
    expect(structureProblems(first.home.lines())).toEqual([]);
    // Once a turn: later steps begin with the one that answered.
    expect(first.server.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill(`Bearer ${KEY}`));
    expect(new Set(second.server.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${SECOND_KEY}`]),
    );
    expect([...first.server.violations, ...second.server.violations]).toEqual([]);
  });

  it('is written down as answered by the second', async () => {
    const { first } = await chain([REFUSED], [{ text: 'Me.' }]);
    await first.ask('who?');
    expect(first.home.messages().at(-1)).toMatchObject({
      role: 'assistant',
      route: 'openai-compatible',
      provider: 'openai-compatible',
    });
  });

  it('the second is not asked while the first answers', async () => {
    const { first, second } = await chain([{ text: 'First.' }], []);
    expect((await first.ask('hello')).json()).toMatchObject({
      result: 'First.',
      provider: 'openai',
      model: 'gpt-6-sol',
    });
    expect(second.server.requests).toEqual([]);
  });

  it('the second also helps in the middle of a turn, with the calls made so far', async () => {
    const { first, second } = await chain([READ, REFUSED], [{ text: 'It says alpha.' }]);
    first.home.file('a.txt', 'alpha\n');
    expect((await first.ask('read a.txt')).json()).toMatchObject({
      result: 'It says alpha.',
      provider: 'openai-compatible',
    });
    expect(JSON.stringify(second.asked[0]?.messages)).toContain('alpha');
    expect([...first.server.violations, ...second.server.violations]).toEqual([]);
  });

  it.each([
    ['keeps failing', { fault: { kind: 'status', status: 500 } }],
    ['breaks off', { text: ['Half ', 'an answer'], fault: { kind: 'cut', afterBytes: 2_200 } }],
  ] as [string, Reply][])(
    'the second answers when the first %s, and what the first began is void',
    async (_name, reply) => {
      const { first } = await chain(() => reply, [{ text: 'Whole.' }]);
      const { code, json } = await first.ask('hello');
      expect(code).toBe(0);
      expect(json()).toMatchObject({ success: true, result: 'Whole.', provider: 'openai-compatible' });
      expect(first.server.requests).toHaveLength(2);
    },
  );

  it('a service that asks for a longer wait than a person has patience is not waited for', async () => {
    const busy: Reply = { fault: { kind: 'status', status: 429, headers: { 'retry-after': '30' } } };
    const { first } = await chain(() => busy, [{ text: 'At once.' }]);
    expect((await first.ask('hello')).json()).toMatchObject({ success: true, result: 'At once.' });
    expect(first.server.requests).toHaveLength(1);
  });

  it('the second answers when the first cannot be reached or is not signed in', async () => {
    const { first } = await chain([], () => ({ text: 'Here.' }));
    const ask = (env: Record<string, string>) =>
      lainclaw(['ask', '--provider', 'openai', 'hello'], {
        home: first.home,
        env: { LAINCLAW_API_KEY: SECOND_KEY, ...env },
      });
    const nobody = { OPENAI_API_KEY: KEY, LAINCLAW_OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
    for (const finished of await Promise.all([ask(nobody), ask({})])) {
      expect(finished.json()).toMatchObject({ success: true, result: 'Here.', provider: 'openai-compatible' });
    }
  });

  it('names every model when all of them fail', async () => {
    const { first } = await chain([REFUSED], [{ fault: { kind: 'status', status: 401 } }]);
    const { code, json } = await first.ask('hello');
    expect(code).toBe(1);
    const result = json();
    expect(result).toMatchObject({ success: false, result: '', error: { code: 'PROVIDER_AUTH' } });
    expect(!result.success && result.error.message).toMatch(
      /openai:? .*openai-compatible fake.*auth login openai-compatible/s,
    );
  });

  it('can hold another model of the same provider', async () => {
    const home = testHome();
    const { ask, asked } = await modelFor('openai', [REFUSED, { text: 'Smaller.' }], { home });
    home.config({ fallback: ['openai/gpt-6-luna'] });
    expect((await ask('hello')).json()).toMatchObject({ result: 'Smaller.', provider: 'openai', model: 'gpt-6-luna' });
    expect(asked.map(({ model }) => model)).toEqual(['gpt-6-sol', 'gpt-6-luna']);
  });

  it('ends with Ctrl-C: no other is asked then', async () => {
    const reached = Promise.withResolvers<void>();
    const { first, second } = await chain(() => {
      reached.resolve();
      return { fault: { kind: 'hang' } };
    }, []);
    const running = first.start('hello');
    await reached.promise;
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(second.server.requests).toEqual([]);
  });

  it.each([
    ['a provider that does not exist', ['nope'], /"nope".*openai-codex, openai/],
    ['a model of a provider that does not exist', ['nope/fake'], /"nope\/fake".*"provider\/model"/],
    ['no provider', ['/fake'], /"\/fake"/],
    ['an empty name', [''], /"fallback".*list of texts/],
    ['no list', 'openai', /"fallback".*list of texts/],
  ])('with %s is refused by name, and nobody is asked', async (_name, fallback, words) => {
    const { first, second } = await chain([{ text: 'Never.' }], [{ text: 'Never.' }], fallback as string[]);
    const { code, stderr, json } = await first.ask('hello');
    expect(code).toBe(1);
    expect(stderr).toMatch(words);
    expect(json()).toMatchObject({ success: false, error: { code: 'CONFIG_INVALID' } });
    expect([...first.server.requests, ...second.server.requests]).toEqual([]);
    expect(first.home.transcripts()).toEqual([]);
  });
});

describe.concurrent('the model that is asked', () => {
  it('is the flag’s, then config.json’s, then the provider’s own', async () => {
    const home = testHome();
    const { ask, asked } = await modelFor('openai', () => ({ text: 'Hello.' }), { home });
    await ask('one');
    home.config({ provider: 'openai', model: 'gpt-6-luna' });
    await ask('two');
    await ask('three', '--model', 'gpt-6-astra');
    expect(asked.map(({ model }) => model)).toEqual(['gpt-6-sol', 'gpt-6-luna', 'gpt-6-astra']);
  });

  it.each([
    ['a flag', ['--provider', 'openai'], {}],
    ['LAINCLAW_PROVIDER', [], { LAINCLAW_PROVIDER: 'openai' }],
  ])('is not another provider’s because of config.json, when %s chooses the provider', async (_name, flags, more) => {
    const home = testHome();
    const { server, asked } = await modelFor('openai', () => ({ text: 'Hello.' }), { home });
    const { env } = settingsFor('openai', server.url);
    home.config({ provider: 'anthropic', model: 'claude-sonnet-5' });
    const { json } = await lainclaw(['ask', ...flags, 'hello'], { home, env: { ...env, ...more } });
    expect(json()).toMatchObject({ provider: 'openai', model: 'gpt-6-sol' });
    expect(asked.map(({ model }) => model)).toEqual(['gpt-6-sol']);
  });

  it('is the first that a server offers, when none is named', async () => {
    const { home, server, env, asked } = await modelFor('openai-compatible', [{ text: 'Hello.' }], {
      models: ['first-of-all', 'second'],
    });
    const args = ['ask', '--provider', 'openai-compatible', '--base-url', `${server.url}/v1`, 'hello'];
    expect((await lainclaw(args, { home, env })).json()).toMatchObject({ result: 'Hello.', model: 'first-of-all' });
    expect(asked.map(({ model }) => model)).toEqual(['first-of-all']);
  });

  it('and the profile are in the result and kept with the session', async () => {
    const home = testHome();
    signInToCodex(home);
    const { ask } = await modelFor('openai-codex', [{ text: 'Hello.' }], { home });
    expect((await ask('hello')).json()).toMatchObject({
      provider: 'openai-codex',
      model: 'gpt-6-sol',
      profileId: CODEX_PROFILE,
      route: 'codex',
    });
    expect(home.entry()).toMatchObject({ provider: 'openai-codex', profileId: CODEX_PROFILE, route: 'codex' });
  });

  it('the session’s entry forgets the profile of a provider it no longer uses', async () => {
    const home = testHome();
    const { ask, server } = await modelFor('openai-codex', () => ({ text: 'Hello.' }), { home });
    await ask('one');
    const { flags, env } = settingsFor('openai', server.url);
    await lainclaw(['ask', ...flags, 'two'], { home, env });
    expect(home.entry()).toMatchObject({ provider: 'openai' });
    expect(home.entry().profileId).toBeUndefined();
  });
});
