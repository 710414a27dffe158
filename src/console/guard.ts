// What every request must pass, in this order: a Host and an Origin of ours, no navigation that another site has started, a limit
// on attempts, a secret that is somebody's, and a body of the right type. Attempts with a token, a key or a password are counted before
// anything is compared. Cookies and links are compared first: nobody can guess them, and a visitor with a wrong one must not lock out
// those who have a right one. Browsers send a host's cookies to each of its ports, so a script of the page must also send
// what only the page has. Forwarding headers grant nothing.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { ConsoleAccess } from '../gateway/console-access/console-access.ts';
import { type ConsolePerson, OWNER_ID } from '../gateway/console-access/console-access.ts';
import { isSameSecret, type SecretAttempt, type SecretAttempts } from '../lib/secret-attempts.ts';
import type { Caller, Route } from './exchange.ts';
import { Problem } from './problem.ts';

export interface GuardOptions {
  access: Pick<ConsoleAccess, 'secrets'>;
  /** Of this start of the gateway: programs of the owner. */
  token: string;
  /** `127.0.0.1:4747`; the Host header must be one of them. */
  hosts(): readonly string[];
  /** `http://127.0.0.1:4747`; an Origin header must be one of them. */
  origins(): readonly string[];
  /** With the token. */
  attempts: SecretAttempts;
  keyAttempts: SecretAttempts;
  /** With cookies and links. */
  browserAttempts: SecretAttempts;
  passwordAttempts: SecretAttempts;
  cookieName(): string;
  /** Proxies whose X-Forwarded-For says which visitor an attempt is counted for. */
  proxies(): readonly string[];
}

/** The header with what the page has besides the cookie. */
export const PAGE_HEADER = 'x-lainclaw-page';

export interface Guard {
  /** Throws Problem. */
  checkPlace(request: IncomingMessage): void;
  /** Counts an attempt with a password, before it is looked at. Throws Problem (429). */
  countPassword(request: IncomingMessage): Promise<void>;
  /** Whom the link with this code signs in. Throws Problem (429). */
  link(request: IncomingMessage, code: string): Promise<ConsolePerson | undefined>;
  /** Undefined where anyone is admitted and nobody has signed in. Throws Problem. */
  caller(request: IncomingMessage, route: Pick<Route, 'admits' | 'isLoadedByBrowser'>): Promise<Caller | undefined>;
}

