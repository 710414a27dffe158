// A chat as one text, for requests and records that only carry it: `telegram:123`, with an account `telegram/work:123`.
import type { ChatKey } from '../../storage/mailbox.ts';

export function chatName({ channel, account, chatId }: ChatKey): string {
  return `${account === 'default' ? channel : `${channel}/${account}`}:${chatId}`;
}

/** Undefined when it names no chat. */
export function parseChatName(name: string): ChatKey | undefined {
  const [, channel, account = 'default', chatId] = /^([a-z]+)(?:\/([^:]+))?:([\s\S]+)$/.exec(name) ?? [];
  return channel === undefined || chatId === undefined ? undefined : { channel, account, chatId };
}
