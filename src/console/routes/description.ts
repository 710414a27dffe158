// The API described: for programs as OpenAPI, for people as a page.
import type { ConsoleContext } from '../context.ts';
import { DOCS_STYLE, docsPage } from '../docs-page.ts';
import { type Route, sendJson } from '../exchange.ts';
import { openApiDocument } from '../openapi.ts';
import { sendPage } from './sign-in.ts';

export function descriptionRoutes({ version, basePath }: ConsoleContext): Route[] {
  const get = (path: string, handle: Route['handle']): Route => ({
    method: 'GET',
    path,
    admits: 'person',
    body: 'none',
    isLoadedByBrowser: true,
    handle,
  });
  return [
    get('/api/openapi.json', (exchange) => sendJson(exchange, openApiDocument({ version, basePath: basePath() }))),
    get('/api/docs', (exchange) => sendPage(exchange, 200, docsPage({ version }))),
    get('/api/docs.css', ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'no-cache' });
      response.end(DOCS_STYLE);
    }),
  ];
}
