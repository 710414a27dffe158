// The HTTP side: tokens, the address of the long connection, and the routes of the message API. A request can be made to fail
// in each way in which a network or the platform fails.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { delay } from '../../support/delays.ts';
import type { ClientConfig } from './event-push.ts';
import type { ApiAnswer, FormFields, MessageStore } from './message-store.ts';

export type ApiFault =
  | { kind: 'rate-limited'; retryAfterMs: number; form?: 'status' | 'code' }
  /** The socket is closed before anything was done. */
  | { kind: 'unreachable' }
  /** It is done, and the answer never arrives. */
  | { kind: 'answer-lost' }
  | { kind: 'refused'; code: number; msg?: string; status?: number }
  | { kind: 'broken'; status: number }
  | { kind: 'slow'; ms: number };

export interface RecordedCall {
  method: string;
  path: string;
  authorization: string | undefined;
  body: Record<string, unknown>;
  status: number;
}

/** As many sends as the platform takes; without them all are taken. */
export interface SendLimits {
  perChatPerSecond?: number;
  perSecond?: number;
}

export interface HttpApiOptions {
  appId: string;
  appSecret: string;
  botOpenId: string;
  clientConfig: ClientConfig;
  tokenLifetimeSeconds: number;
  store: MessageStore;
  limits: SendLimits;
  now: () => number;
  /** A new connection's address; undefined while the service is away. */
  newAddress: () => string | undefined;
}

export type HttpApi = ReturnType<typeof createHttpApi>;

