// Signing in: a link with a code that works once, or the owner's password, gives the browser its cookie. The link opens a page that says
// whom it signs in, and only its button uses the code up: what loads the link ahead, shows a preview of it, or sends somebody to it
// signs nobody in.
import { type ConsolePerson, type NewSignIn, OWNER_ID } from '../../gateway/console-access/console-access.ts';
import type { ConsoleContext } from '../context.ts';
import { callerOf, type Exchange, jsonBody, type Route, sendJson } from '../exchange.ts';
import { Problem } from '../problem.ts';
import { SIGN_IN_SCRIPT, SIGN_IN_STYLE, signInPage } from '../sign-in-page.ts';

/** Anybody can send one: no more is read than a password needs. */
const LARGEST_SIGN_IN = 8 * 1024;

export function signInRoutes(context: ConsoleContext): Route[] {
  const { access, guard, basePath, cookieName, isSecure, version, runtime } = context;

  /** The cookie for the browser, and for the page what no other port of the host gets to see. */
  function sendSignedIn(exchange: Exchange, { secret, page, expiresAt }: NewSignIn): void {
    const { request, response } = exchange;
    const seconds = Math.floor((Date.parse(expiresAt) - runtime.environment.now()) / 1_000);
    const secure = isSecure(request) ? '; Secure' : '';
    response.setHeader(
      'set-cookie',
      `${cookieName()}=${secret}; Path=${basePath()}/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`,
    );
    sendJson(exchange, { signedIn: true, page });
  }

  async function linkedPerson({ request }: Exchange, code: unknown): Promise<ConsolePerson> {
    const person = typeof code === 'string' ? await guard.link(request, code) : undefined;
    if (!person) throw invalidLink();
    return person;
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
      handle: (exchange) => sendSignInPage(exchange, context, 200),
    },
    {
      method: 'POST',
      path: '/login',
      admits: 'anyone',
      body: 'json',
      async handle(exchange) {
        await guard.countPassword(exchange.request);
        const { password } = await jsonBody(exchange, LARGEST_SIGN_IN);
        if (typeof password !== 'string' || !(await access.isPassword(password)))
          throw new Problem(401, 'WRONG_PASSWORD', 'this is not the password', 'or open the link of "lainclaw up"');
        sendSignedIn(exchange, await access.signIn(OWNER_ID, agentOf(exchange)));
      },
    },
    {
      method: 'POST',
      path: '/login/link',
      admits: 'anyone',
      body: 'json',
      async handle(exchange) {
        const { code } = await jsonBody(exchange, LARGEST_SIGN_IN);
        await linkedPerson(exchange, code);
        const signedIn = await access.redeem(String(code), agentOf(exchange));
        // Another browser was faster.
        if (!signedIn) throw invalidLink();
        sendSignedIn(exchange, signedIn);
      },
    },
    {
      method: 'POST',
      path: '/login/link/person',
      admits: 'anyone',
      body: 'json',
      async handle(exchange) {
        const { name, isOwner } = await linkedPerson(exchange, (await jsonBody(exchange, LARGEST_SIGN_IN)).code);
        sendJson(exchange, { name, role: isOwner ? 'owner' : 'person' });
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

export async function sendSignInPage(
  exchange: Exchange,
  { access, basePath }: ConsoleContext,
  status: number,
): Promise<void> {
  sendPage(exchange, status, signInPage({ basePath: basePath(), hasPassword: await access.hasPassword() }));
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

function invalidLink(): Problem {
  const hint = '"lainclaw up" opens a new one; people ask the owner for one';
  return new Problem(401, 'LINK_INVALID', 'this link was used before, or has expired', hint);
}

function agentOf({ request }: Exchange): string {
  return request.headers['user-agent'] ?? '';
}
