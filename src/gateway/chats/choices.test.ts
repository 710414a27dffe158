import { expect, it } from 'vitest';
import { testChats } from '../../../test/support/chats.ts';
import { createChoices } from './choices.ts';

const CHAT = { channel: 'local', account: 'default', chatId: 'anna' };

it('choices that several people make at the same time are all kept', async () => {
  const { mailbox } = await testChats();
  const [one, other] = [createChoices(mailbox), createChoices(mailbox)];
  const progress = { turnId: 'turn-1', messageId: '7' };
  await Promise.all([
    one.change(CHAT, { memory: true }),
    other.change(CHAT, { model: { provider: 'openai', name: 'small' } }),
    one.change(CHAT, { progress }),
  ]);
  expect(await other.get(CHAT)).toEqual({ memory: true, model: { provider: 'openai', name: 'small' }, progress });
  await Promise.all([one.change(CHAT, { progress: undefined }), other.change(CHAT, { memory: false })]);
  expect(await one.get(CHAT)).toEqual({ memory: false, model: { provider: 'openai', name: 'small' } });
});
