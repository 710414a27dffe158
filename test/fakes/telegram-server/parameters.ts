// What each method takes, written out from the public schema: the compiler refuses a table that lacks a parameter, has
// one too many, or marks the wrong ones as required. The real server ignores what it does not know; here it is refused,
// because it is always a mistake.
import type {
  InlineKeyboardButton,
  InlineKeyboardMarkup,
  LinkPreviewOptions,
  MessageEntity,
  Opts,
  ReplyParameters,
} from 'grammy/types';
import { type ApiFailure, badRequest } from './api-failure.ts';

type Kind = 'integer' | 'string' | 'boolean' | 'chat' | 'object' | 'array' | 'file';
type Table<P> = { [K in keyof P]-?: Record<never, never> extends Pick<P, K> ? Kind : `${Kind}!` };
type KeysOf<U> = U extends unknown ? keyof U : never;

export const METHODS = {
  getMe: {},
  getUpdates: { offset: 'integer', limit: 'integer', timeout: 'integer', allowed_updates: 'array' },
  setWebhook: {
    url: 'string!',
    certificate: 'object',
    ip_address: 'string',
    max_connections: 'integer',
    allowed_updates: 'array',
    drop_pending_updates: 'boolean',
    secret_token: 'string',
  },
  deleteWebhook: { drop_pending_updates: 'boolean' },
  getWebhookInfo: {},
  sendMessage: {
    business_connection_id: 'string',
    chat_id: 'chat!',
    message_thread_id: 'integer',
    direct_messages_topic_id: 'integer',
    ephemeral_message_parameters: 'object',
    text: 'string!',
    parse_mode: 'string',
    entities: 'array',
    link_preview_options: 'object',
    disable_notification: 'boolean',
    protect_content: 'boolean',
    allow_paid_broadcast: 'boolean',
    suggested_post_parameters: 'object',
    message_effect_id: 'string',
    reply_parameters: 'object',
    reply_markup: 'object',
    reply_to_message_id: 'integer',
  },
  sendPhoto: {
    business_connection_id: 'string',
    chat_id: 'chat!',
    message_thread_id: 'integer',
    direct_messages_topic_id: 'integer',
    ephemeral_message_parameters: 'object',
    photo: 'file!',
    caption: 'string',
    parse_mode: 'string',
    caption_entities: 'array',
    show_caption_above_media: 'boolean',
    has_spoiler: 'boolean',
    disable_notification: 'boolean',
    protect_content: 'boolean',
    allow_paid_broadcast: 'boolean',
    suggested_post_parameters: 'object',
    message_effect_id: 'string',
    reply_parameters: 'object',
    reply_markup: 'object',
    reply_to_message_id: 'integer',
  },
  sendDocument: {
    business_connection_id: 'string',
    chat_id: 'chat!',
    message_thread_id: 'integer',
    direct_messages_topic_id: 'integer',
    ephemeral_message_parameters: 'object',
    document: 'file!',
    thumbnail: 'file',
    caption: 'string',
    parse_mode: 'string',
    caption_entities: 'array',
    disable_content_type_detection: 'boolean',
    disable_notification: 'boolean',
    protect_content: 'boolean',
    allow_paid_broadcast: 'boolean',
    suggested_post_parameters: 'object',
    message_effect_id: 'string',
    reply_parameters: 'object',
    reply_markup: 'object',
    reply_to_message_id: 'integer',
  },
  editMessageText: {
    business_connection_id: 'string',
    chat_id: 'chat',
    message_id: 'integer',
    inline_message_id: 'string',
    text: 'string',
    parse_mode: 'string',
    entities: 'array',
    link_preview_options: 'object',
    rich_message: 'object',
    reply_markup: 'object',
  },
  sendChatAction: {
    business_connection_id: 'string',
    chat_id: 'chat!',
    message_thread_id: 'integer',
    action: 'string!',
  },
  answerCallbackQuery: {
    callback_query_id: 'string!',
    text: 'string',
    show_alert: 'boolean',
    url: 'string',
    cache_time: 'integer',
  },
  getFile: { file_id: 'string!' },
} as const satisfies { [M in SupportedMethod]: Table<Opts<M>> };

export type SupportedMethod =
  | 'getMe'
  | 'getUpdates'
  | 'setWebhook'
  | 'deleteWebhook'
  | 'getWebhookInfo'
  | 'sendMessage'
  | 'sendPhoto'
  | 'sendDocument'
  | 'editMessageText'
  | 'sendChatAction'
  | 'answerCallbackQuery'
  | 'getFile';

const REPLY_PARAMETERS: Table<ReplyParameters> = {
  message_id: 'integer',
  chat_id: 'chat',
  ephemeral_message_id: 'integer',
  checklist_task_id: 'integer',
  poll_option_id: 'string',
  allow_sending_without_reply: 'boolean',
  quote: 'string',
  quote_parse_mode: 'string',
  quote_entities: 'array',
  quote_position: 'integer',
};

const LINK_PREVIEW_OPTIONS: Table<LinkPreviewOptions> = {
  is_disabled: 'boolean',
  url: 'string',
  prefer_small_media: 'boolean',
  prefer_large_media: 'boolean',
  show_above_text: 'boolean',
};

