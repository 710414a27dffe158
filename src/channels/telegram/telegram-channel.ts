// Telegram as a channel, through the Bot API (https://core.telegram.org/bots/api). Edits of people's messages are not
// asked for: a question stays as it was asked. Telegram knows no idempotency keys: when the answer to a send is lost, a
// repeat can appear in the chat twice.
import type { InlineKeyboardMarkup, Update } from 'grammy/types';
import {
  type Button,
  type Channel,
  ChannelError,
  type OutgoingMessage,
  type Receive,
  type SentMessage,
} from '../channel.ts';
import type { Bot } from './bot.ts';
import { type CallOptions, createBotApi, refusalOf, tooLarge } from './bot-api.ts';
import { createConnectionStatus } from './connection-status.ts';
import { type HttpFetch, httpFetch } from './http-fetch.ts';
import { incomingOf } from './incoming.ts';
import { isFileReference } from './incoming-files.ts';
import { messageIdOf, numberOf } from './message-id.ts';
import { backOff, pause } from './pause.ts';
import { pollUpdates } from './polling.ts';
import { type Rendered, renderMarkdown } from './render-markdown.ts';
import { LIMIT } from './room.ts';
import { sendPhoto } from './send-photo.ts';
import { splitMessage } from './split-message.ts';
import { createWebhook } from './webhook.ts';

export interface TelegramOptions {
  account: string;
  botToken: string;
  /** Another Bot API server than Telegram's own. */
  apiRoot?: string;
  mode: 'polling' | 'webhook';
  /** Webhook mode needs both: where Telegram reaches `webhook`, and how its requests are known. */
  webhookUrl?: string;
  webhookSecret?: string;
  now: () => number;
  fetch?: HttpFetch;
  timing?: Partial<TelegramTiming>;
}

export interface TelegramTiming {
  /** How long a poll stays open. */
  pollSeconds: number;
  /** How much later silence means that the connection is dead. */
  graceMs: number;
  /** How often Telegram is asked whether it reaches the webhook. */
  webhookCheckMs: number;
}

interface WebhookSettings {
  url: string;
  secret: string;
}

const TELEGRAM = 'https://api.telegram.org';
const TIMING: TelegramTiming = { pollSeconds: 30, graceMs: 10_000, webhookCheckMs: 5 * 60_000 };
const ALLOWED_UPDATES = ['message', 'callback_query'] as const;
const BETWEEN_ATTEMPTS = { first: 500, most: 30_000 };
/** What Telegram shows in one row before labels are cut. */
const ROW_CHARACTERS = 28;

