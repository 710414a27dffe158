// web_search against fakes of the services, strict about what each wants.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ToolArgs, ToolContext } from '../tool.ts';
import { createWebSearchTool } from './search.ts';
import type { SearchServiceName } from './search-services.ts';

interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: unknown;
}

let server: Server;
let base: string;
let asked: Asked[];
let answer: { status: number; body: unknown };

beforeEach(async () => {
  asked = [];
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const text = Buffer.concat(chunks).toString();
    asked.push({
      method: request.method ?? '',
      path: pathname,
      query: searchParams,
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    });
    const shown = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(shown);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterEach(() => server.close());

const KEYS = { BRAVE_API_KEY: 'b-key', TAVILY_API_KEY: 't-key', EXA_API_KEY: 'e-key' };
const search = (service: SearchServiceName, args: ToolArgs, variables: Record<string, string> = KEYS) =>
  createWebSearchTool({ service, address: base, variables }).execute(args, {
    signal: new AbortController().signal,
  } as unknown as ToolContext);

const QUESTION = { query: 'retries', limit: 2, since: '2026-11-01', site: 'docs.example.org' };

const SERVICES: Record<
  SearchServiceName,
  { result: object; wrap(results: object[]): object; check(asked: Asked): void }
> = {
  brave: {
    result: {
      title: 'Retries',
      url: 'https://docs.example.org/r',
      description: 'Five <strong>times</strong>',
      page_age: '2026-11-03T00:00:00',
    },
    wrap: (results) => ({ type: 'search', web: { type: 'search', results } }),
    check({ method, path, query, headers }) {
      expect([method, path, headers['x-subscription-token']]).toEqual(['GET', '/res/v1/web/search', 'b-key']);
      expect(Object.fromEntries(query)).toEqual({
        q: 'retries site:docs.example.org',
        count: '2',
        freshness: '2026-11-01to2099-12-31',
      });
    },
  },
  tavily: {
    result: {
      title: 'Retries',
      url: 'https://docs.example.org/r',
      content: 'Five times',
      score: 0.9,
      published_date: '2026-11-03',
    },
    wrap: (results) => ({ query: 'retries', results, response_time: 1 }),
    check({ method, path, headers, body }) {
      expect([method, path, headers.authorization]).toEqual(['POST', '/search', 'Bearer t-key']);
      expect(body).toEqual({
        query: 'retries',
        max_results: 2,
        start_date: '2026-11-01',
        include_domains: ['docs.example.org'],
      });
    },
  },
  exa: {
    result: {
      id: 'x',
      title: 'Retries',
      url: 'https://docs.example.org/r',
      text: 'Five times',
      publishedDate: '2026-11-03T00:00:00.000Z',
    },
    wrap: (results) => ({ requestId: 'r', results }),
    check({ method, path, headers, body }) {
      expect([method, path, headers['x-api-key']]).toEqual(['POST', '/search', 'e-key']);
      expect(body).toMatchObject({
        numResults: 2,
        includeDomains: ['docs.example.org'],
        startPublishedDate: '2026-11-01T00:00:00.000Z',
      });
    },
  },
  searxng: {
    result: {
      title: 'Retries',
      url: 'https://docs.example.org/r',
      content: 'Five times',
      publishedDate: '2026-11-03T00:00:00',
    },
    wrap: (results) => ({ query: 'retries', results }),
    check({ method, path, query }) {
      expect([method, path]).toEqual(['GET', '/search']);
      expect(Object.fromEntries(query)).toEqual({ q: 'retries site:docs.example.org', format: 'json' });
    },
  },
};

describe.each(Object.entries(SERVICES))('%s', (name, { result, wrap, check }) => {
  const service = name as SearchServiceName;

  it('is asked in its own form, and its results have address and date', async () => {
    answer = { status: 200, body: wrap([result, result, result, { title: 'no address' }]) };
    const { text, data, meta } = await search(service, QUESTION);
    check(asked[0] as Asked);
    expect(data).toMatchObject({ service, results: [{ title: 'Retries', text: 'Five times' }, {}] });
    expect(text).toMatch(/^1\. Retries \(2026-11-03.*\)\n<https:\/\/docs\.example\.org\/r>\nFive times\n\n2\. /);
    expect(meta).toEqual({ tainted: true, taintedBy: [`host:${new URL(base).host}`] });
  });

  it.each([
    [{ status: 401, body: {} }, /refuses the key/],
    [{ status: 429, body: {} }, /too many questions/],
    [{ status: 500, body: {} }, /answered 500/],
    [{ status: 200, body: '<html>' }, /did not answer with JSON/],
  ])('names what went wrong: %j', async (given, problem) => {
    answer = given;
    await expect(search(service, QUESTION)).rejects.toThrow(problem);
  });

  it.each([null, [], {}, { results: 3 }, { web: null }])('finds nothing in %j', async (body) => {
    answer = { status: 200, body: JSON.stringify(body) };
    expect((await search(service, QUESTION)).text).toBe('Nothing was found.');
  });
});

it('leaves out what is older than asked for', async () => {
  const old = { ...SERVICES.searxng.result, publishedDate: '2020-01-01' };
  answer = { status: 200, body: SERVICES.searxng.wrap([old, SERVICES.searxng.result]) };
  expect((await search('searxng', QUESTION)).data).toMatchObject({ results: [{ date: '2026-11-03T00:00:00' }] });
});

it('an answer without an end is not read to it', async () => {
  let sent = 0;
  const endless = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => {
      sent += 65_536;
      if (!response.destroyed && sent < 500_000_000) response.write(' '.repeat(65_536), more);
    };
    more();
  });
  endless.listen(0, '127.0.0.1');
  await once(endless, 'listening');
  const address = `http://127.0.0.1:${(endless.address() as { port: number }).port}`;
  const tool = createWebSearchTool({ service: 'searxng', address, variables: {} });
  const context = { signal: new AbortController().signal } as unknown as ToolContext;
  await expect(tool.execute(QUESTION, context)).rejects.toThrow('answered with more than it should');
  expect(sent).toBeLessThan(100_000_000);
  endless.closeAllConnections();
  endless.close();
});

it('says which key is missing, and never sends a question without it', async () => {
  await expect(search('brave', QUESTION, {})).rejects.toThrow(/BRAVE_API_KEY/);
  expect(asked).toEqual([]);
});

it('says where an address is missing', async () => {
  const tool = createWebSearchTool({ service: 'searxng', variables: {} });
  await expect(tool.execute(QUESTION, {} as ToolContext)).rejects.toThrow(/webSearchUrl/);
});
