import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sessionKeyProblem } from '../../sessions/session-key.ts';
import { chatName, parseChatName } from '../../vocabulary/chat-name.ts';
import { sessionKeyOf } from './session-key-of.ts';

const ids = fc.oneof(
  fc.string({ minLength: 1, maxLength: 300 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }),
  fc.integer().map(String),
  fc.stringMatching(/^[a%/25F]{1,8}$/),
);
const chats = fc.record(
  {
    channel: fc.constantFrom('telegram', 'feishu', 'local'),
    account: fc.oneof(fc.constant('default'), fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/)),
    chatId: ids,
    threadId: ids,
  },
  { requiredKeys: ['channel', 'account', 'chatId'] },
);

it('a name leads back to its chat', () => {
  fc.assert(
    fc.property(chats, (chat) => {
      expect(parseChatName(chatName(chat))).toEqual(chat);
    }),
  );
  const topic = { channel: 'telegram', account: 'default', chatId: '-1001', threadId: '45' };
  expect(chatName(topic)).toBe('telegram:-1001/45');
  expect(chatName({ ...topic, account: 'work' })).toBe('telegram/work:-1001/45');
  for (const text of ['', 'telegram', 'telegram:', ':1', '/x:1']) expect(parseChatName(text)).toBeUndefined();
});

it('every chat has a session key, and no two chats the same', () => {
  fc.assert(
    fc.property(chats, chats, (one, other) => {
      expect(sessionKeyProblem(sessionKeyOf(one))).toBeUndefined();
      if (chatName(one) !== chatName(other)) expect(sessionKeyOf(one)).not.toBe(sessionKeyOf(other));
    }),
  );
  expect(sessionKeyOf({ channel: 'telegram', account: 'default', chatId: '-1001' })).toBe('telegram:-1001');
  expect(sessionKeyOf({ channel: 'feishu', account: 'work', chatId: 'oc_1' })).toBe('feishu:work:oc_1');
  expect(sessionKeyOf({ channel: 'telegram', account: 'default', chatId: '-1001', threadId: '45' })).toBe(
    'telegram:default:-1001:45',
  );
});
