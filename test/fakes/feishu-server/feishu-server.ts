// The other side of the Feishu channel: an open platform on this machine. People write and press buttons, events reach the bot
// over the long connection (or are handed out signed, for a webhook), the bot's messages are checked and kept.
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { type ClientConfig, createEventPush, type EventPush } from './event-push.ts';
import { createHttpApi, type HttpApi, type SendLimits } from './http-api.ts';
import { createMessageStore, type MessageStore, type StoredMessage } from './message-store.ts';
import { type SignedRequest, seal, sign } from './webhook-delivery.ts';

export interface FeishuServerOptions {
  clientConfig?: Partial<ClientConfig>;
  fragmentBytes?: number;
  ackTimeoutMs?: number;
  tokenLifetimeSeconds?: number;
  now?: () => number;
  /** Events are only handed out for a webhook, never pushed. */
  isWebhookOnly?: boolean;
  limits?: SendLimits;
}

export interface Said {
  chatId: string;
  senderId: string;
  text?: string;
  /** Instead of a text: any kind of message, with its content. */
  raw?: { type: string; content: object };
  mentionsBot?: boolean;
  mentionsOther?: string;
  replyTo?: string;
  threadId?: string;
  rootId?: string;
  senderType?: string;
  file?: { kind: 'image' | 'file'; name: string; content: Uint8Array };
  /** Alone: the platform has no text beside it. */
  voice?: { content: Uint8Array; durationMs: number };
}

export interface FeishuServer {
  readonly url: string;
  readonly appId: string;
  readonly appSecret: string;
  readonly encryptKey: string;
  readonly verificationToken: string;
  readonly botOpenId: string;
  readonly push: EventPush;
  readonly api: HttpApi;
  readonly store: MessageStore;
  /** Everything the real platform would have refused. */
  readonly violations: string[];
  addChat(chatId: string, kind: 'p2p' | 'group', personId?: string): void;
  say(said: Said): { messageId: string; eventId: string };
  press(press: { chatId: string; messageId: string; value: string; senderId: string }): { eventId: string };
  /** The bot's messages in a chat, oldest first. */
  sent(chatId: string): StoredMessage[];
  /** An event as a webhook gets it; signed now, or at another time. */
  webhookRequest(eventId: string, at?: number): SignedRequest;
  disconnect(): void;
  restore(): void;
  close(): Promise<void>;
}

const SERVICE_ID = 33_554_678;

