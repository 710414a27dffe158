// A key that is kept here, and the addresses that calls of set-up name.
import { expect, it } from 'vitest';
import { startSearchServer } from '../../test/fakes/search-server.ts';
import { afterFile, testHome } from '../../test/support/test-home.ts';
import { testRuntime } from '../../test/support/test-runtime.ts';
import type { OperationContext } from './operation.ts';
import { connectSearch, trySearch } from './setup-search.ts';

const KEY = 'BSA-key-of-a-test';
const REFUSED = { code: 'SEARCH_REFUSED', message: expect.stringContaining('is not sent to another address') };

async function setUp(variables: Record<string, string> = {}, config: object = {}) {
  const [server, home] = [await startSearchServer({ key: KEY }), testHome()];
  home.config({ provider: 'stub', ...config });
  const runtime = await testRuntime(home.path, { variables });
  afterFile(async () => {
    await runtime.close();
    await server.close();
  });
  const context = { runtime, signal: new AbortController().signal } as OperationContext;
  return { server, runtime, context };
}

it.each(['typed', 'environment'])('is not sent to another address (%s)', async (where) => {
  const { server, runtime, context } = await setUp(where === 'environment' ? { BRAVE_API_KEY: KEY } : {});
  if (where === 'typed') await (await runtime.searchKeys()).store('brave', KEY);
  const search = { service: 'brave', address: server.url } as const;
  await expect(trySearch.run(search, context)).rejects.toMatchObject(REFUSED);
  for (const check of [true, false])
    await expect(connectSearch.run({ ...search, check }, context)).rejects.toMatchObject(REFUSED);
  expect([server.queries, (await runtime.currentConfig()).webSearch]).toEqual([[], undefined]);
  expect(await trySearch.run({ ...search, apiKey: KEY }, context)).toMatchObject({ service: 'brave' });
  expect(server.queries).toEqual(['lainclaw']);
});

it('of the environment is not sent to an address that was given with another key', async () => {
  const { server, context } = await setUp({ BRAVE_API_KEY: KEY });
  const search = { service: 'brave', address: server.url, check: false } as const;
  await expect(connectSearch.run({ ...search, apiKey: 'other' }, context)).rejects.toMatchObject(REFUSED);
  expect(await connectSearch.run({ ...search, apiKey: KEY }, context)).toMatchObject({ service: 'brave' });
});

it('is sent to the address that it is used with', async () => {
  const { server, runtime, context } = await setUp();
  const search = { service: 'brave', address: server.url } as const;
  await connectSearch.run({ ...search, apiKey: KEY, check: true }, context);
  expect((await runtime.currentConfig()).webSearchUrl).toBe(server.url);
  await trySearch.run({ ...search, address: `${server.url}/` }, context);
  expect(server.queries).toEqual(['lainclaw', 'lainclaw']);
  // Of another service, the address is not this one's.
  await connectSearch.run({ service: 'searxng', address: server.url, check: false }, context);
  await expect(trySearch.run(search, context)).rejects.toMatchObject(REFUSED);
});
