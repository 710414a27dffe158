// The web page: index.html at the base path, its files beside it. Who has not signed in gets a page that says how to.
import type { ConsoleContext } from '../context.ts';
import type { Exchange, Route } from '../exchange.ts';
import { Problem } from '../problem.ts';
import { createStaticFiles, type StaticFile } from '../static-files.ts';
import { sendPage, sendSignInPage } from './sign-in.ts';

export function pageRoutes(context: ConsoleContext, folder: string): Route[] {
  const { basePath } = context;
  const find = createStaticFiles(folder);
  return [
    {
      method: 'GET',
      path: '/',
      admits: 'anyone',
      body: 'none',
      isLoadedByBrowser: true,
      async handle(exchange) {
        if (!exchange.caller) return sendSignInPage(exchange, context, 401);
        const index = await find('index.html');
        if (!index) throw new Problem(404, 'NO_CONSOLE', 'this build has no web page: npm run build makes it');
        const html = (await index.read(undefined)).toString('utf8');
        // Relative addresses are of the page's own folder, wherever a proxy has put it.
        sendPage(exchange, 200, html.replace('<base href="/"', `<base href="${basePath()}/"`));
      },
    },
    {
      method: 'GET',
      path: '/*',
      admits: 'person',
      body: 'none',
      isLoadedByBrowser: true,
      async handle(exchange) {
        const file = await find(exchange.params['*'] ?? '');
        if (!file) throw new Problem(404, 'NOT_FOUND', 'there is nothing here');
        await send(exchange, file);
      },
    },
  ];
}

async function send({ request, response }: Exchange, file: StaticFile): Promise<void> {
  const encoding = file.encoding(String(request.headers['accept-encoding'] ?? ''));
  const bytes = await file.read(encoding);
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': bytes.length,
    vary: 'accept-encoding',
    'cache-control': file.isHashed ? 'private, max-age=31536000, immutable' : 'no-cache',
    ...(encoding && { 'content-encoding': encoding }),
  });
  response.end(bytes);
}
