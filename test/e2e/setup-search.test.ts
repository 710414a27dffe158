// Set-up of web_search: offered on a terminal, or named by flags; the service is asked before anything is stored.
import { describe, expect, it } from 'vitest';
import { startSearchServer } from '../fakes/search-server.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { filesHolding, KEY } from '../support/model-providers.ts';
import { choose, DOWN, ENTER, EXTRAS, LANGUAGE, serveModel, startSetup, storedIn } from '../support/setup-screen.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const SEARCH_KEY = 'BSA-key-of-a-test';

async function searchServer() {
  const server = await startSearchServer({ key: SEARCH_KEY });
  afterFile(() => server.close());
  return server;
}

const QUESTION = ['ask', 'tool:web_search {"query":"retries"}'];

async function modelEnv(script?: Parameters<typeof serveModel>[0]) {
  const { url } = await serveModel(script);
  return { ANTHROPIC_API_KEY: KEY, LAINCLAW_ANTHROPIC_BASE_URL: url };
}

describe.concurrent('on a terminal', () => {
  it('the search is offered; an address that is none of a service is refused and typed again', async () => {
    const [env, server, home] = [await modelEnv(), await searchServer(), testHome()];
    const before = await lainclaw(['tools', 'info', 'web_search'], { home, env });
    expect(before.code).toBe(1);
    const screen = startSetup(home, ['setup', '--channel', 'none', '--completion', 'none'], env);
    await choose(screen, 'Anthropic: the key in ANTHROPIC_API_KEY');
    await screen.shows(LANGUAGE);
    await screen.type(ENTER);
    await screen.shows(EXTRAS);
    await screen.shows('Search of the web');
    // Memory, another model, the search.
    await screen.type(`${DOWN}${DOWN} ${ENTER}`);
    await screen.shows('The model itself (anthropic)');
    await choose(screen, 'SearXNG');
    await screen.shows('Where is it?');
    await screen.type(`${env.LAINCLAW_ANTHROPIC_BASE_URL}${ENTER}`);
    await screen.shows(/searxng answered 404[\s\S]*What now\?/);
    await screen.type(ENTER);
    await choose(screen, 'SearXNG');
    await screen.shows(/Where is it\?[\s\S]*Where is it\?/);
    await screen.type(`${server.url}${ENTER}`);
    const { code, stdout } = await screen.ended;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/web search\s+searxng/)]);
    expect(storedIn(home)).toMatchObject({ webSearch: 'searxng', webSearchUrl: server.url });
    expect(server.queries).toEqual(['lainclaw']);
    const asked = await lainclaw(QUESTION, { home, env });
    expect(asked.json()).toMatchObject({ toolResults: [{ result: { ok: true, data: { service: 'searxng' } } }] });
  });

  it('a typed key is not shown, and kept in a private file that the tool reads', async () => {
    const [env, server, home] = [await modelEnv(), await searchServer(), testHome()];
    const screen = startSetup(home, ['setup', '--channel', 'none', '--completion', 'none', '--language', 'ru'], env);
    await choose(screen, 'Anthropic: ключ из ANTHROPIC_API_KEY');
    await screen.shows('Поиск в интернете');
    await screen.type(`${DOWN}${DOWN} ${ENTER}`);
    await choose(screen, 'Сама модель (anthropic)');
    expect((await screen.ended).code).toBe(0);
    expect(storedIn(home)).toMatchObject({ webSearch: 'model', language: 'ru' });
    const brave = ['setup', '--yes', '--web-search', 'brave', '--web-search-url', server.url, '--web-search-key-stdin'];
    expect((await lainclaw(brave, { home, env, stdin: `${SEARCH_KEY}\n` })).code).toBe(0);
    expect(filesHolding(home.path, SEARCH_KEY)).toEqual(['web-search.json']);
    const asked = await lainclaw(QUESTION, { home, env });
    expect(asked.json()).toMatchObject({ toolResults: [{ result: { ok: true, data: { service: 'brave' } } }] });
    expect(asked.stdout + asked.stderr).not.toContain(SEARCH_KEY);
  });
});

describe.concurrent('by flags', () => {
  it.each([
    [['brave', '--web-search-key-env', 'WRONG'], 1, /brave refuses the key \(401\).*Nothing was stored/],
    [['brave'], 1, /Brave Search needs a key: type it, or put it into BRAVE_API_KEY.*Nothing was stored/],
    [['brave', '--web-search-key-env', 'GONE'], 2, /the variable GONE is not set/],
    [['searxng'], 1, /SearXNG needs its address.*Nothing was stored/],
    [['google'], 2, /brave, tavily, exa, searxng, model, none/],
    [['none', '--web-search-url', 'http://127.0.0.1:1'], 2, /the other flags of --web-search need it/],
  ])('--web-search %j is refused, and nothing is stored', async (flags, code, message) => {
    const [env, server, home] = [await modelEnv(), await searchServer(), testHome()];
    const url = flags[0] === 'brave' ? ['--web-search-url', server.url] : [];
    const command = ['setup', '--yes', '--web-search', ...flags, ...url];
    const refused = await lainclaw(command, { home, env: { ...env, WRONG: 'wrong-key' } });
    expect([refused.code, refused.stderr + refused.stdout]).toEqual([code, expect.stringMatching(message)]);
    expect([storedIn(home), storedIn(home, 'web-search.json')]).toEqual([undefined, undefined]);
  });

  it('a key in the variable of the service stays there; a model that cannot search is named', async () => {
    const [env, server, home] = [await modelEnv(), await searchServer(), testHome()];
    const withKey = { ...env, BRAVE_API_KEY: SEARCH_KEY };
    home.config({ webSearch: 'brave', webSearchUrl: server.url });
    const command = ['setup', '--yes', '--web-search', 'brave', '--web-search-url', server.url];
    const stored = await lainclaw(command, { home, env: withKey });
    expect(stored.json()).toMatchObject({ search: { service: 'brave', keyVariable: 'BRAVE_API_KEY' } });
    expect(filesHolding(home.path, SEARCH_KEY)).toEqual([]);
    const local = { LAINCLAW_MISTRAL_BASE_URL: `${env.LAINCLAW_ANTHROPIC_BASE_URL}/v1`, MISTRAL_API_KEY: KEY };
    const refused = await lainclaw(
      ['setup', '--yes', '--provider', 'mistral', '--model', 'other', '--web-search', 'model'],
      { home: testHome(), env: local },
    );
    expect([refused.code, refused.stderr + refused.stdout]).toEqual([
      1,
      expect.stringContaining('do not search by themselves: choose a service'),
    ]);
  });
});
