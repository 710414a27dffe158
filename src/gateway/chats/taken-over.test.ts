// What a gateway left that has lost its bot: another one takes it up while it runs.
import { expect, it } from 'vitest';
import { testChats } from '../../../test/support/chats.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { bodyOf, type ChatMessage } from './chat.ts';

it('a message that was stored late by a gateway that had lost the bot is answered once somebody looks', async () => {
  const chats = await testChats();
  const gateway = await chats.start();
  const chat = { channel: 'local', account: 'default', chatId: 'anna' };
  const message = {
    id: 'late-1',
    chatId: 'anna',
    chatKind: 'direct' as const,
    isAddressed: true,
    sender: { id: 'anna' },
    text: 'are you there',
    files: [],
    order: 1,
    sentAt: 1,
  };
  const body = bodyOf({ chat, message, isOwner: true } as ChatMessage);
  await chats.mailbox.receive(
    { name: 'bot:local/default', token: 1 },
    { chat, id: 'late-1', order: 1, receivedAt: 1, body },
  );
  expect(chats.asked).toEqual([]);
  gateway.wake();
  await chats.says(['echo: are you there']);
  gateway.wake();
  await eventually(async () => expect((await chats.mailbox.counts()).inbox).toBe(0));
  expect(chats.asked).toHaveLength(1);
});
