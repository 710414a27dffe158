// Signing in: a link with a code that works once gives the browser its cookie. The answer is a page and not a redirect: a browser that
// followed a link on another site would not send a strict cookie with the redirected request.
import type { ConsoleContext } from '../context.ts';
import { callerOf, type Exchange, type Route, sendJson } from '../exchange.ts';

export function signInRoutes({
  access,
  isLink,
  basePath,
  cookieName,
  isSecure,
  version,
  runtime,
}: ConsoleContext): Route[] {
  return [
    {
      method: 'GET',
      path: '/login',
      admits: 'anyone',
      body: 'none',
      async handle(exchange) {
        const { url, request, response } = exchange;
        const code = url.searchParams.get('code') ?? '';
        const home = `${basePath()}/`;
        // A browser that loads a link before it is clicked must not use it up.
        const isPrefetch = /prefetch/i.test(String(request.headers['sec-purpose'] ?? request.headers.purpose ?? ''));
        const isUsable = code !== '' && !isPrefetch && (await isLink(request, code));
        const signedIn = isUsable ? await access.redeem(code, request.headers['user-agent'] ?? '') : undefined;
        if (!signedIn) return sendPage(exchange, 401, signInPage());
        const seconds = Math.floor((Date.parse(signedIn.expiresAt) - runtime.environment.now()) / 1_000);
        response.setHeader(
          'set-cookie',
          `${cookieName()}=${signedIn.secret}; Path=${home}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure() ? '; Secure' : ''}`,
        );
        sendPage(exchange, 200, openPage(home));
      },
    },
    {
      method: 'GET',
      path: '/api/me',
      admits: 'person',
      body: 'none',
      handle(exchange) {
        const { id, name, isOwner, sessionId } = callerOf(exchange);
        sendJson(exchange, {
          person: { id, name },
          role: isOwner ? 'owner' : 'person',
          language: runtime.config.language,
          version,
          basePath: basePath(),
          ...(sessionId !== undefined && { sessionId }),
        });
      },
    },
    {
      method: 'POST',
      path: '/api/logout',
      admits: 'person',
      body: 'json',
      async handle(exchange) {
        const { sessionId } = callerOf(exchange);
        if (sessionId !== undefined) await access.revoke(sessionId);
        exchange.response.setHeader('set-cookie', `${cookieName()}=; Path=${basePath()}/; Max-Age=0`);
        sendJson(exchange, { signedOut: sessionId !== undefined });
      },
    },
  ];
}

export function sendPage({ response }: Pick<Exchange, 'response'>, status: number, html: string): void {
  const body = Buffer.from(html);
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
  });
  response.end(body);
}

export function signInPage(): string {
  return page(
    'Sign in',
    '<h1>Lainclaw</h1><p>You are not signed in, or the link was used before or has expired.</p>' +
      '<p>Run <code>lainclaw up</code> in a terminal: it opens a new link.</p>',
  );
}

function openPage(home: string): string {
  const address = home.replaceAll('"', '%22');
  return page(
    'Signed in',
    `<p>You are signed in. <a href="${address}">Open Lainclaw</a></p>`,
    `<meta http-equiv="refresh" content="0;url=${address}">`,
  );
}

function page(title: string, body: string, head = ''): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}<title>${title}</title></head><body>${body}</body></html>`;
}