export function createGuard({
  access,
  token,
  hosts,
  origins,
  attempts,
  keyAttempts,
  browserAttempts,
  passwordAttempts,
  cookieName,
  proxies,
}: GuardOptions): Guard {
  const owner = { id: OWNER_ID, name: OWNER_ID, isOwner: true };

  async function found(request: IncomingMessage, route: Pick<Route, 'isLoadedByBrowser'>): Promise<Caller | undefined> {
    const bearer = bearerIn(request);
    if (bearer !== undefined)
      return limited(attempts, request, () => (isSameSecret(bearer, token) ? owner : undefined));
    const cookie = cookieIn(request.headers.cookie, cookieName());
    if (cookie === undefined) return undefined;
    const page = request.headers[PAGE_HEADER];
    const signedIn = (await access.secrets()).signedIn(cookie, typeof page === 'string' ? page : undefined);
    if (!signedIn) return countWrong(request);
    return signedIn.isPage || route.isLoadedByBrowser
      ? { ...signedIn.person, sessionId: signedIn.sessionId }
      : undefined;
  }

  async function countWrong(request: IncomingMessage): Promise<undefined> {
    checkLimit(await browserAttempts.attempt(addressOf(request), () => false));
  }

  /** The visitor whose attempts are counted together: of those that a proxy of the owner brings, the one it names last. */
  function addressOf({ socket, headers }: IncomingMessage): string {
    const remote = (socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
    if (!proxies().includes(remote)) return remote;
    const named = String(headers['x-forwarded-for'] ?? '').split(',');
    const visitor = named.map((each) => each.trim()).findLast((each) => !proxies().includes(each)) ?? '';
    return isIP(visitor) === 0 ? remote : visitor;
  }

  async function keyHolder(request: IncomingMessage): Promise<Caller> {
    const bearer = bearerIn(request);
    const secrets = bearer === undefined ? undefined : await access.secrets();
    const key = secrets && (await limited(keyAttempts, request, () => secrets.key(bearer ?? '')));
    if (!key)
      throw new Problem(401, 'INVALID_API_KEY', 'this key is not known, or was revoked: api-keys.create makes one');
    return { id: OWNER_ID, name: OWNER_ID, isOwner: true, key };
  }

  async function limited<T>(
    counted: SecretAttempts,
    request: IncomingMessage,
    compare: () => T | undefined,
  ): Promise<T | undefined> {
    let found: T | undefined;
    const attempt = await counted.attempt(addressOf(request), () => {
      found = compare();
      return found !== undefined;
    });
    checkLimit(attempt);
    return found;
  }

  function checkLimit(attempt: SecretAttempt): void {
    if (attempt.outcome !== 'limited') return;
    const seconds = attempt.retryAfterSeconds;
    throw new Problem(
      429,
      'TOO_MANY_ATTEMPTS',
      `too many wrong secrets came from this address: try again in ${seconds} s`,
    );
  }

  return {
    checkPlace({ headers, method }) {
      if (!hosts().includes((headers.host ?? '').toLowerCase()))
        throw new Problem(403, 'BAD_HOST', 'this Host is not one of the gateway', HOSTS_HINT);
      const { origin } = headers;
      if (origin !== undefined && !origins().includes(origin))
        throw new Problem(403, 'BAD_ORIGIN', 'this Origin is not one of the gateway', HOSTS_HINT);
      // A link on another page may open the console; nothing else of another site reaches it.
      const site = headers['sec-fetch-site'];
      const isNavigation = method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
      if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isNavigation)
        throw new Problem(403, 'BAD_ORIGIN', 'requests of other sites are refused');
    },

    async countPassword(request) {
      // Also a right one is counted as wrong, which time forgives: hashing takes too long to be part of the count.
      checkLimit(await passwordAttempts.attempt(addressOf(request), () => false));
    },

    link: async (request, code) => (await access.secrets()).link(code) ?? countWrong(request),

    async caller(request, route) {
      const { admits } = route;
      if (admits === 'key') return keyHolder(request);
      // A browser with a cookie that was revoked must be able to sign in again.
      if (admits === 'anyone') return found(request, route).catch(undefinedWhenLimited);
      const caller = await found(request, route);
      if (!caller)
        throw new Problem(401, 'UNAUTHORISED', 'you are not signed in', '"lainclaw up" opens a link that signs you in');
      if (admits === 'owner' && !caller.isOwner) throw new Problem(403, 'NOT_ALLOWED', 'this is for the owner');
      return caller;
    },
  };
}

function undefinedWhenLimited(error: unknown): undefined {
  if (!(error instanceof Problem) || error.status !== 429) throw error;
}

const HOSTS_HINT = 'behind a proxy, set its name: lainclaw gateway config set consoleOrigins=https://<name>';

/** Throws Problem (415) when a body is not what the route takes. */
export function checkType({ headers }: IncomingMessage, { body }: Pick<Route, 'body'>): void {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (body === 'json' && type !== 'application/json')
    throw new Problem(415, 'JSON_ONLY', 'accepted: content-type application/json');
  // Types that a form of another site can send are never taken.
  const ofForms = ['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'];
  if (body === 'bytes' && ofForms.includes(type))
    throw new Problem(415, 'BYTES_ONLY', 'accepted: content-type application/octet-stream');
}

function bearerIn({ headers }: IncomingMessage): string | undefined {
  return /^Bearer ([\w.~+/=-]{1,400})$/i.exec(headers.authorization ?? '')?.[1];
}

function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [key = '', value = ''] = part.trim().split('=', 2);
    if (key === name && /^[\w-]{20,100}$/.test(value)) return value;
  }
  return undefined;
}
