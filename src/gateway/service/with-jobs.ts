// The gateway with its scheduled jobs: they begin when it is ready and end with it. Their answers go where the owner lets the
// bot write: to chats that are listed (`sendAllow`), and to those it is already talking with.
import type { ResolvedBot } from '../../config/gateway/resolve.ts';
import type { Deliver } from '../../schedule/post.ts';
import type { Scheduler } from '../../schedule/scheduler.ts';
import type { ChatKey } from '../../storage/mailbox.ts';
import type { ChannelGateway } from '../channel-gateway.ts';
import { parseChatName } from '../chats/chat-name.ts';
import { botFor } from './send-target.ts';

export function withJobs(gateway: ChannelGateway, scheduler: Scheduler): ChannelGateway {
  const cut = new AbortController();
  return {
    ...gateway,
    async start(signal) {
      await gateway.start(signal);
      await scheduler.start(cut.signal);
    },
    async drain(signal) {
      const onAbort = (): void => cut.abort();
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      await Promise.all([scheduler.stop(), gateway.drain(signal)]);
    },
  };
}

export interface DeliverDependencies {
  send: ChannelGateway['send'];
  bots(): readonly ResolvedBot[];
  isKnown(chat: ChatKey): Promise<boolean>;
}

export function createDeliver({ send, bots, isKnown }: DeliverDependencies): Deliver {
  return async ({ key, chat, text }) => {
    const named = parseChatName(chat);
    if (!named) return 'refused';
    const { channel, account, chatId } = named;
    const hasBot = bots().some((bot) => bot.channel === channel && bot.account === account);
    const target = hasBot && (await isKnown(named)) ? named : listed();
    if (!target) return 'refused';
    await send(target, text, key);
    return 'sent';

    function listed(): ChatKey | undefined {
      const bot = botFor({ channel, chatId }, bots());
      return bot && { channel, account: bot.account, chatId };
    }
  };
}