export async function startFeishuServer(options: FeishuServerOptions = {}): Promise<FeishuServer> {
  const { fragmentBytes = 16 * 1024, ackTimeoutMs = 15_000, tokenLifetimeSeconds = 7_200, now = Date.now } = options;
  const clientConfig: ClientConfig = {
    ReconnectCount: -1,
    ReconnectInterval: 120,
    ReconnectNonce: 30,
    PingInterval: 120,
    ...options.clientConfig,
  };
  const appId = `cli_${randomBytes(8).toString('hex')}`;
  const appSecret = randomBytes(16).toString('hex');
  const encryptKey = randomBytes(16).toString('hex');
  const verificationToken = randomBytes(16).toString('hex');
  const botOpenId = `ou_${randomBytes(16).toString('hex')}`;
  const chats = new Map<string, 'p2p' | 'group'>();
  const directChats = new Map<string, string>();
  const tickets = new Set<string>();
  const payloads = new Map<string, object>();
  let isAway = false;

  const store = createMessageStore({ now, chats, directChats });
  const push = createEventPush({ clientConfig, fragmentBytes, ackTimeoutMs });
  const api = createHttpApi({
    appId,
    appSecret,
    botOpenId,
    clientConfig,
    tokenLifetimeSeconds,
    store,
    limits: options.limits ?? {},
    now,
    newAddress() {
      if (isAway) return undefined;
      const ticket = randomUUID();
      tickets.add(ticket);
      return `ws://127.0.0.1:${port}/ws/v2?fpid=493&aid=552564&device_id=7&access_key=k&service_id=${SERVICE_ID}&ticket=${ticket}`;
    },
  });

  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer((request, response) => {
    api.handle(request, response).catch((error: unknown) => {
      store.violations.push(`the fake failed: ${String(error)}`);
      response.destroy();
    });
  });
  server.on('upgrade', (request, socket, head) => {
    const ticket = new URL(request.url ?? '/', 'http://fake').searchParams.get('ticket') ?? '';
    if (isAway || !tickets.delete(ticket)) return void socket.destroy();
    sockets.handleUpgrade(request, socket, head, (accepted) => push.accept(accepted, SERVICE_ID));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  function emit(type: string, createTime: string, event: object): string {
    const eventId = randomUUID().replaceAll('-', '');
    const header = {
      event_id: eventId,
      event_type: type,
      create_time: createTime,
      token: verificationToken,
      app_id: appId,
      tenant_key: 'tenant',
    };
    const payload = { schema: '2.0', header, event };
    payloads.set(eventId, payload);
    if (!options.isWebhookOnly) push.add(eventId, type, payload);
    return eventId;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    appId,
    appSecret,
    encryptKey,
    verificationToken,
    botOpenId,
    push,
    api,
    store,
    get violations() {
      return [...store.violations, ...push.violations];
    },
    addChat(chatId, kind, personId) {
      chats.set(chatId, kind);
      if (personId !== undefined) directChats.set(personId, chatId);
    },
    say(said) {
      const message = store.add({
        chatId: said.chatId,
        from: 'person',
        replyTo: said.replyTo,
        threadId: said.threadId,
      });
      const mentions = mentionsOf(said, botOpenId);
      const { type, content } = said.raw ?? contentOf(said, message);
      const eventId = emit('im.message.receive_v1', String(message.createTime), {
        sender: {
          sender_id: { open_id: said.senderId, union_id: `on_${said.senderId}`, user_id: null },
          sender_type: said.senderType ?? 'user',
          tenant_key: 'tenant',
        },
        message: {
          message_id: message.messageId,
          root_id: said.rootId ?? said.replyTo,
          parent_id: said.replyTo,
          thread_id: said.threadId,
          create_time: String(message.createTime),
          chat_id: said.chatId,
          chat_type: chats.get(said.chatId) ?? 'p2p',
          message_type: type,
          content: JSON.stringify(content),
          mentions: mentions.length > 0 ? mentions : undefined,
        },
      });
      return { messageId: message.messageId, eventId };
    },
    press({ chatId, messageId, value, senderId }) {
      const buttons = store.messages.get(messageId)?.seen.buttons ?? [];
      const button = buttons.find((candidate) => (candidate.value as { value?: unknown }).value === value);
      if (!button) throw new Error(`message ${messageId} has no button ${value}`);
      // Presses tell microseconds.
      const eventId = emit('card.action.trigger', `${now()}000`, {
        operator: { tenant_key: 'tenant', user_id: null, open_id: senderId, union_id: `on_${senderId}` },
        token: `c-${randomUUID()}`,
        action: { value: button.value, tag: 'button', timezone: 'Asia/Shanghai' },
        host: 'im_message',
        context: { open_message_id: messageId, open_chat_id: chatId },
      });
      return { eventId };
    },
    sent: (chatId) => [...store.messages.values()].filter((each) => each.chatId === chatId && each.from === 'bot'),
    webhookRequest(eventId, at = now()) {
      return sign(seal(payloads.get(eventId) ?? {}, encryptKey), encryptKey, at);
    },
    disconnect() {
      isAway = true;
      push.disconnect();
    },
    restore() {
      isAway = false;
    },
    close() {
      push.close();
      sockets.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function mentionsOf({ mentionsBot, mentionsOther }: Said, botOpenId: string): object[] {
  const named = [
    ...(mentionsBot ? [{ name: 'Lainclaw', id: botOpenId }] : []),
    ...(mentionsOther === undefined ? [] : [{ name: mentionsOther, id: 'ou_other' }]),
  ];
  return named.map(({ name, id }, index) => ({
    key: `@_user_${index + 1}`,
    id: { open_id: id, union_id: `on_${id}`, user_id: null },
    name,
    tenant_key: 'tenant',
  }));
}

function contentOf(said: Said, message: StoredMessage): { type: string; content: object } {
  const { file, voice, text = '' } = said;
  if (voice) {
    const fileKey = `file_v3_${randomUUID()}`;
    message.files.set(fileKey, { type: 'file', name: `${fileKey}.opus`, content: voice.content });
    return { type: 'audio', content: { file_key: fileKey, duration: voice.durationMs } };
  }
  const keys = mentionsOf(said, '').map((_, index) => `@_user_${index + 1} `);
  if (!file) return { type: 'text', content: { text: keys.join('') + text } };
  const key = `${file.kind === 'image' ? 'img' : 'file'}_v3_${randomUUID()}`;
  message.files.set(key, { type: file.kind, name: file.name, content: file.content });
  if (text === '')
    return file.kind === 'image'
      ? { type: 'image', content: { image_key: key } }
      : { type: 'file', content: { file_key: key, file_name: file.name } };
  // A text beside a file is a post; only pictures and videos can be in one.
  const element =
    file.kind === 'image' ? { tag: 'img', image_key: key } : { tag: 'media', file_key: key, file_name: file.name };
  return { type: 'post', content: { title: '', content: [[{ tag: 'text', text: keys.join('') + text }], [element]] } };
}
