import { taintSource } from '../../vocabulary/taint-source.ts';
import { defineTool } from '../define-tool.ts';
import { ToolFailure, type ToolOutput, type ToolSpec } from '../tool.ts';
import type { SearchWithModel } from './model-search.ts';
import type { Found, SearchQuestion, SearchService, SearchServiceName } from './search-services.ts';

/** What rules name, without loading the services. */
const HOSTS: Record<SearchServiceName | 'model', string> = {
  brave: 'https://api.search.brave.com',
  tavily: 'https://api.tavily.com',
  exa: 'https://api.exa.ai',
  searxng: '',
  // No host of the web: rules write `web_search(domain:model)`.
  model: 'https://model',
};
const LONGEST_TEXT = 500;
const LARGEST_ANSWER = 2_000_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface WebSearchDependencies {
  /** The owner's choice. Without one there is no such tool. */
  service: SearchServiceName | 'model';
  /** Instead of the service's own address. */
  address?: string;
  variables: Readonly<Record<string, string | undefined>>;
  /** The key of a service that was typed in set-up; one in the environment comes first. */
  storedKey?(service: SearchServiceName): Promise<string | undefined>;
}

/** Needs no permission: a person who sets up a service wants it asked. In a tainted turn a person is asked: a query tells something. */
export function createWebSearchTool(dependencies: WebSearchDependencies): ToolSpec {
  const { service: name, address, variables, storedKey } = dependencies;
  return defineTool({
    name: 'web_search',
    schema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 400 },
        limit: { type: 'integer', minimum: 1, maximum: 20, default: 5 },
        since: { type: 'string', pattern: DAY.source },
        site: { type: 'string', minLength: 1, maxLength: 253, pattern: '^[\\w.-]+$' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    effect: 'read',
    requiresPermission: false,
    // What asks an address tells it something: in a tainted turn a person decides.
    subject: () => ({ kind: 'url', url: address ?? HOSTS[name] }),
    rules: { pattern: 'url' },
    // A model searches several times before it answers.
    timeoutMs: name === 'model' ? 180_000 : 30_000,
    async execute(question, { signal, searchWithModel }) {
      if (name === 'model') return askModel(question, searchWithModel, signal);
      const { searchServices } = await import('./search-services.ts');
      const service = searchServices[name];
      const base = address ?? HOSTS[name];
      if (base === '') throw new ToolFailure(`set "webSearchUrl" in config.json: where ${name} is`);
      const key = keyIn(service, variables) ?? (service.keyVariable && (await storedKey?.(name)));
      if (key === undefined) throw new ToolFailure(keyMissing(service));
      const results = within(await askService(question, { name, base, key }, signal), question);
      return {
        data: { service: name, results },
        text: results.map(shown).join('\n\n') || 'Nothing was found.',
        meta: { tainted: true, taintedBy: [taintSource('host', new URL(base).host)] },
      };
    },
  });
}

/** In a request of its own: its search needs permission as every other one does, and its result is bounded and tainted. */
async function askModel(
  question: SearchQuestion,
  search: SearchWithModel | undefined,
  signal: AbortSignal,
): Promise<ToolOutput> {
  if (!search) throw new ToolFailure('the search of the model runs within a turn: use it through "lainclaw ask"');
  const { provider, text, sources } = await search(question, signal);
  const results = sources.slice(0, question.limit).map(({ url, title = '', date }) => ({ title, url, text: '', date }));
  const pages = results.length > 0 ? ['Pages:', ...results.map(shown)] : [NO_PAGES];
  return {
    data: { service: 'model', provider, answer: text, results },
    text: [text || 'Nothing was found.', ...pages].join('\n\n'),
    meta: { tainted: true, taintedBy: [taintSource('tool', 'web_search')] },
  };
}

const NO_PAGES = 'The search named no pages: this may be from memory, so check it before you rely on it.';

/** The key of the environment; empty where none is needed. */
export function keyIn(
  { keyVariable }: SearchService,
  variables: WebSearchDependencies['variables'],
): string | undefined {
  if (keyVariable === undefined) return '';
  return variables[keyVariable]?.trim() || undefined;
}

function keyMissing({ keyVariable }: SearchService): string {
  return `the key of the search service is missing: put it into the variable ${keyVariable}, or type it in "lainclaw setup"`;
}

/** Rejects with a ToolFailure that says what is wrong. */
export async function askService(
  question: SearchQuestion,
  { name, base, key }: { name: SearchServiceName; base: string; key: string },
  signal: AbortSignal,
): Promise<Found[]> {
  const service = (await import('./search-services.ts')).searchServices[name];
  const { path, method, headers, body } = service.request(question, key);
  let answer: Response;
  let text: string | undefined;
  try {
    answer = await fetch(base.replace(/\/$/, '') + path, {
      method,
      signal,
      redirect: 'error',
      headers: { accept: 'application/json', ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    text = await boundedText(answer);
  } catch (error) {
    signal.throwIfAborted();
    throw new ToolFailure(`${name} cannot be reached: ${causeOf(error)}`, { cause: error });
  }
  if (!answer.ok) throw new ToolFailure(problemOf(name, answer.status));
  if (text === undefined) throw new ToolFailure(`${name} answered with more than it should`, { reason: 'limit' });
  try {
    return service.read(JSON.parse(text));
  } catch {
    throw new ToolFailure(`${name} did not answer with JSON: is its address right?`);
  }
}

/** Undefined: it is too large, and the rest was not read. */
async function boundedText({ body }: Response): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > LARGEST_ANSWER) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function problemOf(name: string, status: number): string {
  if (status === 401 || status === 403) return `${name} refuses the key (${status}): check it`;
  if (status === 429) return `${name} has had too many questions (429): try again later`;
  return `${name} answered ${status}`;
}

/** Not every service keeps to the limit or knows days. */
function within(results: readonly Found[], { limit, since }: SearchQuestion): Found[] {
  const isNew = ({ date }: Found): boolean => {
    const moment = since === undefined || date === undefined ? Number.NaN : Date.parse(date);
    return Number.isNaN(moment) || moment >= Date.parse(since ?? '');
  };
  return results.filter(isNew).slice(0, limit);
}

function shown({ title, url, text, date }: Found, index: number): string {
  const cut = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  return [`${index + 1}. ${title || url}${date ? ` (${date})` : ''}`, `<${url}>`, cut]
    .filter((line) => line !== '')
    .join('\n');
}

function causeOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
