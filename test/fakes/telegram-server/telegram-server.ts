// The other side of the Telegram channel: a Bot API server on this machine. It holds chats in which people write, keeps
// updates until they are confirmed, refuses what the real one refuses (and what it would silently ignore), and can be
// told to fail in the ways of networks.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { CallbackQuery, UserFromGetMe } from 'grammy/types';
import { delay } from '../../support/delays.ts';
import { ApiFailure } from './api-failure.ts';
import { type BotMessage, createChats, type FakeChat, type RateLimit } from './chats.ts';
import { runMethod, type StoredFile } from './methods.ts';
import { checkParameters, isSupported, type Payload, UploadedFile, valuesOfForm } from './parameters.ts';
import { createPeople } from './people.ts';
import { createUpdateQueue } from './update-queue.ts';

export interface TelegramServerOptions {
  token?: string;
  username?: string;
  /** How much may be sent to one chat; Telegram's own is about one message a second. Absent: as much as one likes. */
  rate?: RateLimit;
  mostFileBytes?: number;
  firstUpdateId?: number;
}

/** What happens to a request. */
export type Fault =
  | { kind: 'error'; code: number; description: string; retryAfter?: number }
  | { kind: 'bad-gateway' }
  /** The connection breaks before the request is looked at. */
  | { kind: 'drop' }
  /** It is done, but its answer never arrives. */
  | { kind: 'answer-lost' }
  /** Nothing ever comes, and the connection stays open. */
  | { kind: 'hang' }
  | { kind: 'delay'; ms: number };

export interface RecordedCall {
  method: string;
  payload: Payload;
  /** Undefined while it is not answered. */
  status?: number;
  description?: string;
}

const TOKEN = '123456789:AAFakeTokenForTheFakeServer_000000';
const MOST_FILE_BYTES = 20 * 1024 * 1024;

