// The gateway with its scheduled jobs: they begin when it is ready and end with it.
import type { RunningScheduler } from '../../schedule/lasting-scheduler.ts';
import { parseChatName } from '../../vocabulary/chat-name.ts';
import type { Deliver } from '../../vocabulary/delivery.ts';
import type { ChannelGateway } from '../channel-gateway.ts';
import { type AnswerRules, answerTarget } from './answer-target.ts';

export function withJobs(gateway: ChannelGateway, scheduler: RunningScheduler): ChannelGateway {
  const cut = new AbortController();
  let isStarted = false;
  return {
    ...gateway,
    async start(signal) {
      await gateway.start(signal);
      await scheduler.start(cut.signal);
      isStarted = true;
    },
    wake() {
      gateway.wake();
      if (isStarted) scheduler.wake();
    },
    async drain(signal) {
      const onAbort = (): void => cut.abort();
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      await Promise.all([scheduler.stop(), gateway.drain(signal)]);
    },
  };
}

export interface DeliverRules extends AnswerRules {
  /** Other gateways use the same storage, and have bots that are not configured here. */
  isShared: boolean;
}

export function createDeliver(send: ChannelGateway['send'], rules: DeliverRules): Deliver {
  const isForAnother = (name: string): boolean => {
    const chat = parseChatName(name);
    return (
      chat !== undefined &&
      !rules.bots().some(({ channel, account }) => channel === chat.channel && account === chat.account)
    );
  };
  return async ({ key, chat, text, asker }) => {
    const target = await answerTarget(chat, asker, rules);
    // The gateway that has the bot decides.
    if (!target.ok && rules.isShared && isForAnother(chat)) return 'later';
    if (!target.ok) return { refused: target.reason };
    await send(target.chat, text, key);
    return 'sent';
  };
}
