// The messages of all chats, and the calls on them: create, reply, patch, reactions, resources. Strict where the platform is.
import { imageType } from '../../../src/lib/image-type.ts';
import { checkCard, type SeenCard } from './card-check.ts';

export interface StoredMessage {
  messageId: string;
  chatId: string;
  from: 'person' | 'bot';
  /** A message that was taken back can be neither answered nor changed. */
  isRecalled: boolean;
  replyTo?: string;
  threadId?: string;
  createTime: number;
  /** Of the bot's own. */
  uuid?: string;
  seen: SeenCard;
  edits: number;
  reactions: Map<string, string>;
  /** Of the bot's own: the picture that it is. */
  picture?: Uint8Array;
  files: Map<string, { type: 'image' | 'file'; name: string; content: Uint8Array }>;
}

/** The fields of a multipart form: words and files. */
export type FormFields = Record<string, string | Uint8Array>;

/** The platform's answer to a call. */
export interface ApiAnswer {
  status: number;
  body: object | Uint8Array;
  headers?: Record<string, string>;
}

export interface MessageStoreOptions {
  now: () => number;
  /** Chats that there are, by id; the bot is in each. */
  chats: Map<string, 'p2p' | 'group'>;
  /** A person's id → the direct chat with the bot. */
  directChats: Map<string, string>;
}

const UUID_LASTS_MS = 3_600_000;
const MAX_CARD_BYTES = 30 * 1024;
const MAX_IMAGE_BYTES = 10 * 1024 * 1024;
const MAX_UUID = 50;
const CREATE_FIELDS = new Set(['receive_id', 'msg_type', 'content', 'uuid']);
const REPLY_FIELDS = new Set(['msg_type', 'content', 'uuid', 'reply_in_thread']);
const ID_TYPES = new Set(['open_id', 'user_id', 'union_id', 'email', 'chat_id']);

export type MessageStore = ReturnType<typeof createMessageStore>;