export async function startTelegramServer(options: TelegramServerOptions = {}) {
  const {
    token = TOKEN,
    username = 'lain_test_bot',
    mostFileBytes = MOST_FILE_BYTES,
    firstUpdateId = 500_000,
  } = options;
  const now = (): number => Date.now();
  const bot = describeBot(Number(token.split(':')[0]), username);
  const chats = createChats({ rate: options.rate, now });
  const queue = createUpdateQueue(firstUpdateId);
  const files = new Map<string, StoredFile>();
  const presses = new Map<string, { query: CallbackQuery; isAnswered: boolean }>();
  const actions: { chatId: number; threadId?: number; action: string }[] = [];
  const calls: RecordedCall[] = [];
  const violations: string[] = [];
  const faults: { method: string; fault: Fault }[] = [];
  const sockets = new Set<Socket>();
  let mode: 'up' | 'cut' | 'frozen' = 'up';
  const isFrozen = (): boolean => mode === 'frozen';

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isFrozen()) return;
    const path = decodeURIComponent((request.url ?? '').replace(/\?.*$/, ''));
    const file = /^\/file\/bot([^/]+)\/(.+)$/.exec(path);
    if (file) return serveFile(response, file[1] ?? '', file[2] ?? '');
    const [, given, name = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
    const payload = await readPayload(request, name);
    if (payload === undefined) return;
    const call: RecordedCall = { method: name, payload };
    await delay(500);
    calls.push(call);
    const at = faults.findIndex(({ method }) => method === name);
    const fault = at < 0 ? undefined : faults.splice(at, 1)[0]?.fault;
    if (fault?.kind === 'drop') return void request.socket.destroy();
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'bad-gateway') {
      call.status = 502;
      return void response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>');
    }
    if (fault?.kind === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms));
    const answer = await answerOf(given ?? '', name, payload, fault, response);
    call.status = answer.status;
    call.description = answer.body.description as string | undefined;
    if (fault?.kind === 'answer-lost') return void request.socket.destroy();
    await delay(500);
    if (isFrozen()) return;
    const text = JSON.stringify(answer.body);
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  }

  async function answerOf(
    given: string,
    method: string,
    payload: Payload,
    fault: Fault | undefined,
    response: ServerResponse,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    try {
      if (given !== token) throw wrongToken(given);
      if (!isSupported(method)) throw asViolation(new ApiFailure(404, 'Not Found: method not found'));
      checkParameters(method, payload);
      if (fault?.kind === 'error')
        throw new ApiFailure(fault.code, fault.description, { retry_after: fault.retryAfter });
      const onGone = (forget: () => void): void => void response.once('close', forget);
      const tools = { bot, chats, queue, files, mostFileBytes, presses, actions, now, onGone };
      return { status: 200, body: { ok: true, result: await runMethod(method, payload, tools) } };
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      if (error.isViolation) violations.push(`${method}: ${error.message}`);
      const { code, message: description, parameters } = error;
      return {
        status: code,
        body: { ok: false, error_code: code, description, ...(parameters ? { parameters } : {}) },
      };
    }
  }

  function serveFile(response: ServerResponse, given: string, path: string): void {
    const file = [...files.values()].find((each) => each.path === path);
    if (given !== token || !file) response.writeHead(404).end('Not Found');
    else response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(file.content);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      violations.push(`the fake Telegram server failed: ${String(error)}`);
      response.destroy();
    });
  });
  server.on('connection', (socket) => {
    if (mode === 'cut') return socket.destroy();
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    /** What bots take as `apiRoot`. */
    url: `http://127.0.0.1:${port}`,
    token,
    bot,
    calls,
    /** What can only be a mistake in the bot's code. */
    violations,
    /** Signs of working that were shown. */
    actions,
    ...createPeople({ chats, queue, files, presses, bot, now }),
    addChat(chat: FakeChat): void {
      chats.add(chat);
    },
    /** What the bot has written into a chat, as it is shown now. */
    messages: (chatId: number): BotMessage[] => [...(chats.get(chatId)?.bot ?? [])],
    allMessages: (): BotMessage[] => chats.all().flatMap((chat) => chat.bot),
    isAnswered: (pressId: string): boolean => presses.get(pressId)?.isAnswered ?? false,
    /** The person blocks the bot, or a group throws it out. */
    block(chatId: number, isBlocked = true): void {
      chats.add({ id: chatId, kind: chatId > 0 ? 'private' : 'group' }).isBlocked = isBlocked;
    },
    /** A group becomes a supergroup, under another id. */
    migrate(chatId: number, to: number): void {
      chats.find(chatId).movedTo = to;
      chats.add({ id: to, kind: 'supergroup' });
    },
    /** The next request for this method meets the fault. */
    fail(method: string, fault: Fault): void {
      faults.push({ method, fault });
    },
    /** Not confirmed by the bot. */
    get waiting(): number {
      return queue.waiting;
    },
    repeat: queue.repeat,
    reorder: queue.reorder,
    holdBack: queue.holdBack,
    renumber: queue.renumber,
    /** Every connection breaks, and none can be opened. */
    cut(): void {
      mode = 'cut';
      for (const socket of sockets) socket.destroy();
    },
    /** Connections stay open and nothing comes over them any more. */
    freeze(): void {
      mode = 'frozen';
      for (const socket of sockets) socket.pause();
    },
    restore(): void {
      mode = 'up';
      for (const socket of sockets) socket.destroy();
    },
    close(): Promise<void> {
      queue.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

export type TelegramServer = Awaited<ReturnType<typeof startTelegramServer>>;

function wrongToken(given: string): ApiFailure {
  return /^\d+:[\w-]{30,}$/.test(given) ? new ApiFailure(401, 'Unauthorized') : new ApiFailure(404, 'Not Found');
}

function asViolation(failure: ApiFailure): ApiFailure {
  failure.isViolation = true;
  return failure;
}

/** Undefined: the client left before it had sent everything. */
async function readPayload(request: IncomingMessage, method: string): Promise<Payload | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    return undefined;
  }
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) return valuesOfForm(method, await readForm(Buffer.concat(chunks), type));
  const text = Buffer.concat(chunks).toString('utf8');
  if (text === '') return {};
  return JSON.parse(text) as Payload;
}

async function readForm(body: Buffer, type: string): Promise<Payload> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  const entries = [...form].map(async ([name, value]) => {
    if (typeof value === 'string') return [name, value];
    return [name, new UploadedFile(value.name, new Uint8Array(await value.arrayBuffer()))];
  });
  return Object.fromEntries(await Promise.all(entries));
}

function describeBot(id: number, username: string): UserFromGetMe {
  return {
    id,
    is_bot: true,
    first_name: 'Lain',
    username,
    can_join_groups: true,
    can_read_all_group_messages: false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: false,
    allows_users_to_create_topics: false,
    can_manage_bots: false,
    supports_join_request_queries: false,
  };
}
