// Feishu, and Lark, which is the same platform elsewhere: messages arrive over the SDK's long connection or by webhook, and
// leave as cards. Only what was stored is acknowledged: the handler of an event resolves after `receive` has.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Channel,
  ChannelError,
  type ChannelStatus,
  type IncomingFile,
  type IncomingMessage,
  type OutgoingMessage,
  type Receive,
  type SentMessage,
} from '../channel.ts';
import { createFeishuApi, type FeishuApi } from './api.ts';
import { cardOf, plainCardOf } from './card.ts';
import type { FileReference } from './content.ts';
import {
  buttonValueOf,
  MESSAGE_EVENT,
  type MessageEvent,
  messageOf,
  PRESS_EVENT,
  type PressEvent,
  pressOf,
} from './events.ts';
import { PlatformRefusal } from './failures.ts';
import { createHttpClient } from './http.ts';
import { createLongConnection, DEFAULT_TIMINGS, type LongConnectionTimings } from './long-connection.ts';
import { platformAddress } from './platform-address.ts';
import { splitMarkdown } from './split.ts';
import { createTopics } from './topics.ts';
import { openWebhook } from './webhook.ts';
import { createWorkingSigns } from './working-signs.ts';

export interface FeishuChannelOptions {
  account: string;
  appId: string;
  appSecret: string;
  /** `feishu` (the default), `lark`, or an address. */
  domain?: string;
  mode: 'websocket' | 'webhook';
  /** Webhook mode only: the key is needed, the token is checked when given. */
  encryptKey?: string;
  verificationToken?: string;
  now: () => number;
  random?: () => number;
  timings?: Partial<LongConnectionTimings>;
}

const MAX_REMEMBERED_CHATS = 10_000;
/** A press must be answered within three seconds. */
const CHAT_LOOKUP_MS = 1_500;
const DOWNLOAD_TIMEOUT_MS = 120_000;
const UPLOAD_TIMEOUT_MS = 60_000;
const RECEIVED_TOAST = {
  toast: { type: 'success', content: 'Received', i18n: { zh_cn: '已收到', en_us: 'Received', ru_ru: 'Принято' } },
};

