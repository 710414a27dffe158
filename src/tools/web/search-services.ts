// The services that web_search can ask: how each is asked, and what it answers.
import type { SEARCH_SERVICES } from '../../config/settings.ts';

/** `model` is not one of them: the provider of the turn's model is asked. */
export type SearchServiceName = Exclude<(typeof SEARCH_SERVICES)[number], 'model'>;

export interface SearchQuestion {
  query: string;
  limit: number;
  /** A day, ISO 8601. */
  since?: string;
  /** A host. */
  site?: string;
}

export interface Found {
  title: string;
  url: string;
  text: string;
  date?: string;
}

export interface SearchService {
  label: string;
  /** Where it is; undefined: the owner says where. */
  address: string | undefined;
  /** The variable that has its key; undefined: it needs none. */
  keyVariable: string | undefined;
  /** Where a person gets one. */
  keyPage?: string;
  request(
    question: SearchQuestion,
    key: string,
  ): { path: string; method: 'GET' | 'POST'; headers: Record<string, string>; body?: object };
  /** What it found, in its order. Anything that is not as it should be is left out. */
  read(answer: unknown): Found[];
}

const brave: SearchService = {
  label: 'Brave Search',
  address: 'https://api.search.brave.com',
  keyVariable: 'BRAVE_API_KEY',
  keyPage: 'https://api-dashboard.search.brave.com',
  request: ({ query, limit, since, site }, key) => ({
    path: `/res/v1/web/search?${parameters({
      q: onSite(query, site),
      count: String(limit),
      ...(since && { freshness: `${since}to${FAR_AWAY}` }),
    })}`,
    method: 'GET',
    headers: { 'x-subscription-token': key },
  }),
  read: (answer) =>
    resultsIn(answer, 'web')
      .map((each) => found(each, { text: 'description', dates: ['page_age', 'age'] }))
      .filter(isUsable),
};

const tavily: SearchService = {
  label: 'Tavily',
  address: 'https://api.tavily.com',
  keyVariable: 'TAVILY_API_KEY',
  keyPage: 'https://app.tavily.com',
  request: ({ query, limit, since, site }, key) => ({
    path: '/search',
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: { query, max_results: limit, ...(since && { start_date: since }), ...(site && { include_domains: [site] }) },
  }),
  read: (answer) =>
    resultsIn(answer)
      .map((each) => found(each, { text: 'content', dates: ['published_date'] }))
      .filter(isUsable),
};

const exa: SearchService = {
  label: 'Exa',
  address: 'https://api.exa.ai',
  keyVariable: 'EXA_API_KEY',
  keyPage: 'https://dashboard.exa.ai/api-keys',
  request: ({ query, limit, since, site }, key) => ({
    path: '/search',
    method: 'POST',
    headers: { 'x-api-key': key },
    body: {
      query,
      numResults: limit,
      contents: { text: { maxCharacters: 500 } },
      ...(since && { startPublishedDate: `${since}T00:00:00.000Z` }),
      ...(site && { includeDomains: [site] }),
    },
  }),
  read: (answer) =>
    resultsIn(answer)
      .map((each) => found(each, { text: 'text', dates: ['publishedDate'] }))
      .filter(isUsable),
};

/** The owner runs it somewhere, and the setting `webSearchUrl` says where. It knows ranges, not days: what is older than asked for is left out by its date, where it tells one. */
const searxng: SearchService = {
  label: 'SearXNG',
  address: undefined,
  keyVariable: undefined,
  request: ({ query, site }) => ({
    path: `/search?${parameters({ q: onSite(query, site), format: 'json' })}`,
    method: 'GET',
    headers: {},
  }),
  read: (answer) =>
    resultsIn(answer)
      .map((each) => found(each, { text: 'content', dates: ['publishedDate'] }))
      .filter(isUsable),
};

export const searchServices: Record<SearchServiceName, SearchService> = { brave, tavily, exa, searxng };

/** The end of a range that has none. */
const FAR_AWAY = '2099-12-31';

function onSite(query: string, site: string | undefined): string {
  return site === undefined ? query : `${query} site:${site}`;
}

function parameters(given: Record<string, string>): string {
  return new URLSearchParams(given).toString();
}

function resultsIn(answer: unknown, within?: string): unknown[] {
  const holder = within === undefined ? answer : (answer as Record<string, unknown> | null)?.[within];
  const results = (holder as { results?: unknown } | null | undefined)?.results;
  return Array.isArray(results) ? results : [];
}

function found(result: unknown, names: { text: string; dates: readonly string[] }): Found {
  const fields = (result ?? {}) as Record<string, unknown>;
  const date = names.dates.map((name) => fields[name]).find((value) => typeof value === 'string' && value !== '');
  return {
    title: plain(fields.title),
    url: typeof fields.url === 'string' ? fields.url : '',
    text: plain(fields[names.text]),
    ...(date !== undefined && { date: String(date) }),
  };
}

function isUsable({ url }: Found): boolean {
  return /^https?:\/\//.test(url);
}

/** Some mark the words of the query with tags. */
function plain(value: unknown): string {
  return typeof value === 'string'
    ? value
        .replace(/<\/?\w+[^>]*>/g, '')
        .replace(/\s+/g, ' ')
        .trim()
    : '';
}
