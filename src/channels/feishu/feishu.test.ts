import { describeChannel } from '../../../test/conformance/channel.ts';
import type { PlatformFault, SeenMessage } from '../../../test/conformance/channel-subject.ts';
import type { FeishuServer } from '../../../test/fakes/feishu-server/feishu-server.ts';
import { ANNA, channelOn, DIRECT, GROUP, OTHER, startPlatform } from '../../../test/support/feishu-platform.ts';
import type { Channel } from '../channel.ts';
import { cardOf } from './card.ts';
import type { FeishuChannelOptions } from './feishu.ts';

function failNextSend(server: FeishuServer, fault: PlatformFault): void {
  if (fault.kind === 'rejected') server.api.failNext({ kind: 'refused', code: 230028, msg: 'audit' });
  else server.api.failNext(fault);
}

function seenIn(server: FeishuServer, chatId: string): SeenMessage[] {
  return server.sent(chatId).map(({ messageId, replyTo, seen, picture }) => ({
    chatId,
    messageId,
    text: seen.text,
    ...(picture && { picture }),
    ...(replyTo === undefined ? {} : { replyTo }),
    buttons: seen.buttons.map(({ label, value }) => ({ label, value: (value as { value: string }).value })),
  }));
}

/** A request with a card of this text and two buttons. */
function fits(markdown: string): boolean {
  const buttons = ['Yes', 'No'].map((label) => ({ label, value: 'x'.repeat(60) }));
  const content = cardOf({ markdown, buttons }, { chatKind: 'direct', threadId: 'x'.repeat(40) });
  const request = JSON.stringify({
    receive_id: 'x'.repeat(40),
    msg_type: 'interactive',
    content,
    uuid: 'x'.repeat(50),
  });
  return Buffer.byteLength(request) <= 30 * 1024;
}

describeChannel('feishu over the long connection', async () => {
  const server = await startPlatform();
  return {
    open: () => channelOn(server),
    openUnauthorised: () => channelOn(server, { appSecret: 'wrong-secret-of-the-app' }),
    chats: { direct: DIRECT, otherDirect: OTHER, group: GROUP },
    senderId: ANNA,
    fits,
    secrets: [server.appSecret, 'wrong-secret-of-the-app'],
    close: () => server.close(),
    platform: {
      write: async (message) => ({ id: server.say(message).messageId }),
      press: async (press) => void server.press(press),
      seen: async (chatId) => seenIn(server, chatId),
      failNextSend: (fault) => failNextSend(server, fault),
      redeliver: async () => server.push.redeliver(),
      disconnect: async () => server.disconnect(),
      restore: async () => server.restore(),
    },
  };
});

describeChannel('feishu by webhook', async () => {
  const server = await startPlatform({ isWebhookOnly: true });
  const undelivered = new Set<string>();
  let current: Channel | undefined;
  async function deliver(): Promise<void> {
    const channel = current;
    if (!channel?.webhook || channel.status().state !== 'connected') return;
    for (const eventId of [...undelivered]) {
      const { body, headers } = server.webhookRequest(eventId);
      const answer = await channel.webhook(new Request('http://here/', { method: 'POST', body, headers }));
      if (answer.status === 200) undelivered.delete(eventId);
    }
  }
  /** The platform posts by itself, and again what was not taken. */
  const post = setInterval(() => void deliver(), 25);
  const open = (more: Partial<FeishuChannelOptions> = {}): Channel => {
    const { encryptKey, verificationToken } = server;
    current = channelOn(server, { mode: 'webhook', encryptKey, verificationToken, ...more });
    return current;
  };
  return {
    open: () => open(),
    openUnauthorised: () => open({ appSecret: 'wrong-secret-of-the-app' }),
    chats: { direct: DIRECT, otherDirect: OTHER, group: GROUP },
    senderId: ANNA,
    fits,
    secrets: [server.appSecret, server.encryptKey, server.verificationToken],
    async close() {
      clearInterval(post);
      await server.close();
    },
    platform: {
      async write(message) {
        const { messageId, eventId } = server.say(message);
        undelivered.add(eventId);
        return { id: messageId };
      },
      press: async (press) => void undelivered.add(server.press(press).eventId),
      seen: async (chatId) => seenIn(server, chatId),
      failNextSend: (fault) => failNextSend(server, fault),
    },
  };
});