const ENTITY: Record<KeysOf<MessageEntity>, Kind | `${Kind}!`> = {
  type: 'string!',
  offset: 'integer!',
  length: 'integer!',
  language: 'string',
  url: 'string',
  user: 'object',
  custom_emoji_id: 'string',
  unix_time: 'integer',
  date_time_format: 'string',
};

const KEYBOARD: Table<InlineKeyboardMarkup> = { inline_keyboard: 'array!', force_reply: 'boolean' };

const BUTTON: Record<KeysOf<InlineKeyboardButton>, Kind | `${Kind}!`> = {
  text: 'string!',
  icon_custom_emoji_id: 'string',
  style: 'string',
  url: 'string',
  callback_data: 'string',
  web_app: 'object',
  login_url: 'object',
  disabled: 'object',
  switch_inline_query: 'string',
  switch_inline_query_current_chat: 'string',
  switch_inline_query_chosen_chat: 'object',
  copy_text: 'object',
  callback_game: 'object',
  pay: 'boolean',
};

export type Payload = Record<string, unknown>;

/** A file that came with the request. Ids and addresses of files are not taken here. */
export class UploadedFile {
  readonly name: string;
  readonly content: Uint8Array;

  constructor(name: string, content: Uint8Array) {
    this.name = name;
    this.content = content;
  }
}

/** A form holds only words and files: each word as what its parameter is. */
export function valuesOfForm(method: string, form: Payload): Payload {
  const table: Readonly<Record<string, string>> = isSupported(method) ? METHODS[method] : {};
  const entries = Object.entries(form).filter(([, value]) => typeof value === 'string') as [string, string][];
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const file = /^attach:\/\/(.+)$/.exec(value)?.[1];
      if (file !== undefined) return [name, form[file]];
      const kind = table[name]?.replace('!', '');
      const isWord = kind === undefined || kind === 'string' || (kind === 'chat' && !/^-?\d+$/.test(value));
      return [name, isWord ? value : JSON.parse(value)];
    }),
  );
}

export function isSupported(method: string): method is SupportedMethod {
  return Object.hasOwn(METHODS, method);
}

/** Throws what the real server would answer. */
export function checkParameters(method: SupportedMethod, payload: Payload): void {
  checkAgainst(METHODS[method], payload, '');
  if (isRecord(payload.reply_parameters)) checkAgainst(REPLY_PARAMETERS, payload.reply_parameters, 'ReplyParameters');
  if (isRecord(payload.link_preview_options))
    checkAgainst(LINK_PREVIEW_OPTIONS, payload.link_preview_options, 'LinkPreviewOptions');
  for (const entity of list(payload.entities)) checkAgainst(ENTITY, record(entity, 'MessageEntity'), 'MessageEntity');
  if (payload.reply_markup !== undefined) checkKeyboard(record(payload.reply_markup, 'InlineKeyboardMarkup'));
}

function checkKeyboard(markup: Payload): void {
  checkAgainst(KEYBOARD, markup, 'InlineKeyboardMarkup');
  for (const row of list(markup.inline_keyboard)) {
    if (!Array.isArray(row))
      throw badRequest("can't parse inline keyboard markup JSON object: expected an Array of Array");
    for (const each of row) {
      const button = record(each, 'InlineKeyboardButton');
      checkAgainst(BUTTON, button, 'InlineKeyboardButton');
      if (button.text === '') throw badRequest('inline keyboard button text must be non-empty');
      const { callback_data: data, style } = button;
      const bytes = typeof data === 'string' ? Buffer.byteLength(data) : 1;
      if (bytes < 1 || bytes > 64) throw badRequest('BUTTON_DATA_INVALID');
      if (style !== undefined && !['danger', 'success', 'primary'].includes(String(style)))
        throw badRequest("can't parse inline keyboard button: invalid button style specified");
    }
  }
}

function checkAgainst(table: Readonly<Record<string, string>>, payload: Payload, what: string): void {
  for (const [name, value] of Object.entries(payload)) {
    const kind = table[name];
    if (kind === undefined) throw violation(`unknown ${what ? `field "${name}" in ${what}` : `parameter "${name}"`}`);
    if (!isOfKind(value, kind.replace('!', '') as Kind)) {
      throw violation(
        what
          ? `can't parse ${what}: Field "${name}" must be of type ${kind.replace('!', '')}`
          : `parameter "${name}" must be of type ${kind.replace('!', '')}`,
      );
    }
  }
  for (const [name, kind] of Object.entries(table)) {
    if (!kind.endsWith('!') || payload[name] !== undefined) continue;
    if (what) throw violation(`can't parse ${what}: Can't find field "${name}"`);
    if (name === 'text') throw violation('message text is empty');
    throw violation(name === 'chat_id' ? 'chat_id is empty' : `parameter "${name}" is required`);
  }
}

function isOfKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'integer':
      return Number.isSafeInteger(value);
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'chat':
      return Number.isSafeInteger(value) || (typeof value === 'string' && value !== '');
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    case 'file':
      return value instanceof UploadedFile;
  }
}

/** A mistake of the caller's code, as opposed to a refusal that can happen to anyone. */
function violation(description: string): ApiFailure {
  const failure = badRequest(description);
  failure.isViolation = true;
  return failure;
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function record(value: unknown, what: string): Payload {
  if (!isRecord(value)) throw violation(`can't parse ${what}: expected an Object`);
  return value;
}

function isRecord(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
