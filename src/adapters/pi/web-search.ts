// The provider's own search of the web: how each protocol is offered it, and what its events say of the pages that were found. The
// library passes over these events, so they are read on the wire.
import type { WebSearchOffer, WebSource } from '../adapter.ts';

/** OpenAI's Responses, Anthropic's Messages, and Google's own protocol (`google-search.ts`). */
export type WebSearchKind = 'responses' | 'messages' | 'google-search';

type Json = Record<string, unknown>;

/** Each costs a fee. */
const MOST_SEARCHES = 3;

/** One search: what goes into its request, and what its answer says of pages. */
export interface Search extends Pick<SourceNotes, 'note' | 'sources' | 'problem'> {
  kind: WebSearchKind;
  offerIn(payload: Json): void;
  /** Events since the last call, where a protocol is read here as a whole. */
  take(): unknown[];
}

export function createSearch(kind: WebSearchKind, offer: WebSearchOffer): Search {
  const notes = createSourceNotes();
  const waiting: unknown[] = [];
  return {
    ...notes,
    kind,
    note: kind === 'google-search' ? (event) => void waiting.push(event) : notes.note,
    offerIn: (payload) => offerSearch(payload, kind, offer),
    take: () => waiting.splice(0),
  };
}

/** In the place of other tools. */
function offerSearch(payload: Json, kind: WebSearchKind, { site }: WebSearchOffer): void {
  if (kind === 'messages') {
    const only = site === undefined ? {} : { allowed_domains: [site] };
    payload.tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: MOST_SEARCHES, ...only }];
    return;
  }
  payload.tools = [{ type: 'web_search', ...(site !== undefined && { filters: { allowed_domains: [site] } }) }];
  payload.include = [...(Array.isArray(payload.include) ? payload.include : []), 'web_search_call.action.sources'];
}

interface SourceNotes {
  /** Called with every event of an answer. Never throws, whatever it holds. */
  note(event: unknown): void;
  /** Each page once; those that the answer cites come first. */
  sources(): WebSource[];
  /** Why the search failed, in the provider's word, where it found nothing at all. */
  problem(): string | undefined;
}

function createSourceNotes(): SourceNotes {
  const cited = new Map<string, WebSource>();
  const found = new Map<string, WebSource>();
  let problem: string | undefined;

  function add(into: Map<string, WebSource>, page: unknown): void {
    const { url, title, page_age: date } = objectOf(page);
    const address = typeof url === 'string' ? URL.parse(url) : null;
    if (!address || !/^https?:$/.test(address.protocol)) return;
    // OpenAI marks every address as one of its own visitors.
    if (address.searchParams.get('utm_source') === 'openai') address.searchParams.delete('utm_source');
    const known = into.get(address.href);
    into.set(address.href, {
      url: address.href,
      ...(known ?? found.get(address.href)),
      ...(isWord(title) && { title }),
      ...(isWord(date) && { date }),
    });
  }

  function noteItem({ type, action, content }: Json): void {
    if (type === 'web_search_call') for (const page of listOf(objectOf(action).sources)) add(found, page);
    if (type !== 'message') return;
    for (const part of listOf(content))
      for (const each of listOf(objectOf(part).annotations))
        if (objectOf(each).type === 'url_citation') add(cited, each);
  }

  function noteBlock({ type, content }: Json): void {
    if (type !== 'web_search_tool_result') return;
    for (const page of listOf(content)) add(found, page);
    const { error_code: code } = objectOf(content);
    if (isWord(code)) problem = code;
  }

  return {
    note(event) {
      const { type, item, content_block: block, delta } = objectOf(event);
      if (type === 'response.output_item.done') noteItem(objectOf(item));
      else if (type === 'content_block_start') noteBlock(objectOf(block));
      else if (type === 'content_block_delta') {
        const { type: kind, citation } = objectOf(delta);
        if (kind === 'citations_delta' && objectOf(citation).type === 'web_search_result_location')
          add(cited, citation);
      }
    },
    sources: () => [...new Map([...cited, ...found].map(([url, page]) => [url, cited.get(url) ?? page])).values()],
    problem: () => (cited.size + found.size === 0 ? problem : undefined),
  };
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
