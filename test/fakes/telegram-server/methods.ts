// The methods of the Bot API, once their parameters are known to be right.
import type { CallbackQuery, InlineKeyboardMarkup, Message, MessageEntity, UserFromGetMe } from 'grammy/types';
import { imageType } from '../../../src/lib/image-type.ts';
import { ApiFailure, badRequest } from './api-failure.ts';
import type { BotMessage, Chats } from './chats.ts';
import { checkEntities } from './entities.ts';
import type { Payload, SupportedMethod, UploadedFile } from './parameters.ts';
import type { UpdateQueue } from './update-queue.ts';

export interface StoredFile {
  path: string;
  content: Uint8Array;
}

export interface MethodDependencies {
  bot: UserFromGetMe;
  chats: Chats;
  queue: UpdateQueue;
  files: ReadonlyMap<string, StoredFile>;
  mostFileBytes: number;
  presses: Map<string, { query: CallbackQuery; isAnswered: boolean }>;
  actions: { chatId: number; threadId?: number; action: string }[];
  now: () => number;
  /** Called with what is to be done when the client has hung up. */
  onGone: (forget: () => void) => void;
}

const MOST_UNITS = 4096;
const MOST_PHOTO_BYTES = 10 * 1024 * 1024;
const ACTIONS =
  /^(typing|upload_photo|record_video|upload_video|record_voice|upload_voice|upload_document|choose_sticker|find_location|record_video_note|upload_video_note)$/;

export function runMethod(method: SupportedMethod, payload: Payload, dependencies: MethodDependencies): unknown {
  const { bot, queue } = dependencies;
  switch (method) {
    case 'getMe':
      return bot;
    case 'getUpdates':
      queue.allow(payload.allowed_updates);
      return queue.poll(payload, dependencies.onGone);
    case 'setWebhook':
      return setWebhook(payload, queue);
    case 'deleteWebhook':
      queue.setWebhook(undefined, payload.drop_pending_updates === true);
      return true;
    case 'getWebhookInfo':
      return {
        url: queue.webhook?.url ?? '',
        has_custom_certificate: false,
        pending_update_count: queue.waiting,
        last_error_date: queue.lastWebhookError?.date,
        last_error_message: queue.lastWebhookError?.message,
      };
    case 'sendMessage':
      return sendMessage(payload, dependencies);
    case 'sendPhoto':
      return sendFile('photo', payload, dependencies);
    case 'sendDocument':
      return sendFile('document', payload, dependencies);
    case 'editMessageText':
      return editMessageText(payload, dependencies);
    case 'sendChatAction':
      return sendChatAction(payload, dependencies);
    case 'answerCallbackQuery':
      return answerCallbackQuery(String(payload.callback_query_id), dependencies);
    case 'getFile':
      return getFile(String(payload.file_id), dependencies);
  }
}

/** The real server wants HTTPS; on this machine plain HTTP will do. */
function setWebhook(
  { url, secret_token: secret, drop_pending_updates: drop, ...rest }: Payload,
  queue: UpdateQueue,
): true {
  const address = String(url);
  if (!/^https:|^http:\/\/127\.0\.0\.1/.test(address) && address !== '')
    throw badRequest('bad webhook: An HTTPS URL must be provided for webhook');
  if (secret !== undefined && !/^[\w-]{1,256}$/.test(String(secret)))
    throw badRequest('secret token contains unallowed characters');
  queue.allow(rest.allowed_updates);
  const webhook =
    address === '' ? undefined : { url: address, ...(secret === undefined ? {} : { secret: String(secret) }) };
  queue.setWebhook(webhook, drop === true);
  return true;
}

function sendMessage(payload: Payload, dependencies: MethodDependencies): Message {
  return post(payload, checkContent(payload), dependencies);
}

function sendFile(kind: 'photo' | 'document', payload: Payload, dependencies: MethodDependencies): Message {
  const { name, content } = payload[kind] as UploadedFile;
  if (content.length === 0) throw badRequest('file must be non-empty');
  if (kind === 'photo') checkPhoto(Buffer.from(content));
  return post(payload, { text: '', entities: [], file: { kind, name, content } }, dependencies);
}

/** The size of other kinds than PNG is not looked at. */
function checkPhoto(content: Buffer): void {
  if (content.length > MOST_PHOTO_BYTES) throw new ApiFailure(413, 'Request Entity Too Large');
  const type = imageType(content);
  if (type === undefined) throw badRequest('IMAGE_PROCESS_FAILED');
  if (type !== 'image/png') return;
  const [width, height] = [content.readUInt32BE(16), content.readUInt32BE(20)];
  if (width + height > 10_000 || Math.max(width, height) > 20 * Math.min(width, height))
    throw badRequest('PHOTO_INVALID_DIMENSIONS');
}

