// A chat as one text, for requests and records that only carry it: `telegram:123`, with an account `telegram/work:123`, and a
// topic of it `telegram:-100123/45`. The topic is what follows the last slash, so an id that holds a slash itself has
// one more at its end.

/** One chat of one bot, or one topic of it. Messages within it are handled in order, one turn at a time. */
export interface ChatKey {
  channel: string;
  account: string;
  chatId: string;
  /** A topic is a conversation of its own, beside what is written outside of topics. */
  threadId?: string;
}

/** The account when none is named. */
export const DEFAULT_ACCOUNT = 'default';

/** One bot of the owner's on one platform. */
export type BotKey = Pick<ChatKey, 'channel' | 'account'>;

/** Where in a bot's platform. */
export type Place = Pick<ChatKey, 'chatId' | 'threadId'>;

export function chatName({ channel, account, ...place }: ChatKey): string {
  return `${account === DEFAULT_ACCOUNT ? channel : `${channel}/${account}`}:${placeName(place)}`;
}

/** Also the way other assistants write it, `telegram_123`. Undefined when it names no chat. */
export function parseChatName(name: string): ChatKey | undefined {
  const written = name.replace(/^([a-z]+)_/, '$1:');
  const [, channel, account = DEFAULT_ACCOUNT, place] = /^([a-z]+)(?:\/([^:]+))?:([\s\S]+)$/.exec(written) ?? [];
  return channel === undefined || place === undefined ? undefined : { channel, account, ...parsePlace(place) };
}

export function placeName({ chatId, threadId }: Place): string {
  if (threadId !== undefined) return `${chatId}/${threadId.replace(/[%/]/g, encodeURIComponent)}`;
  return chatId.includes('/') ? `${chatId}/` : chatId;
}

export function parsePlace(name: string): Place {
  const slash = name.lastIndexOf('/');
  if (slash <= 0) return { chatId: name };
  const topic = name.slice(slash + 1).replace(/%(?:25|2F)/g, decodeURIComponent);
  return { chatId: name.slice(0, slash), ...(topic !== '' && { threadId: topic }) };
}

/** The id of a chat, also when it was written with its channel in front: `telegram:123` or `telegram_123` on Telegram. */
export function plainChatId(channel: string, chatId: string): string {
  const isPrefixed = chatId.startsWith(`${channel}:`) || chatId.startsWith(`${channel}_`);
  return isPrefixed && chatId.length > channel.length + 1 ? chatId.slice(channel.length + 1) : chatId;
}
