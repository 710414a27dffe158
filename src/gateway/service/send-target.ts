// Which bot may write to a chat that nobody asked from: only one whose owner has listed the chat.

import { chatName, DEFAULT_ACCOUNT, placeName } from '../../vocabulary/chat-name.ts';
import type { ResolvedBot } from '../settings/resolve.ts';
import type { BotSettings } from '../settings/settings.ts';

export interface SendTarget {
  channel: string;
  account?: string;
  chatId: string;
  threadId?: string;
}

type SendingBot = Pick<ResolvedBot, 'channel' | 'account'> & { settings: Pick<BotSettings, 'sendAllow'> };

/**
 * The bot that is named in the list; otherwise the channel's default one, otherwise any that lists the chat. A chat that is
 * listed is so with all its topics; a topic can be listed by itself.
 */
export function botFor<T extends SendingBot>(
  { channel, chatId, threadId }: SendTarget,
  bots: readonly T[],
): T | undefined {
  const ofChannel = bots.filter((bot) => bot.channel === channel);
  const places = [chatId, placeName({ chatId }), placeName({ chatId, threadId })];
  const listing = (prefix: (bot: T) => string): T[] =>
    ofChannel.filter((bot) => places.some((place) => bot.settings.sendAllow.includes(`${prefix(bot)}:${place}`)));
  const named = listing((bot) => `${channel}/${bot.account}`);
  const any = listing(() => channel);
  return named[0] ?? any.find(({ account }) => account === DEFAULT_ACCOUNT) ?? any[0];
}

/** Why none may, and what the owner can do. What is listed is the owner's to know: elsewhere it is left out. */
export function notAllowed(
  { channel, account = DEFAULT_ACCOUNT, chatId, threadId }: SendTarget,
  bots: readonly SendingBot[],
  isForOwner = true,
): string {
  const name = chatName({ channel, account, chatId, threadId });
  const ofChannel = bots.filter((bot) => bot.channel === channel);
  if (ofChannel.length === 0) {
    const running = [...new Set(bots.map((bot) => bot.channel))];
    const flags = [...running, channel].map((each) => `--channel ${each}`).join(' ');
    return `${name} may not be written to: the gateway has no channel "${channel}"; it has ${running.join(', ') || 'none'} (stop it, then: lainclaw gateway start ${flags})`;
  }
  // The list is set as a whole: what it holds stays in it. A channel's own goes before the one of all channels.
  const all = new Set(ofChannel.flatMap(({ settings }) => settings.sendAllow));
  const listed = isForOwner || all.size === 0 ? all : ['<what it holds>'];
  return `${name} may not be written to: the owner allows a chat by adding it to sendAllow (lainclaw gateway config set --channel ${channel} sendAllow=${[...listed, name].join(',')})`;
}