export function createFeishuChannel(options: FeishuChannelOptions): Channel {
  const { account, appId, appSecret, mode, encryptKey, verificationToken, now, random = Math.random } = options;
  const baseUrl = platformAddress(options.domain);
  const http = createHttpClient(baseUrl);
  const api = createFeishuApi({ appId, appSecret, baseUrl, http, now });
  const signs = createWorkingSigns(api);
  const topics = createTopics(api);
  const chatKinds = new Map<string, IncomingMessage['chatKind']>();
  let receive: Receive | undefined;
  let botOpenId: Promise<string | undefined> = Promise.resolve(undefined);
  let webhookStatus: ChannelStatus = { state: 'connecting', since: now(), reconnects: 0 };

  const handlers: Record<string, (event: never) => Promise<unknown>> = {
    [MESSAGE_EVENT]: takeMessage,
    [PRESS_EVENT]: takePress,
  };
  const timings = { ...DEFAULT_TIMINGS, ...options.timings };
  const connection =
    mode === 'websocket'
      ? createLongConnection({ appId, appSecret, baseUrl, http, handlers, now, random, timings })
      : undefined;

  async function takeMessage(event: MessageEvent): Promise<void> {
    // Who we are matters only where somebody is mentioned.
    const message = messageOf(event, event.message?.mentions?.length ? await botOpenId : undefined);
    if (!message) return;
    remember(message.chatId, message.chatKind);
    if (message.threadId !== undefined) topics.seen(message.chatId, message.threadId);
    await receive?.(message);
  }

  async function takePress(event: PressEvent): Promise<object | undefined> {
    const chatId = event.context?.open_chat_id ?? '';
    const kind = chatKinds.get(chatId) ?? buttonValueOf(event)?.chatKind ?? (await lookUpChatKind(chatId));
    const press = pressOf(event, kind, now());
    if (!press) return undefined;
    await receive?.(press);
    return RECEIVED_TOAST;
  }

  /** Unknown counts as a group: there less is allowed. */
  async function lookUpChatKind(chatId: string): Promise<IncomingMessage['chatKind']> {
    try {
      const path = `im/v1/chats/${encodeURIComponent(chatId)}`;
      const signal = AbortSignal.timeout(CHAT_LOOKUP_MS);
      const { chat_mode } = await api.call({ method: 'GET', path, doing: 'looking up a chat' }, signal);
      const kind = chat_mode === 'p2p' ? 'direct' : 'group';
      remember(chatId, kind);
      return kind;
    } catch {
      return 'group';
    }
  }

  function remember(chatId: string, kind: IncomingMessage['chatKind']): void {
    chatKinds.delete(chatId);
    chatKinds.set(chatId, kind);
    if (chatKinds.size > MAX_REMEMBERED_CHATS) chatKinds.delete(chatKinds.keys().next().value as string);
  }

  async function post(
    message: Pick<OutgoingMessage, 'key' | 'chatId' | 'threadId' | 'replyTo'>,
    written: { msg_type: 'interactive' | 'image'; content: string },
    signal: AbortSignal,
  ): Promise<SentMessage> {
    // What is answered may have been taken back: its topic is still there.
    const targets = [isMessageId(message.replyTo) ? message.replyTo : undefined, message.threadId];
    const body = { ...written, uuid: message.key };
    const doing = 'sending a message';
    const send = async (call: Parameters<FeishuApi['call']>[0]) => {
      const data = await api.call(call, signal);
      return { chatId: String(data.chat_id ?? message.chatId), messageId: String(data.message_id) };
    };
    for (const target of targets) {
      if (target === undefined) continue;
      try {
        if (target !== message.replyTo && !(await topics.isOf(message.chatId, target, signal)))
          throw new ChannelError('rejected', `${doing}: ${target} is not a topic of ${message.chatId}`);
        return await send({
          method: 'POST',
          path: `im/v1/messages/${encodeURIComponent(target)}/reply`,
          body: { ...body, ...(message.threadId === undefined ? {} : { reply_in_thread: true }) },
          doing,
        });
      } catch (error) {
        if (!(error instanceof PlatformRefusal && error.isTargetGone)) throw error;
      }
    }
    return send({
      method: 'POST',
      path: 'im/v1/messages',
      query: { receive_id_type: idTypeOf(message.chatId) },
      body: { receive_id: message.chatId, ...body },
      doing,
    });
  }

  return {
    name: 'feishu',
    account,
    isIdempotent: true,
    hasButtons: true,

    async connect(receiver, signal) {
      checkOptions(options);
      receive = receiver;
      const identity = whoAmI(api, signal, random, timings, (message) => connection?.noteError(message));
      botOpenId = identity.catch(() => undefined);
      try {
        await Promise.all([identity, connection?.open(signal)]);
      } catch (error) {
        await connection?.close();
        throw error;
      }
      webhookStatus = { ...webhookStatus, state: 'connected', since: now() };
    },

    split: (markdown) => splitMarkdown(markdown),

    async send(message, signal) {
      const place = { chatKind: chatKinds.get(message.chatId), threadId: message.threadId };
      const postCard = (content: string) => post(message, { msg_type: 'interactive', content }, signal);
      const sent = await postCard(cardOf(message, place)).catch((error: unknown) => {
        if (error instanceof PlatformRefusal && error.isCardRefused) return postCard(plainCardOf(message, place));
        throw error;
      });
      if (message.replyTo !== undefined) signs.answered(message.replyTo);
      return sent;
    },

    async sendPicture({ mediaType, bytes, ...message }, signal) {
      const name = `picture.${mediaType.slice('image/'.length)}`;
      const form = { fields: { image_type: 'message' }, file: { field: 'image', name, mediaType, bytes } };
      const doing = 'uploading a picture';
      // Each attempt uploads it again: without its message, what was uploaded before is seen by nobody.
      const uploaded = await api.call(
        { method: 'POST', path: 'im/v1/images', form, doing, timeoutMs: UPLOAD_TIMEOUT_MS },
        signal,
      );
      const content = JSON.stringify({ image_key: uploaded.image_key });
      return post(message, { msg_type: 'image', content }, signal);
    },

    async edit(sent, content, signal) {
      const place = { chatKind: chatKinds.get(sent.chatId) };
      const path = `im/v1/messages/${encodeURIComponent(sent.messageId)}`;
      const patch = (card: string) =>
        api.call({ method: 'PATCH', path, body: { content: card }, doing: 'changing a message' }, signal);
      await patch(cardOf(content, place)).catch((error: unknown) => {
        if (error instanceof PlatformRefusal && error.isCardRefused) return patch(plainCardOf(content, place));
        throw error;
      });
    },

    async showWorking({ replyTo }, signal) {
      if (isMessageId(replyTo)) await signs.show(replyTo, signal);
    },

    async download(file, maxBytes, signal) {
      const { messageId, key, type } = referenceOf(file);
      const path = `im/v1/messages/${encodeURIComponent(messageId)}/resources/${encodeURIComponent(key)}`;
      const doing = `downloading ${file.name}`;
      return api.bytes(
        { method: 'GET', path, query: { type }, doing, timeoutMs: DOWNLOAD_TIMEOUT_MS },
        maxBytes,
        signal,
      );
    },

    ...(mode === 'webhook' ? { webhook: answerWebhook } : {}),

    status: () => connection?.status() ?? webhookStatus,

    async close() {
      await signs.close();
      await connection?.close();
      webhookStatus = { ...webhookStatus, state: 'closed', since: now() };
      receive = undefined;
      http.close();
    },
  };

  async function answerWebhook(request: Request): Promise<Response> {
    if (!receive || encryptKey === undefined) return Response.json({ error: 'not connected' }, { status: 503 });
    const opened = await openWebhook(request, { encryptKey, verificationToken }, now());
    if (opened.kind === 'answer') return opened.response;
    const { header = {}, event = {} } = opened.payload as { header?: Record<string, unknown>; event?: object };
    if (header.app_id !== undefined && header.app_id !== appId)
      return Response.json({ error: 'the event is for another app' }, { status: 403 });
    webhookStatus = { ...webhookStatus, lastEventAt: now() };
    try {
      const answer = await handlers[String(header.event_type)]?.({ ...header, ...event } as never);
      return Response.json(answer ?? {});
    } catch (error) {
      const lastError = `an event could not be taken: ${error instanceof Error ? error.message : String(error)}`;
      webhookStatus = { ...webhookStatus, lastError };
      return Response.json({ error: 'the event could not be stored; deliver it again' }, { status: 500 });
    }
  }
}

