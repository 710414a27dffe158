// The pattern of a rule on chats, send_message(…): `telegram:12345` is this chat, `telegram:*` every chat of the channel.
import type { TargetPattern } from './target-pattern.ts';

export type ParsedChatPattern = { ok: true; pattern: TargetPattern } | { ok: false; error: string };

export function parseChatPattern(text: string): ParsedChatPattern {
  const found = /^([a-z][a-z0-9-]*):(.+)$/.exec(text.trim());
  const [, channel, chatId = ''] = found ?? [];
  if (!found || (chatId !== '*' && chatId.includes('*')))
    return { ok: false, error: 'not a chat; accepted are telegram:12345 and telegram:*' };
  const allows = (target: string): boolean =>
    chatId === '*' ? target.startsWith(`${channel}:`) : target === `${channel}:${chatId}`;
  return { ok: true, pattern: { allows, touches: (target) => allows(target.trim()) } };
}