function post(
  payload: Payload,
  content: Pick<BotMessage, 'text' | 'entities' | 'keyboard' | 'file'>,
  { chats, bot, now }: MethodDependencies,
): Message {
  const chat = chats.find(payload.chat_id as number | string);
  const threadId = payload.message_thread_id as number | undefined;
  if (threadId !== undefined && !chat.threads.has(threadId)) throw badRequest('message thread not found');
  const replyTo = replyTarget(
    payload,
    (id) => chat.people.has(id) || chat.bot.some(({ messageId }) => messageId === id),
  );
  chats.countSend(chat);
  const message: BotMessage = {
    chatId: chat.id,
    messageId: chats.nextMessageId(),
    ...(threadId === undefined ? {} : { threadId }),
    ...content,
    ...(replyTo === undefined ? {} : { replyTo }),
    edits: 0,
    sentAt: now(),
  };
  chat.bot.push(message);
  return shown(message, chats.describe(chat), bot);
}

function editMessageText(payload: Payload, { chats, bot }: MethodDependencies): Message {
  const content = checkContent(payload);
  if (payload.chat_id === undefined || payload.message_id === undefined)
    throw badRequest('message identifier is not specified');
  const chat = chats.find(payload.chat_id as number | string);
  const message = chat.bot.find(({ messageId }) => messageId === payload.message_id);
  if (!message) {
    throw badRequest(
      chat.people.has(Number(payload.message_id)) ? "message can't be edited" : 'message to edit not found',
    );
  }
  const before = JSON.stringify([message.text, message.entities, message.keyboard]);
  if (before === JSON.stringify([content.text, content.entities, content.keyboard])) {
    throw badRequest(
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    );
  }
  chats.countSend(chat);
  const { keyboard: _, ...rest } = message;
  Object.assign(message, { keyboard: undefined }, rest, content, { edits: message.edits + 1 });
  return { ...shown(message, chats.describe(chat), bot), edit_date: message.sentAt } as Message;
}

function checkContent(payload: Payload): { text: string; entities: MessageEntity[]; keyboard?: InlineKeyboardMarkup } {
  const text = String(payload.text ?? '');
  const entities = (payload.entities ?? []) as MessageEntity[];
  if (text.trim() === '') throw badRequest('message text is empty');
  if (text.length > MOST_UNITS) throw badRequest('message is too long');
  if (!text.isWellFormed()) throw badRequest('strings must be encoded in UTF-8');
  checkEntities(text, entities);
  const keyboard = payload.reply_markup as InlineKeyboardMarkup | undefined;
  return { text, entities, ...(keyboard && keyboard.inline_keyboard.length > 0 ? { keyboard } : {}) };
}

function replyTarget(payload: Payload, isKnown: (id: number) => boolean): number | undefined {
  const reply = payload.reply_parameters as { message_id?: number; allow_sending_without_reply?: boolean } | undefined;
  if (reply?.message_id === undefined) return undefined;
  if (isKnown(reply.message_id)) return reply.message_id;
  if (reply.allow_sending_without_reply) return undefined;
  throw badRequest('message to be replied not found');
}

function shown(message: BotMessage, chat: Message['chat'], bot: UserFromGetMe): Message {
  return {
    message_id: message.messageId,
    ...(message.threadId === undefined ? {} : { message_thread_id: message.threadId, is_topic_message: true }),
    from: bot,
    chat,
    date: Math.floor(message.sentAt / 1000),
    ...(message.file ? shownFile(message.file) : { text: message.text }),
    ...(message.entities.length > 0 ? { entities: message.entities } : {}),
    ...(message.keyboard ? { reply_markup: message.keyboard } : {}),
  } as Message;
}

function shownFile({ kind, name, content }: NonNullable<BotMessage['file']>): object {
  const file = { file_id: 'sent', file_unique_id: 'sent', file_size: content.length };
  return kind === 'photo' ? { photo: [{ ...file, width: 1, height: 1 }] } : { document: { ...file, file_name: name } };
}

function sendChatAction(payload: Payload, { chats, actions }: MethodDependencies): true {
  const chat = chats.find(payload.chat_id as number | string);
  const action = String(payload.action);
  if (!ACTIONS.test(action)) throw badRequest('wrong parameter action in request');
  const threadId = payload.message_thread_id as number | undefined;
  actions.push({ chatId: chat.id, action, ...(threadId === undefined ? {} : { threadId }) });
  return true;
}

function answerCallbackQuery(id: string, { presses }: MethodDependencies): true {
  const press = presses.get(id);
  if (!press) throw badRequest('query is too old and response timeout expired or query ID is invalid');
  press.isAnswered = true;
  return true;
}

function getFile(fileId: string, { files, mostFileBytes }: MethodDependencies): object {
  const file = files.get(fileId);
  if (!file) throw badRequest('wrong file_id or the file is temporarily unavailable');
  if (file.content.length > mostFileBytes) throw badRequest('file is too big');
  return { file_id: fileId, file_unique_id: `u${fileId}`, file_size: file.content.length, file_path: file.path };
}
