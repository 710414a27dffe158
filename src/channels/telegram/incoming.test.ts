import type { Message, MessageEntity, Update } from 'grammy/types';
import { describe, expect, test } from 'vitest';
import type { IncomingMessage } from '../channel.ts';
import { incomingOf } from './incoming.ts';

const bot = { id: 99, username: 'Lain_Bot' };
const ada = { id: 5, is_bot: false, first_name: 'Ada', last_name: 'L' };
const group = { id: -1001, type: 'supergroup', title: 'Us' } as const;

function read(message: Partial<Message>, update: Partial<Update> = {}): IncomingMessage | undefined {
  const whole = {
    message_id: 7,
    date: 1000,
    chat: { id: 5, type: 'private', first_name: 'Ada' },
    from: ada,
    ...message,
  };
  return incomingOf({ update_id: 3, message: whole, ...update } as Update, bot, () => 0);
}

/** With an entity over these words. */
function over(text: string, words: string, entity: Partial<MessageEntity> & { type: string }): Partial<Message> {
  return { text, entities: [{ offset: text.indexOf(words), length: words.length, ...entity } as MessageEntity] };
}

describe('what arrives from Telegram', () => {
  test('a message is known by its chat and number, and ordered by its update', () => {
    expect(read({ text: 'hello' })).toEqual({
      id: '5:7',
      chatId: '5',
      chatKind: 'direct',
      isAddressed: true,
      sender: { id: '5', name: 'Ada L' },
      order: 3,
      sentAt: 1_000_000,
      text: 'hello',
      files: [],
    });
  });

  test('what somebody else wrote and the sender passed on is marked as theirs', () => {
    const forwarded = (forward_origin: object) => read({ text: 'hi', forward_origin } as Partial<Message>)?.isForwarded;
    expect(forwarded({ type: 'user', date: 1, sender_user: { ...ada, id: 6 } })).toBe(true);
    expect(forwarded({ type: 'hidden_user', date: 1, sender_user_name: 'Ada L' })).toBe(true);
    expect(forwarded({ type: 'channel', date: 1, chat: { id: -1, type: 'channel' }, message_id: 1 })).toBe(true);
    expect(forwarded({ type: 'user', date: 1, sender_user: ada })).toBeUndefined();
  });

  test('in a group the bot is addressed by its name, by an answer to it and by a command to it, and not otherwise', () => {
    const addressed = (message: Partial<Message>): boolean | undefined =>
      read({ chat: group, ...message })?.isAddressed;
    expect(addressed({ text: 'lain_bot is nice' })).toBe(false);
    expect(addressed(over('hey @lain_bot', '@lain_bot', { type: 'mention' }))).toBe(true);
    expect(addressed(over('hey @lain_bot2', '@lain_bot2', { type: 'mention' }))).toBe(false);
    expect(addressed(over('hey Lain', 'Lain', { type: 'text_mention', user: { ...ada, id: 99 } }))).toBe(true);
    expect(addressed(over('/new', '/new', { type: 'bot_command' }))).toBe(false);
    expect(addressed(over('/new@LAIN_bot', '/new@LAIN_bot', { type: 'bot_command' }))).toBe(true);
    expect(addressed(over('/new@other_bot', '/new@other_bot', { type: 'bot_command' }))).toBe(false);
    const answered = (id: number, more: object = {}): Partial<Message> => ({
      text: 'yes',
      reply_to_message: {
        message_id: 6,
        date: 1,
        chat: group,
        from: { ...ada, id },
        ...more,
      } as Message['reply_to_message'],
    });
    expect(addressed(answered(99))).toBe(true);
    expect(addressed(answered(5))).toBe(false);
    expect(read({ chat: group, ...answered(99) })?.replyTo).toBe('-1001:6');
    // A topic the bot has made: everything in it "answers" that.
    const topic = { ...answered(99, { forum_topic_created: { name: 't', icon_color: 1 } }), is_topic_message: true };
    expect(read({ chat: group, ...topic, message_thread_id: 6 })).toMatchObject({ isAddressed: false, threadId: '6' });
    expect(read({ chat: group, ...topic, message_thread_id: 6 })?.replyTo).toBeUndefined();
  });

  test('the bot’s name is taken out of the text, and the text beside it stays', () => {
    const text = (message: Partial<Message>): string | undefined => read({ chat: group, ...message })?.text;
    expect(text(over('@Lain_Bot what time?', '@Lain_Bot', { type: 'mention' }))).toBe('what time?');
    expect(text(over('what 😀 @Lain_Bot time?', '@Lain_Bot', { type: 'mention' }))).toBe('what 😀 time?');
    expect(text(over('what time, @Lain_Bot', '@Lain_Bot', { type: 'mention' }))).toBe('what time,');
    expect(text(over('/model@Lain_Bot fast', '/model@Lain_Bot', { type: 'bot_command' }))).toBe('/model fast');
    expect(text(over('read this', 'this', { type: 'text_link', url: 'https://e.org' }))).toBe(
      'read [this](https://e.org)',
    );
    expect(text(over('run a = 1 now', 'a = 1', { type: 'code' }))).toBe('run `a = 1` now');
    expect(text(over('a = 1', 'a = 1', { type: 'pre', language: 'py' }))).toBe('```py\na = 1\n```');
    expect(text(over('@Lain_Bot', '@Lain_Bot', { type: 'mention' }))).toBe('');
  });

  test('stickers, places, contacts and polls become text that says what they are', () => {
    const text = (message: unknown): string | undefined => read(message as Partial<Message>)?.text;
    const position = { latitude: 52.5, longitude: 13.4 };
    expect(text({ sticker: { emoji: '👍' } })).toBe('[sticker 👍]');
    expect(text({ sticker: {} })).toBe('[a sticker]');
    expect(text({ location: position })).toBe('[place: (52.5, 13.4)]');
    const venue = { location: position, title: 'Café', address: 'Weg 1' };
    expect(text({ venue, location: position })).toBe('[place: Café, Weg 1 (52.5, 13.4)]');
    expect(text({ contact: { first_name: 'Ann', last_name: 'Lee', phone_number: '+4930' } })).toBe(
      '[contact: Ann Lee, +4930]',
    );
    expect(text({ poll: { question: 'When?', options: [{ text: 'today' }, { text: 'later' }] } })).toBe(
      '[poll: When? today / later]',
    );
    expect(text({ dice: { emoji: '🎲', value: 4 } })).toBe('[🎲 4]');
  });

  test('a thread is a topic, never the thread of a plain reply', () => {
    expect(read({ chat: group, text: 'a', message_thread_id: 4 })?.threadId).toBeUndefined();
    expect(read({ chat: group, text: 'a', message_thread_id: 4, is_topic_message: true })?.threadId).toBe('4');
  });

  test('files of every kind, with a name and no path; of a photo the largest', () => {
    const file = (name: string) => ({ file_id: name, file_unique_id: name, file_size: 10 });
    const names = (message: Partial<Message>) => read(message)?.files.map(({ kind, name }) => `${kind} ${name}`);
    const sizes = ['b', 's', 'm'].map((id, index) => ({ ...file(id), width: [900, 90, 300][index], height: 100 }));
    expect(read({ photo: sizes as Message['photo'], caption: 'look' })).toMatchObject({
      text: 'look',
      files: [{ kind: 'image', name: 'photo-7.jpg', bytes: 10, reference: { fileId: 'b' } }],
    });
    expect(names({ document: { ...file('d'), file_name: '../../etc/pass\u0000wd' } })).toEqual(['file passwd']);
    expect(names({ document: { ...file('d'), file_name: 'C:\\x\\..' } })).toEqual(['file document-7']);
    expect(names({ document: { ...file('d'), file_name: 'a.PNG', mime_type: 'image/png' } })).toEqual(['image a.PNG']);
    expect(names({ voice: { ...file('v'), duration: 1 } })).toEqual(['file voice-7.ogg']);
    expect(names({ audio: { ...file('v'), duration: 1, file_name: 'song.mp3' } })).toEqual(['file song.mp3']);
    const animation = { ...file('g'), width: 1, height: 1, duration: 1 };
    expect(names({ animation, document: file('g') })).toEqual(['file animation-7.mp4']);
  });

  test('an anonymous administrator is the chat, not the bot they all write as', () => {
    const anonymous = { id: 1_087_968_824, is_bot: true, first_name: 'Group' };
    expect(read({ chat: group, from: anonymous, sender_chat: group, text: 'a' })?.sender).toEqual({
      id: '-1001',
      name: 'Us',
    });
  });

  test('other bots, service messages, channels and edits are not for us', () => {
    expect(read({ from: { ...ada, is_bot: true }, text: 'a' })).toBeUndefined();
    expect(read({ new_chat_title: 'x' })).toBeUndefined();
    expect(read({ chat: { id: -5, type: 'channel', title: 'c' }, text: 'a' })).toBeUndefined();
    expect(incomingOf({ update_id: 1, edited_message: { text: 'a' } } as Update, bot, () => 0)).toBeUndefined();
  });

  test('a button that is pressed is a message of its own', () => {
    const message = { message_id: 8, date: 1, chat: group, is_topic_message: true, message_thread_id: 4 };
    const query = { id: 'q1', from: ada, chat_instance: 'x', data: 'yes', message };
    expect(incomingOf({ update_id: 4, callback_query: query } as unknown as Update, bot, () => 55)).toEqual({
      id: 'cb:q1',
      chatId: '-1001',
      threadId: '4',
      chatKind: 'group',
      isAddressed: true,
      sender: { id: '5', name: 'Ada L' },
      order: 4,
      sentAt: 55,
      text: '',
      files: [],
      pressed: { value: 'yes', messageId: '-1001:8' },
    });
  });
});
