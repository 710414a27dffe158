// What people do: write, attach, press. Each makes an update like the ones Telegram sends.
import type { CallbackQuery, Message, Update, User } from 'grammy/types';
import type { Chats, FakeChat, Person } from './chats.ts';
import { entitiesIn } from './entities.ts';
import type { StoredFile } from './methods.ts';
import type { UpdateQueue } from './update-queue.ts';

export interface Said {
  /** Above zero: the person's own chat with the bot. Below: a group. */
  chatId: number;
  from?: Person;
  text?: string;
  /** The number of an earlier message in the chat. */
  replyTo?: number;
  threadId?: number;
  photo?: { content: Uint8Array };
  document?: { content: Uint8Array; name?: string; mimeType?: string };
  voice?: { content: Uint8Array };
  /** Anything else a message can have, as the schema has it. */
  more?: Partial<Message>;
}

export interface PeopleDependencies {
  chats: Chats;
  queue: UpdateQueue;
  files: Map<string, StoredFile>;
  presses: Map<string, { query: CallbackQuery; isAnswered: boolean }>;
  bot: User;
  now: () => number;
}

export function createPeople({ chats, queue, files, presses, bot, now }: PeopleDependencies) {
  let count = 0;

  function keep(content: Uint8Array, path: string): { file_id: string; file_unique_id: string; file_size: number } {
    count += 1;
    const id = `file${count}`;
    files.set(id, { path: path.replace('#', String(count)), content });
    return { file_id: id, file_unique_id: `u${id}`, file_size: content.length };
  }

  function attachments({ photo, document, voice }: Said): Partial<Message> {
    const more: Partial<Message> = {};
    if (photo) {
      const small = keep(photo.content.slice(0, 10), 'photos/file_#.jpg');
      const large = keep(photo.content, 'photos/file_#.jpg');
      more.photo = [
        { ...small, width: 90, height: 90 },
        { ...large, width: 1280, height: 1280 },
      ];
    }
    if (document) {
      const { name, mimeType } = document;
      more.document = { ...keep(document.content, 'documents/file_#'), file_name: name, mime_type: mimeType };
    }
    if (voice) more.voice = { ...keep(voice.content, 'voice/file_#.oga'), duration: 1 };
    return more;
  }

  function repliedTo(
    chat: ReturnType<Chats['add']>,
    id: number | undefined,
    threadId: number | undefined,
  ): Partial<Message> {
    if (id === undefined) {
      // In a topic everything answers at least the message that made it.
      if (threadId === undefined) return {};
      const created = { forum_topic_created: { name: `Topic ${threadId}`, icon_color: 7322096 } };
      const made = { message_id: threadId, from: bot, chat: chats.describe(chat), date: 0, ...created };
      return { reply_to_message: made as unknown as Message['reply_to_message'] };
    }
    const own = chat.bot.find(({ messageId }) => messageId === id);
    const answered = own
      ? { message_id: id, from: bot, chat: chats.describe(chat), date: Math.floor(own.sentAt / 1000), text: own.text }
      : chat.people.get(id);
    return answered ? { reply_to_message: answered as Message['reply_to_message'] } : {};
  }

  /** Outside of topics, answers in a supergroup have a thread too: it is the message that began it. */
  function threadOf(chat: FakeChat, { threadId, replyTo }: Said): Partial<Message> {
    if (threadId !== undefined) return { message_thread_id: threadId, is_topic_message: true };
    return replyTo !== undefined && chat.kind === 'supergroup' && !chat.isForum ? { message_thread_id: replyTo } : {};
  }

  return {
    userSays(said: Said): { updateId: number; messageId: number; update: Update } {
      const from = said.from ?? { id: Math.abs(said.chatId), first_name: 'Someone' };
      const made: FakeChat = { id: said.chatId, kind: said.chatId > 0 ? 'private' : 'supergroup', person: from };
      const chat = chats.add(made);
      if (said.threadId !== undefined) {
        chat.threads.add(said.threadId);
        chat.isForum = chat.kind === 'supergroup';
      }
      const files = attachments(said);
      const hasFiles = Object.keys(files).length > 0;
      const entities = entitiesIn(said.text ?? '');
      const words =
        said.text === undefined
          ? {}
          : hasFiles
            ? { caption: said.text, ...(entities.length > 0 ? { caption_entities: entities } : {}) }
            : { text: said.text, ...(entities.length > 0 ? { entities } : {}) };
      const message = {
        message_id: chats.nextMessageId(),
        from: { is_bot: false, ...from },
        chat: chats.describe(chat),
        date: Math.floor(now() / 1000),
        ...threadOf(chat, said),
        ...repliedTo(chat, said.replyTo, said.threadId),
        ...words,
        ...files,
        ...said.more,
      } as Message & Update['message'];
      chat.people.set(message.message_id, message);
      const update = queue.push({ message } as Omit<Update, 'update_id'>);
      return { updateId: update.update_id, messageId: message.message_id, update };
    },
    /** Somebody changes what they wrote. */
    userEdits(chatId: number, messageId: number, text: string): void {
      const message = chats.find(chatId).people.get(messageId);
      if (!message) throw new Error(`there is no message ${messageId}`);
      queue.push({ edited_message: { ...message, text, edit_date: Math.floor(now() / 1000) } } as Omit<
        Update,
        'update_id'
      >);
    },
    /** Only a button that is shown can be pressed. */
    press(chatId: number, messageId: number, value: string, from?: Person): string {
      const chat = chats.find(chatId);
      const message = chat.bot.find((each) => each.messageId === messageId);
      const keys = message?.keyboard?.inline_keyboard.flat() ?? [];
      if (!message || !keys.some((key) => 'callback_data' in key && key.callback_data === value)) {
        throw new Error(`there is no button "${value}" under message ${messageId}`);
      }
      count += 1;
      const query: CallbackQuery = {
        id: `press${count}`,
        from: { is_bot: false, ...(from ?? { id: Math.abs(chatId), first_name: 'Someone' }) },
        message: {
          message_id: messageId,
          from: bot,
          chat: chats.describe(chat),
          date: Math.floor(message.sentAt / 1000),
          text: message.text,
          reply_markup: message.keyboard,
          ...(message.threadId === undefined ? {} : { message_thread_id: message.threadId, is_topic_message: true }),
        } as Message,
        chat_instance: String(chatId),
        data: value,
      };
      presses.set(query.id, { query, isAnswered: false });
      queue.push({ callback_query: query });
      return query.id;
    },
  };
}