export function createMessageStore({ now, chats, directChats }: MessageStoreOptions) {
  const messages = new Map<string, StoredMessage>();
  const violations: string[] = [];
  const images = new Map<string, Uint8Array>();
  let lastTime = 0;
  let ids = 0;

  function nextTime(): number {
    lastTime = Math.max(lastTime + 1, now());
    return lastTime;
  }

  function add(fields: Pick<StoredMessage, 'chatId' | 'from'> & Partial<StoredMessage>): StoredMessage {
    ids += 1;
    const message: StoredMessage = {
      messageId: `om_${String(ids).padStart(32, '0')}`,
      isRecalled: false,
      createTime: nextTime(),
      seen: { text: '', buttons: [], mentions: [] },
      edits: 0,
      reactions: new Map(),
      files: new Map(),
      ...fields,
    };
    messages.set(message.messageId, message);
    return message;
  }

  function refuse(code: number, msg: string, status = 400): ApiAnswer {
    violations.push(`${code}: ${msg}`);
    return { status, body: { code, msg, error: { log_id: 'fake' } } };
  }

  function post(chatId: string, body: Record<string, unknown>, bytes: number, answered?: StoredMessage): ApiAnswer {
    const { msg_type, content, uuid } = body;
    const allowed = answered ? REPLY_FIELDS : CREATE_FIELDS;
    const unknown = Object.keys(body).find((field) => !allowed.has(field));
    if (unknown) return refuse(230001, `invalid request parameter: ${unknown} is not a field`);
    if (msg_type !== 'interactive' && msg_type !== 'image')
      return refuse(230001, `invalid msg_type ${msg_type}: the fake takes cards and images`);
    if (typeof content !== 'string') return refuse(230001, 'content is not a string in json format');
    if (bytes > MAX_CARD_BYTES) return refuse(230025, 'The length of the message content reaches its limit.');
    if (uuid !== undefined && (typeof uuid !== 'string' || uuid.length > MAX_UUID))
      return refuse(230001, 'uuid has at most 50 characters');
    if (body.reply_in_thread !== undefined && typeof body.reply_in_thread !== 'boolean')
      return refuse(230001, 'reply_in_thread is a boolean');
    const known = [...messages.values()].find(
      (message) => uuid !== undefined && message.uuid === uuid && now() - message.createTime < UUID_LASTS_MS,
    );
    if (known) return success(known);
    const picture = msg_type === 'image' ? images.get(imageKeyOf(content)) : undefined;
    if (msg_type === 'image' && !picture) return refuse(230001, 'Your request contains an invalid image_key.');
    const seen = picture ? { text: '', buttons: [], mentions: [] } : seenOf(content);
    if (!('text' in seen)) return seen;
    // An answer to a message of a topic is in that topic too, asked for or not.
    const threadId = answered?.threadId ?? (body.reply_in_thread ? `omt_${answered?.messageId}` : undefined);
    return success(add({ chatId, from: 'bot', uuid, seen, picture, replyTo: answered?.messageId, threadId }));
  }

  function seenOf(content: string): SeenCard | ApiAnswer {
    try {
      return checkCard(content);
    } catch (error) {
      return refuse(230099, `Failed to create card content, ext=${(error as Error).message}`);
    }
  }

  return {
    messages,
    violations,
    add,
    create(query: URLSearchParams, body: Record<string, unknown>, bytes: number): ApiAnswer {
      const type = query.get('receive_id_type') ?? '';
      if (!ID_TYPES.has(type)) return refuse(99992402, 'field validation failed: receive_id_type is required');
      const id = String(body.receive_id ?? '');
      const chatId = type === 'chat_id' ? id : (directChats.get(id) ?? '');
      if (!chats.has(chatId))
        return type === 'chat_id'
          ? refuse(230002, 'Bot/User can NOT be out of the chat.')
          : refuse(230013, 'Bot has NO availability to this user.');
      return post(chatId, body, bytes);
    },
    reply(messageId: string, body: Record<string, unknown>, bytes: number): ApiAnswer {
      const answered = messages.get(messageId);
      if (!answered) return refuse(230001, `invalid request parameter: message_id ${messageId}`);
      if (answered.isRecalled) return refuse(230011, 'The message was withdrawn.');
      return post(answered.chatId, body, bytes, answered);
    },
    upload(form: FormFields): ApiAnswer {
      const image = form.image;
      if (form.image_type !== 'message' && form.image_type !== 'avatar')
        return refuse(234001, 'Invalid request param: image_type.');
      if (!(image instanceof Uint8Array)) return refuse(234001, 'Invalid request param: image.');
      if (image.length === 0) return refuse(234010, "File's size can't be 0.");
      if (image.length > MAX_IMAGE_BYTES) return refuse(234006, 'The file size exceed the max value.');
      if (!imageType(Buffer.from(image))) return refuse(234011, "Can't regonnize image format.");
      const image_key = `img_v3_${String(images.size + 1).padStart(8, '0')}`;
      images.set(image_key, image);
      return { status: 200, body: { code: 0, msg: 'success', data: { image_key } } };
    },
    look(messageId: string): ApiAnswer {
      const message = messages.get(messageId);
      if (!message) return refuse(230001, `invalid request parameter: message_id ${messageId}`);
      if (message.isRecalled) return refuse(230110, 'The message has been deleted.');
      const items = [{ message_id: messageId, chat_id: message.chatId }];
      return { status: 200, body: { code: 0, msg: 'success', data: { items } } };
    },
    patch(messageId: string, body: Record<string, unknown>, bytes: number): ApiAnswer {
      const message = messages.get(messageId);
      if (message?.from !== 'bot') return refuse(230001, `message ${messageId} is not a card of this app`);
      if (message.isRecalled) return refuse(230011, 'The message was withdrawn.');
      if (Object.keys(body).join() !== 'content' || typeof body.content !== 'string')
        return refuse(230001, 'content is the only field');
      if (bytes > MAX_CARD_BYTES) return refuse(230025, 'The length of the message content reaches its limit.');
      const seen = seenOf(body.content);
      if (!('text' in seen)) return seen;
      message.seen = seen;
      message.edits += 1;
      return { status: 200, body: { code: 0, msg: 'success', data: {} } };
    },
    react(messageId: string, body: Record<string, unknown>): ApiAnswer {
      const message = messages.get(messageId);
      const emoji = (body.reaction_type as { emoji_type?: unknown } | undefined)?.emoji_type;
      if (!message) return refuse(231003, 'The message is not found or not visible to the operator.');
      if (typeof emoji !== 'string') return refuse(231001, 'reaction type is invalid.');
      const id = `reaction-${messageId}-${emoji}`;
      message.reactions.set(id, emoji);
      return { status: 200, body: { code: 0, msg: 'success', data: { reaction_id: id } } };
    },
    unreact(messageId: string, reactionId: string): ApiAnswer {
      if (!messages.get(messageId)?.reactions.delete(reactionId))
        return refuse(231007, 'The user does not have permission to delete the reaction.');
      return { status: 200, body: { code: 0, msg: 'success', data: {} } };
    },
    resource(messageId: string, key: string, type: string | null): ApiAnswer {
      const file = messages.get(messageId)?.files.get(key);
      if (!file) return refuse(234003, 'File not in message.');
      if (file.type !== type) return refuse(234001, 'Invalid request param: type.');
      return {
        status: 200,
        body: file.content,
        headers: {
          'content-type': file.name.endsWith('.json') ? 'application/json' : 'application/octet-stream',
          'content-disposition': `attachment; filename="${encodeURIComponent(file.name)}"`,
        },
      };
    },
    chat(chatId: string): ApiAnswer {
      const kind = chats.get(chatId);
      if (!kind) return refuse(232006, 'Your request specifies a chat_id which is invalid.');
      return { status: 200, body: { code: 0, msg: 'success', data: { chat_mode: kind, name: chatId } } };
    },
  };
}

function imageKeyOf(content: string): string {
  try {
    return String((JSON.parse(content) as { image_key?: unknown }).image_key);
  } catch {
    return '';
  }
}

function success(message: StoredMessage): ApiAnswer {
  const data = {
    message_id: message.messageId,
    chat_id: message.chatId,
    msg_type: message.picture ? 'image' : 'interactive',
    create_time: String(message.createTime),
    parent_id: message.replyTo,
    thread_id: message.threadId,
  };
  return { status: 200, body: { code: 0, msg: 'success', data } };
}
