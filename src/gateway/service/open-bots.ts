// The settings of bots as channels and as what the chats take: the one place that knows both sides.
import type { Channel } from '../../channels/channel.ts';
import type { Caps } from '../../pipeline/budget.ts';
import type { BotSettings, ChatLimits } from '../chats/chat.ts';
import type { ResolvedBot } from '../settings/resolve.ts';
import type { ServiceSettings } from '../settings/settings.ts';
import type { Log } from './service-log.ts';

/** Each platform's library is loaded with its first bot. */
export function openChannel(
  { definition, channel, account, own }: ResolvedBot,
  { now, log }: { now(): number; log: Log },
): Promise<Channel> {
  const warn = (message: string): void => log({ level: 'warn', event: 'channel', channel, account, message });
  return definition.open({ account, settings: own, now, warn });
}

export function turnSettings({ settings }: ResolvedBot, caps: Caps): BotSettings {
  const { provider, profile, model, withTools, toolAllow, toolMaxSteps, memory, mode, groups } = settings;
  return {
    turn: { provider, profileId: profile, model, withTools, toolAllow, toolMaxSteps, memory, mode, caps },
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
