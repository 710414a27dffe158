// The settings of bots as channels and as what the chats take: the one place that knows both sides.
import type { Channel } from '../../channels/channel.ts';
import type { Caps } from '../../pipeline/budget.ts';
import type { BotSettings, ChatLimits } from '../chats/chat.ts';
import type { ResolvedBot } from '../settings/resolve.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import type { Log } from './service-log.ts';

/** Each platform's library is loaded with its first bot. */
export async function openChannel(bot: ResolvedBot, { now, log }: { now(): number; log: Log }): Promise<Channel> {
  const { channel, account } = bot;
  switch (channel) {
    case 'feishu': {
      const { createFeishuChannel } = await import('../../channels/feishu/feishu.ts');
      return createFeishuChannel({ account, now, ...bot.own });
    }
    case 'telegram': {
      const { createTelegramChannel } = await import('../../channels/telegram/telegram-channel.ts');
      const { mode, webhookUrl = '', webhookSecret = '', ...own } = bot.own;
      return createTelegramChannel({
        account,
        now,
        ...own,
        ...(mode === 'webhook' ? { mode, webhookUrl, webhookSecret } : { mode }),
      });
    }
    case 'local': {
      const { createLocalChannel } = await import('../../channels/local/local-channel.ts');
      const warn = (message: string): void => log({ level: 'warn', event: 'inbox', channel, account, message });
      return createLocalChannel({ account, now, directory: bot.own.folder, warn });
    }
  }
}

export function turnSettings({ settings }: ResolvedBot, caps: Caps): BotSettings {
  const { provider, profile, model, withTools, toolAllow, toolMaxSteps, memory, approve, groups } = settings;
  return {
    turn: { provider, profileId: profile, model, withTools, toolAllow, toolMaxSteps, memory, approval: approve, caps },
    groups,
  };
}

export function chatLimits({
  debounceMs,
  maxConcurrentTurns,
  approvalTimeoutMs,
}: ServiceSettings): Partial<ChatLimits> {
  return { debounceMs, concurrentTurns: maxConcurrentTurns, approvalMs: approvalTimeoutMs };
}