export function createTelegramChannel(options: TelegramOptions): Channel {
  const { account, botToken, now } = options;
  const { pollSeconds, graceMs, webhookCheckMs } = { ...TIMING, ...options.timing };
  const secrets = [botToken, botToken.split(':')[1] ?? '', options.webhookSecret ?? ''];
  const apiRoot = (options.apiRoot ?? TELEGRAM).replace(/\/+$/, '');
  const api = createBotApi({ botToken, apiRoot, fetch: options.fetch ?? httpFetch, secrets });
  const status = createConnectionStatus(now);
  const lifetime = new AbortController();
  const background = new Set<Promise<unknown>>();
  let webhook: ((request: Request) => Promise<Response>) | undefined;

  const inBackground = (task: Promise<unknown>): void => {
    const tracked: Promise<unknown> = task.catch(() => {}).finally(() => background.delete(tracked));
    background.add(tracked);
  };
  const untilClosed = (signal: AbortSignal): AbortSignal => AbortSignal.any([signal, lifetime.signal]);

  async function connect(receive: Receive, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const settings = webhookSettings(options);
    const either = untilClosed(signal);
    const bot = await persistently(either, (call) => api.call((raw, abort) => raw.getMe(abort), call));
    const deliver = (update: Update): Promise<void> => store(update, bot, receive);
    if (settings) {
      webhook = createWebhook({ secret: settings.secret, deliver, onFailure: (reason) => status.trouble(reason) });
      await persistently(either, (call) => setWebhook(settings, call));
      inBackground(watchWebhook(settings));
    } else {
      // A webhook keeps polls from getting anything; what waits there is kept.
      await persistently(either, (call) => api.call((raw, abort) => raw.deleteWebhook({}, abort), call));
      inBackground(pollUpdates({ getUpdates, deliver, status, now }, lifetime.signal));
    }
    status.connected();
  }

  /** Until it succeeds; only refused credentials and the caller end it. */
  async function persistently<T>(signal: AbortSignal, run: (call: CallOptions) => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures += 1) {
      try {
        return await run({ signal });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ChannelError)) throw error;
        status.lost(error.message);
        if (error.code === 'auth' || error.code === 'rejected') throw error;
        await pause(Math.max(error.retryAfterMs ?? 0, backOff(failures, BETWEEN_ATTEMPTS)), signal);
        signal.throwIfAborted();
      }
    }
  }

  function getUpdates(offset: number | undefined, wait: 'long' | 'none', signal: AbortSignal): Promise<Update[]> {
    const timeout = wait === 'long' ? pollSeconds : 0;
    const payload = { offset, timeout, limit: wait === 'long' ? 100 : 1, allowed_updates: ALLOWED_UPDATES };
    const deadlineMs = timeout * 1000 + graceMs;
    return api.call((raw, abort) => raw.getUpdates(payload, abort), { signal, deadlineMs });
  }

  async function store(update: Update, bot: Bot, receive: Receive): Promise<void> {
    status.eventArrived();
    const message = incomingOf(update, bot, now);
    if (message) await receive(message);
    const pressed = update.callback_query?.id;
    if (pressed === undefined) return;
    // Only ends the button's animation; presses that are too old are refused.
    const answer = { callback_query_id: pressed };
    inBackground(api.call((raw, abort) => raw.answerCallbackQuery(answer, abort), { signal: lifetime.signal }));
  }

  function setWebhook({ url, secret }: WebhookSettings, call: CallOptions): Promise<true> {
    const payload = { url, secret_token: secret, allowed_updates: ALLOWED_UPDATES };
    return api.call((raw, abort) => raw.setWebhook(payload, abort), call);
  }

  /** Telegram says nothing when it cannot reach us: it must be asked. */
  async function watchWebhook(settings: WebhookSettings): Promise<void> {
    const call = { signal: lifetime.signal };
    for (;;) {
      await pause(webhookCheckMs, lifetime.signal);
      if (lifetime.signal.aborted) return;
      try {
        const info = await api.call((raw, abort) => raw.getWebhookInfo(abort), call);
        if (info.url !== settings.url) {
          status.lost('The webhook of this bot was changed by another program.');
          await setWebhook(settings, call);
        }
        const failedAt = (info.last_error_date ?? 0) * 1000;
        const isStuck = info.pending_update_count > 0 && now() - failedAt < webhookCheckMs;
        if (isStuck)
          status.lost(`Telegram cannot deliver to the webhook: ${info.last_error_message ?? 'no reason given'}`);
        else status.connected();
      } catch (error) {
        if (!lifetime.signal.aborted && error instanceof Error) status.lost(error.message);
      }
    }
  }

  async function send(message: OutgoingMessage, signal: AbortSignal): Promise<SentMessage> {
    const rendered = renderFilled(message.markdown);
    const rest = {
      link_preview_options: { is_disabled: true },
      ...placeOf(message),
      ...keyboardOf(message.buttons),
    };
    return toChat(message.chatId, (chatId) =>
      withPlainFallback(rendered, (content) =>
        api.call((raw, abort) => raw.sendMessage({ chat_id: chatId, ...content, ...rest }, abort), {
          signal: untilClosed(signal),
        }),
      ),
    );
  }

  return {
    name: 'telegram',
    account,
    isIdempotent: false,
    hasButtons: true,
    connect,
    split: splitMessage,
    send,
    sendPicture: (picture, signal) =>
      toChat(picture.chatId, (chatId) =>
        sendPhoto(api, picture, { chat_id: chatId, ...placeOf(picture) }, untilClosed(signal)),
      ),
    async edit(sent, content, signal) {
      const messageId = numberOf(sent.messageId);
      if (messageId === undefined)
        throw new ChannelError('rejected', `${sent.messageId} is not a message on Telegram.`);
      const target = { chat_id: chatIdOf(sent.chatId), message_id: messageId };
      const rest = { link_preview_options: { is_disabled: true }, ...keyboardOf(content.buttons) };
      const call = { signal: untilClosed(signal) };
      await withPlainFallback(renderFilled(content.markdown), (text) =>
        api.call((raw, abort) => raw.editMessageText({ ...target, ...text, ...rest }, abort), call),
      ).catch((error: unknown) => {
        if (!/message is not modified/i.test(refusalOf(error)?.description ?? '')) throw error;
      });
    },
    async showWorking({ chatId, threadId }, signal) {
      const thread = threadId === undefined ? undefined : numberOf(threadId);
      const payload = { chat_id: chatIdOf(chatId), action: 'typing', message_thread_id: thread } as const;
      const call = { signal: untilClosed(signal), deadlineMs: 5_000 };
      await api.call((raw, abort) => raw.sendChatAction(payload, abort), call).catch(() => {});
    },
    async download(file, maxBytes, signal) {
      if (!isFileReference(file.reference))
        throw new ChannelError('rejected', `${file.name} is not a file of Telegram.`);
      if ((file.bytes ?? 0) > maxBytes) throw tooLarge(maxBytes);
      const { fileId } = file.reference;
      const call = { signal: untilClosed(signal) };
      const { file_path: path, file_size: bytes = 0 } = await api.call(
        (raw, abort) => raw.getFile({ file_id: fileId }, abort),
        call,
      );
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      if (!path || path.startsWith('/') || path.split('/').includes('..')) {
        throw new ChannelError(
          'rejected',
          'The Bot API server hands out files as local paths; run it without --local.',
        );
      }
      return api.fetchFile(path, maxBytes, { ...call, deadlineMs: 120_000 });
    },
    ...(options.mode === 'webhook'
      ? {
          async webhook(request: Request): Promise<Response> {
            if (!webhook || lifetime.signal.aborted) return new Response('not connected', { status: 503 });
            return webhook(request);
          },
        }
      : {}),
    status: status.current,
    async close() {
      status.closed();
      lifetime.abort();
      await Promise.all(background);
    },
  };
}

