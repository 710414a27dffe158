// Which bot may write to a chat that nobody asked from: only one whose owner has listed the chat.
import type { ResolvedBot } from '../../config/gateway/resolve.ts';
import { DEFAULT_ACCOUNT } from '../../config/gateway/settings.ts';

export interface SendTarget {
  channel: string;
  chatId: string;
}

/** The bot that is named in the list; otherwise the channel's default one, otherwise any that lists the chat. */
export function botFor({ channel, chatId }: SendTarget, bots: readonly ResolvedBot[]): ResolvedBot | undefined {
  const ofChannel = bots.filter((bot) => bot.channel === channel);
  const listing = (entry: (bot: ResolvedBot) => string): ResolvedBot[] =>
    ofChannel.filter((bot) => bot.settings.sendAllow.includes(entry(bot)));
  const named = listing((bot) => `${channel}/${bot.account}:${chatId}`);
  const any = listing(() => `${channel}:${chatId}`);
  return named[0] ?? any.find(({ account }) => account === DEFAULT_ACCOUNT) ?? any[0];
}
