// Signing in: a link with a code that works once, or the owner's password, gives the browser its cookie. A link is answered with a page and
// not with a redirect: a browser that followed a link on another site would not send a strict cookie with the redirected request.
import { OWNER_ID } from '../../gateway/console-access/console-access.ts';
import type { ConsoleContext } from '../context.ts';
import { callerOf, type Exchange, jsonBody, type Route, sendJson } from '../exchange.ts';
import { Problem } from '../problem.ts';
import { SIGN_IN_SCRIPT, SIGN_IN_STYLE, signedInPage, signInPage } from '../sign-in-page.ts';

/** Anybody can send one: no more is read than a password needs. */
const LARGEST_SIGN_IN = 8 * 1024;

export function signInRoutes(context: ConsoleContext): Route[] {
  const { access, guard, basePath, cookieName, isSecure, version, runtime } = context;

  function setCookie(
    { request, response }: Exchange,
    { secret, expiresAt }: { secret: string; expiresAt: string },
  ): void {
    const seconds = Math.floor((Date.parse(expiresAt) - runtime.environment.now()) / 1_000);
    const secure = isSecure(request) ? '; Secure' : '';
    response.setHeader(
      'set-cookie',
      `${cookieName()}=${secret}; Path=${basePath()}/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`,
    );
  }

  const file = (path: string, type: string, text: string): Route => ({
    method: 'GET',
    path,
    admits: 'anyone',
    body: 'none',
    handle({ response }) {
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
      response.end(text);
    },
  });

  return [
    {
      method: 'GET',
      path: '/login',
      admits: 'anyone',
      body: 'none',
      async handle(exchange) {
        const { url, request } = exchange;
        const code = url.searchParams.get('code') ?? '';
        // A browser that loads a link before it is clicked must not use it up.
        const isPrefetch = /prefetch/i.test(String(request.headers['sec-purpose'] ?? request.headers.purpose ?? ''));
        const isUsable = code !== '' && !isPrefetch && (await guard.isLink(request, code));
        const signedIn = isUsable ? await access.redeem(code, agentOf(exchange)) : undefined;
        if (!signedIn) return sendSignInPage(exchange, context);
        setCookie(exchange, signedIn);
        sendPage(exchange, 200, signedInPage({ basePath: basePath() }));
      },
    },
    {
      method: 'POST',
      path: '/login',
      admits: 'anyone',
      body: 'json',
      async handle(exchange) {
        guard.countPassword(exchange.request);
        const { password } = await jsonBody(exchange, LARGEST_SIGN_IN);
        if (typeof password !== 'string' || !(await access.isPassword(password)))
          throw new Problem(401, 'WRONG_PASSWORD', 'this is not the password', 'or open the link of "lainclaw up"');
        setCookie(exchange, await access.signIn(OWNER_ID, agentOf(exchange)));
        sendJson(exchange, { signedIn: true });
      },
    },
    file('/login.js', 'text/javascript; charset=utf-8', SIGN_IN_SCRIPT),
    file('/login.css', 'text/css; charset=utf-8', SIGN_IN_STYLE),
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

export async function sendSignInPage(exchange: Exchange, { access, basePath }: ConsoleContext): Promise<void> {
  sendPage(exchange, 401, signInPage({ basePath: basePath(), hasPassword: await access.hasPassword() }));
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

function agentOf({ request }: Exchange): string {
  return request.headers['user-agent'] ?? '';
}
