import { expect } from 'vitest';
import { describeChannel } from '../../../test/conformance/channel.ts';
import type { ChannelSubject, PlatformFault } from '../../../test/conformance/channel-subject.ts';
import { startTelegramServer } from '../../../test/fakes/telegram-server/telegram-server.ts';
import { openFront } from '../../../test/fakes/telegram-server/webhook-front.ts';
import type { Channel } from '../channel.ts';
import { messageIdOf, numberOf } from './message-id.ts';
import { renderMarkdown } from './render-markdown.ts';
import { createTelegramChannel } from './telegram-channel.ts';

const SENDER = { id: 42, first_name: 'Ada' };
const CHATS = { direct: '42', otherDirect: '43', group: '-1001' };

describeChannel('telegram, polling', () => subjectFor('polling'));
describeChannel('telegram, by webhook', () => subjectFor('webhook'));

async function subjectFor(mode: 'polling' | 'webhook'): Promise<ChannelSubject> {
  const server = await startTelegramServer();
  for (const id of [42, 43]) server.addChat({ id, kind: 'private' });
  server.addChat({ id: -1001, kind: 'supergroup', title: 'Us' });
  const front = await openFront();
  const open = (botToken: string): Channel =>
    createTelegramChannel({
      account: 'default',
      botToken,
      apiRoot: server.url,
      mode,
      webhookUrl: front.url,
      webhookSecret: 'webhook-secret_1',
      now: Date.now,
      timing: { pollSeconds: 1, graceMs: 2_000 },
    });
  const wrongToken = '987654321:AAWrongTokenThatNobodyGaveOut_00000';
  const faults = {
    'rate-limited': (fault: PlatformFault) => ({
      kind: 'error' as const,
      code: 429,
      description: 'Too Many Requests: retry after 3',
      retryAfter: fault.kind === 'rate-limited' ? fault.retryAfterMs / 1000 : 0,
    }),
    unreachable: () => ({ kind: 'bad-gateway' as const }),
    'answer-lost': () => ({ kind: 'answer-lost' as const }),
    rejected: () => ({ kind: 'error' as const, code: 403, description: 'Forbidden: bot was blocked by the user' }),
  };
  return {
    platform: {
      async write({ chatId, text, mentionsBot, replyTo, file, senderId }) {
        const { messageId } = server.userSays({
          chatId: Number(chatId),
          from: { ...SENDER, id: Number(senderId) },
          text: mentionsBot ? `@${server.bot.username} ${text}` : text,
          ...(replyTo === undefined ? {} : { replyTo: numberOf(replyTo) }),
          ...(file?.kind === 'image' ? { photo: { content: file.content } } : {}),
          ...(file?.kind === 'file' ? { document: { content: file.content, name: file.name } } : {}),
        });
        return { id: messageIdOf(chatId, messageId) };
      },
      async seen(chatId) {
        return server.messages(Number(chatId)).map((message) => ({
          chatId,
          messageId: messageIdOf(chatId, message.messageId),
          text: message.text,
          ...(message.file && { picture: message.file.content }),
          ...(message.replyTo === undefined ? {} : { replyTo: messageIdOf(chatId, message.replyTo) }),
          buttons: (message.keyboard?.inline_keyboard.flat() ?? []).map((key) => ({
            label: key.text,
            value: 'callback_data' in key ? key.callback_data : '',
          })),
        }));
      },
      failNextSend: (fault, kind) =>
        server.fail(kind === 'picture' ? 'sendPhoto' : 'sendMessage', faults[fault.kind](fault)),
      async press({ chatId, messageId, value, senderId }) {
        server.press(Number(chatId), numberOf(messageId) ?? 0, value, { ...SENDER, id: Number(senderId) });
      },
      ...(mode === 'polling' ? { disconnect: async () => server.cut(), restore: async () => server.restore() } : {}),
    },
    open() {
      const channel = open(server.token);
      front.channel = channel;
      return channel;
    },
    openUnauthorised: () => open(wrongToken),
    chats: CHATS,
    senderId: String(SENDER.id),
    fits(markdown) {
      const { text, entities } = renderMarkdown(markdown);
      return text.length <= 4096 && entities.length <= 100;
    },
    secrets: [server.token, wrongToken],
    async close() {
      await server.close();
      await front.close();
      expect(server.violations).toEqual([]);
    },
  };
}
