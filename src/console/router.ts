// Finds the route of a request and has it pass the guard before its handler sees anything. Every answer carries the headers that keep a
// browser from doing more than the page needs.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange, Route } from './exchange.ts';
import { checkType, type Guard } from './guard.ts';
import { ApiError, apiErrorOf, sendApiError } from './openai/api-error.ts';
import { Problem, problemOf } from './problem.ts';

export interface RouterOptions {
  routes: readonly Route[];
  guard: Guard;
  basePath(): string;
  onDefect(error: unknown): void;
}

/** Of the gateway's own control API, which has the same server. */
const CONTROL_PATHS = /^\/(health|ready|status|metrics|send|wake|mcp|channels|dead-letters)(\/|$)/;

const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // Of the page's worker, and of what makes Markdown safe.
  'trusted-types lainclaw dompurify',
].join('; ');

const HEADERS: Record<string, string> = {
  'content-security-policy': CONTENT_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** False: the path belongs to the control API. */
export type HandleRequest = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

export function createRouter({ routes, guard, basePath, onDefect }: RouterOptions): HandleRequest {
  const compiled = routes.map((route) => ({ route, pattern: patternOf(route.path) }));

  function find(method: string, path: string): { route: Route; params: Record<string, string> } {
    let isKnown = false;
    for (const { route, pattern } of compiled) {
      const match = pattern.exec(path);
      if (!match) continue;
      if (route.method === method || (method === 'HEAD' && route.method === 'GET'))
        return { route, params: decoded(match.groups ?? {}) };
      isKnown ||= !route.path.endsWith('*');
    }
    if (isKnown) throw new Problem(405, 'METHOD_NOT_ALLOWED', `${path} does not take ${method}`);
    throw new Problem(404, 'NOT_FOUND', 'there is nothing here');
  }

  async function serve(request: IncomingMessage, response: ServerResponse, path: string, url: URL): Promise<void> {
    guard.checkPlace(request);
    const { route, params } = find(request.method ?? 'GET', path);
    const caller = await guard.caller(request, route);
    checkType(request, route);
    const gone = new AbortController();
    // After a whole answer nobody waits for it any more.
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    const exchange: Exchange = { request, response, url, params, caller, signal: gone.signal };
    await route.handle(exchange);
  }

  return async (request, response) => {
    const url = parsedUrl(request.url);
    const base = basePath();
    const full = url?.pathname ?? '';
    const isBelow = base !== '' && (full === base || full.startsWith(`${base}/`));
    const path = (isBelow ? full.slice(base.length) : full) || '/';
    if (!url || (!isBelow && CONTROL_PATHS.test(path))) return false;
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    try {
      await serve(request, response, path, url);
    } catch (error) {
      if (path.startsWith('/v1/')) refuseApi(response, error);
      else refuse(request, response, error);
    }
    return true;
  };

  function refuseApi(response: ServerResponse, error: unknown): void {
    if (response.destroyed || response.headersSent) return void response.destroy();
    const told = apiErrorOf(error);
    if (!told) onDefect(error);
    sendApiError(response, told ?? new ApiError(500, 'internal', 'the gateway failed to do this: its log tells why'));
  }

  function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (response.destroyed) return;
    let problem = problemOf(error);
    if (!problem) {
      onDefect(error);
      problem = new Problem(500, 'INTERNAL', 'the gateway failed to do this: its log tells why');
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const body = Buffer.from(JSON.stringify(problem.body()));
    // What was not read of the body would be taken for the next request.
    if (!request.complete) response.setHeader('connection', 'close');
    response.writeHead(problem.status, {
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': body.length,
      'cache-control': 'no-store',
      ...(problem.status === 429 && { 'retry-after': '60' }),
    });
    response.end(body);
  }
}

function parsedUrl(address: string | undefined): URL | undefined {
  // An address with two slashes in front would be read as a host.
  return address?.startsWith('/') && !address.startsWith('//') && URL.canParse(address, 'http://host')
    ? new URL(address, 'http://host')
    : undefined;
}

function patternOf(path: string): RegExp {
  const source = path
    .split('/')
    .map((part) => (part === '*' ? '(?<rest>.+)' : part.startsWith(':') ? `(?<${part.slice(1)}>[^/]+)` : part))
    .join('/');
  return new RegExp(`^${source}$`);
}

function decoded(groups: Record<string, string | undefined>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, value = ''] of Object.entries(groups)) {
    try {
      params[name === 'rest' ? '*' : name] = decodeURIComponent(value);
    } catch {
      throw new Problem(400, 'BAD_PATH', 'the path is not well encoded');
    }
  }
  return params;
}