/** The bot's own id, by which a mention is recognised. Checks the credentials on the way; waits while the network is away. */
async function whoAmI(
  api: FeishuApi,
  signal: AbortSignal,
  random: () => number,
  { pauseMs, maxPauseMs }: LongConnectionTimings,
  noteError: (message: string) => void,
): Promise<string | undefined> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const { bot } = await api.call({ method: 'GET', path: 'bot/v3/info', doing: 'asking for the bot' }, signal);
      return (bot as { open_id?: string } | undefined)?.open_id;
    } catch (error) {
      if (!(error instanceof ChannelError) || error.code === 'auth') throw error;
      noteError(error.message);
      // Direct chats work without it.
      if (error.code === 'rejected') return undefined;
      const pause = Math.max(
        error.retryAfterMs ?? 0,
        Math.min(maxPauseMs, pauseMs * 2 ** attempt) * (1 - random() / 2),
      );
      await sleep(pause, undefined, { signal }).catch(() => {
        throw signal.reason;
      });
    }
  }
}

function checkOptions({ appId, appSecret, mode, encryptKey }: FeishuChannelOptions): void {
  if (!/^cli_[0-9a-fA-F]{16}$/.test(appId)) {
    throw new ChannelError(
      'auth',
      'the Feishu appId is not one: it looks like cli_ and 16 hexadecimal digits; see "Credentials & Basic Info" in the developer console',
    );
  }
  if (appSecret === '') throw new ChannelError('auth', 'the Feishu appSecret is missing');
  if (mode === 'webhook' && !encryptKey) {
    throw new ChannelError(
      'auth',
      'Feishu in webhook mode needs encryptKey: set an Encrypt Key under "Events & Callbacks" in the developer console and give it here',
    );
  }
}

/** A press has an id too, but cannot be answered like a message. */
function isMessageId(id: string | undefined): id is string {
  return id?.startsWith('om_') ?? false;
}

function idTypeOf(chatId: string): string {
  if (chatId.startsWith('ou_')) return 'open_id';
  if (chatId.startsWith('on_')) return 'union_id';
  return chatId.includes('@') ? 'email' : 'chat_id';
}

function referenceOf(file: IncomingFile): FileReference {
  const { messageId, key, type } = (file.reference ?? {}) as Partial<FileReference>;
  if (typeof messageId !== 'string' || typeof key !== 'string' || (type !== 'image' && type !== 'file'))
    throw new ChannelError('rejected', `downloading ${file.name}: what was stored does not name a file of Feishu`);
  return { messageId, key, type };
}