export function createHttpApi(options: HttpApiOptions) {
  const { appId, appSecret, botOpenId, clientConfig, tokenLifetimeSeconds, store, limits, now, newAddress } = options;
  const calls: RecordedCall[] = [];
  const faults: { matches: (call: RecordedCall) => boolean; fault: ApiFault }[] = [];
  const recentSends = new Map<string, number[]>();
  let tokens = new Set<string>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://fake');
    const raw = await readAll(request);
    const call: RecordedCall = {
      method: request.method ?? '',
      path: url.pathname,
      authorization: request.headers.authorization,
      body: parse(raw),
      status: 0,
    };
    await delay(500);
    calls.push(call);
    const index = faults.findIndex(({ matches }) => matches(call));
    const fault = index >= 0 ? faults.splice(index, 1)[0]?.fault : undefined;
    if (fault?.kind === 'unreachable') return void request.socket.destroy();
    if (fault?.kind === 'slow') await new Promise((resolve) => setTimeout(resolve, fault.ms));
    const form = await readForm(raw, request.headers['content-type'] ?? '');
    const answer = refusalOf(fault) ?? route(call, url.searchParams, raw.byteLength, form);
    if (fault?.kind === 'answer-lost') return void request.socket.destroy();
    await delay(500);
    call.status = answer.status;
    const isBytes = answer.body instanceof Uint8Array;
    response.writeHead(answer.status, {
      'content-type': 'application/json; charset=utf-8',
      ...answer.headers,
    });
    response.end(isBytes ? answer.body : JSON.stringify(answer.body));
  }

  function refusalOf(fault: ApiFault | undefined): ApiAnswer | undefined {
    if (fault?.kind === 'rate-limited') {
      const headers = { 'x-ogw-ratelimit-limit': '100', 'x-ogw-ratelimit-reset': String(fault.retryAfterMs / 1_000) };
      const body = { code: 99991400, msg: 'request trigger frequency limit' };
      return { status: fault.form === 'code' ? 400 : 429, body, headers };
    }
    if (fault?.kind === 'refused')
      return { status: fault.status ?? 400, body: { code: fault.code, msg: fault.msg ?? 'refused' } };
    if (fault?.kind === 'broken')
      return {
        status: fault.status,
        body: Buffer.from('<html>gateway error</html>'),
        headers: { 'content-type': 'text/html' },
      };
    return undefined;
  }

  function route(call: RecordedCall, query: URLSearchParams, bytes: number, form: FormFields): ApiAnswer {
    const { method, path, body } = call;
    if (method === 'POST' && path === '/callback/ws/endpoint') return address(body);
    if (method === 'POST' && path === '/open-apis/auth/v3/tenant_access_token/internal') return token(body);
    const bearer = /^Bearer (.+)$/.exec(call.authorization ?? '')?.[1];
    if (bearer === undefined) return refuse(99991661, 'Missing access token for authorization.');
    if (!tokens.has(bearer)) return refuse(99991663, 'Invalid access token for authorization.');
    const limited = isSend(call) ? overLimit(call) : undefined;
    if (limited) return limited;
    const [, rest = ''] = path.split('/open-apis/');
    const steps = rest.split('/').map(decodeURIComponent);
    const [, , collection, id = '', part, last = ''] = steps;
    const route = `${method} ${collection}${id === '' ? '' : '/:id'}${part === undefined ? '' : `/${part}`}`;
    if (rest === 'bot/v3/info')
      return { status: 200, body: { code: 0, msg: 'ok', bot: { open_id: botOpenId, app_name: 'Lainclaw' } } };
    switch (route) {
      case 'POST messages':
        return store.create(query, body, bytes);
      case 'POST messages/:id/reply':
        return store.reply(id, body, bytes);
      case 'POST images':
        return store.upload(form);
      case 'GET messages/:id':
        return store.look(id);
      case 'PATCH messages/:id':
        return store.patch(id, body, bytes);
      case 'POST messages/:id/reactions':
        return store.react(id, body);
      case 'DELETE messages/:id/reactions':
        return store.unreact(id, last);
      case 'GET messages/:id/resources':
        return store.resource(id, last, query.get('type'));
      case 'GET chats/:id':
        return store.chat(id);
      default:
        store.violations.push(`there is no ${method} ${path}`);
        return { status: 404, body: { code: 404, msg: '404 page not found' } };
    }
  }

  /** Within the last second: a chat has its own code, the app as a whole says when to come back. */
  function overLimit({ path, body }: RecordedCall): ApiAnswer | undefined {
    const replied = /messages\/([^/]+)\/reply$/.exec(path)?.[1];
    const chatId = replied ? store.messages.get(replied)?.chatId : body.receive_id;
    const ofChat = within(`chat ${chatId}`);
    const ofApp = within('app');
    if (ofApp.length >= (limits.perSecond ?? Number.POSITIVE_INFINITY))
      return refusalOf({ kind: 'rate-limited', retryAfterMs: 1_000 });
    if (ofChat.length >= (limits.perChatPerSecond ?? Number.POSITIVE_INFINITY))
      return refuse(230020, 'This operation triggers the frequency limit.');
    ofApp.push(now());
    ofChat.push(now());
    return undefined;
  }

  function within(name: string): number[] {
    const recent = (recentSends.get(name) ?? []).filter((at) => now() - at < 1_000);
    recentSends.set(name, recent);
    return recent;
  }

  function address(body: Record<string, unknown>): ApiAnswer {
    if (body.AppID !== appId || body.AppSecret !== appSecret)
      return { status: 200, body: { code: 514, msg: 'auth failed' } };
    const URL = newAddress();
    if (URL === undefined) return { status: 503, body: Buffer.from('away'), headers: { 'content-type': 'text/plain' } };
    return { status: 200, body: { code: 0, msg: '', data: { URL, ClientConfig: clientConfig } } };
  }

  function token(body: Record<string, unknown>): ApiAnswer {
    if (body.app_id !== appId) return { status: 400, body: { code: 10003, msg: 'invalid param' } };
    if (body.app_secret !== appSecret) return { status: 400, body: { code: 10014, msg: 'app secret invalid' } };
    const value = `t-${randomBytes(16).toString('hex')}`;
    tokens.add(value);
    const answer = { code: 0, msg: 'ok', tenant_access_token: value, expire: tokenLifetimeSeconds };
    return { status: 200, body: answer };
  }

  return {
    calls,
    handle,
    /** The next call that matches meets the fault. */
    failNext(fault: ApiFault, matches: (call: RecordedCall) => boolean = isSend) {
      faults.push({ fault, matches });
    },
    invalidateTokens() {
      tokens = new Set();
    },
    get tokens(): readonly string[] {
      return [...tokens];
    },
  };
}

export function isSend({ method, path }: RecordedCall): boolean {
  return method === 'POST' && /^\/open-apis\/im\/v1\/messages(\/[^/]+\/reply)?$/.test(path);
}

function refuse(code: number, msg: string): ApiAnswer {
  return { status: 400, body: { code, msg } };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Empty when the request is not a form. */
async function readForm(raw: Buffer, type: string): Promise<FormFields> {
  if (!type.startsWith('multipart/form-data')) return {};
  const form = await new Response(new Uint8Array(raw), { headers: { 'content-type': type } }).formData();
  const entries = [...form].map(async ([name, value]) =>
    typeof value === 'string' ? [name, value] : [name, new Uint8Array(await value.arrayBuffer())],
  );
  return Object.fromEntries(await Promise.all(entries));
}

function parse(raw: Buffer): Record<string, unknown> {
  try {
    return (JSON.parse(raw.toString('utf8')) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