/** Undefined: updates are polled for. Throws when the settings cannot work. */
function webhookSettings({ botToken, mode, webhookUrl, webhookSecret }: TelegramOptions): WebhookSettings | undefined {
  const wrong = (message: string): ChannelError => new ChannelError('auth', message);
  if (botToken === '') throw wrong('There is no bot token. Get one from @BotFather and set it as botToken.');
  if (!/^\d+:[\w-]+$/.test(botToken)) {
    throw wrong('botToken is not a bot token: @BotFather gives one like 123456789:AbC-dEf.');
  }
  if (mode === 'polling') return undefined;
  if (webhookSecret === undefined || !/^[\w-]{1,256}$/.test(webhookSecret)) {
    throw wrong(
      'webhookSecret must be 1 to 256 letters, digits, "_" or "-": by it requests are known to come from Telegram.',
    );
  }
  if (webhookUrl === undefined || !URL.canParse(webhookUrl)) {
    throw wrong('webhookUrl must be the address at which Telegram reaches this gateway.');
  }
  return { url: webhookUrl, secret: webhookSecret };
}

function renderFilled(markdown: string): Rendered & { source: string } {
  const rendered = renderMarkdown(markdown);
  if (rendered.text === '') throw new ChannelError('rejected', 'There is nothing to send: the message is empty.');
  return { ...rendered, source: markdown };
}

/** Formatting that Telegram does not take must not keep the words from arriving. */
async function withPlainFallback<T>(
  { text, entities, source }: Rendered & { source: string },
  attempt: (content: Pick<Rendered, 'text'> & Partial<Rendered>) => Promise<T>,
): Promise<T> {
  try {
    return await attempt({ text, ...(entities.length > 0 ? { entities } : {}) });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal?.errorCode !== 400 || entities.length === 0 || !/entit/i.test(refusal.description)) throw error;
    return attempt({ text: source.length <= LIMIT.units ? source : text });
  }
}

type SendTo = (chatId: number | string) => Promise<{ chat: { id: number }; message_id: number }>;

/** A group that became a supergroup has another id: Telegram names it in its refusal. */
async function toChat(chatId: string, sendTo: SendTo): Promise<SentMessage> {
  const sent = await sendTo(chatIdOf(chatId)).catch((error: unknown) => {
    const moved = refusalOf(error)?.migrateToChatId;
    if (moved === undefined) throw error;
    return sendTo(moved);
  });
  return { chatId: String(sent.chat.id), messageId: messageIdOf(sent.chat.id, sent.message_id) };
}

/** The topic, and the message that is answered. */
function placeOf(message: Pick<OutgoingMessage, 'threadId' | 'replyTo'>) {
  const replyTo = message.replyTo === undefined ? undefined : numberOf(message.replyTo);
  const threadId = message.threadId === undefined ? undefined : numberOf(message.threadId);
  return {
    ...(threadId === undefined ? {} : { message_thread_id: threadId }),
    ...(replyTo === undefined ? {} : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
  };
}

function chatIdOf(chatId: string): number | string {
  return /^-?\d+$/.test(chatId) ? Number(chatId) : chatId;
}

function keyboardOf(buttons: readonly Button[] = []): { reply_markup?: InlineKeyboardMarkup } {
  if (buttons.length === 0) return {};
  const keys = buttons.map(({ label, value, tone }) => ({
    text: label,
    callback_data: value,
    ...(tone === undefined ? {} : { style: tone }),
  }));
  const isShort = buttons.reduce((sum, { label }) => sum + label.length, 0) <= ROW_CHARACTERS;
  return { reply_markup: { inline_keyboard: isShort ? [keys] : keys.map((key) => [key]) } };
}
