import fc from 'fast-check';
import { expect, it } from 'vitest';
import { chatName, parseChatName, plainChatId } from './chat-name.ts';

it.each([
  ['telegram:123456', { channel: 'telegram', account: 'default', chatId: '123456' }],
  ['telegram_123456', { channel: 'telegram', account: 'default', chatId: '123456' }],
  ['telegram_-100123', { channel: 'telegram', account: 'default', chatId: '-100123' }],
  ['feishu_oc_9f', { channel: 'feishu', account: 'default', chatId: 'oc_9f' }],
  ['telegram/work:1', { channel: 'telegram', account: 'work', chatId: '1' }],
  ['telegram', undefined],
  ['_1', undefined],
  ['', undefined],
])('%j names %j', (name, chat) => {
  expect(parseChatName(name)).toEqual(chat);
});

it('a chat keeps its name, whatever its id', () => {
  const id = fc.string({ minLength: 1 }).filter((text) => !text.startsWith('/'));
  fc.assert(
    fc.property(fc.constantFrom('telegram', 'feishu', 'local'), id, (channel, chatId) => {
      expect(parseChatName(chatName({ channel, account: 'default', chatId }))).toMatchObject({ channel, chatId });
    }),
  );
});

it.each([
  ['123', '123'],
  ['telegram:123', '123'],
  ['telegram_123', '123'],
  ['telegram:', 'telegram:'],
  ['feishu:1', 'feishu:1'],
])('on Telegram %j is the chat %j', (written, id) => {
  expect(plainChatId('telegram', written)).toBe(id);
});
