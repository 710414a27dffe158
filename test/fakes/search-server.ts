// Search services of the web, strict about what each of them wants: SearXNG without a key, Brave with one. Anything else is refused.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';

export interface SearchServer {
  url: string;
  /** What was searched for. */
  readonly queries: readonly string[];
  close(): void;
}

const PAGE = { title: 'Retries', url: 'https://docs.example.org/retries' };

/** `key`: the one that Brave accepts. */
export async function startSearchServer({ key }: { key: string }): Promise<SearchServer> {
  const queries: string[] = [];
  const server = createServer((request, response) => {
    const [status, body] = answerTo(request, key, queries);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    queries,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answerTo({ url = '', method, headers }: IncomingMessage, key: string, queries: string[]): [number, object] {
  const { pathname, searchParams } = new URL(url, 'http://search');
  const query = searchParams.get('q') ?? '';
  if (method !== 'GET' || query === '') return [400, {}];
  if (pathname === '/search' && searchParams.get('format') === 'json') {
    queries.push(query);
    return [200, { query, results: [{ ...PAGE, content: 'Five times.' }] }];
  }
  if (pathname !== '/res/v1/web/search') return [404, {}];
  if (headers['x-subscription-token'] !== key) return [401, {}];
  queries.push(query);
  return [200, { type: 'search', web: { type: 'search', results: [{ ...PAGE, description: 'Five times.' }] } }];
}
