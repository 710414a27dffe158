import { CHANNEL_NAMES } from '../../channels/channel-table.ts';
import { plainChatId } from '../../vocabulary/chat-name.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { ToolFailure, type ToolSpec } from '../tool.ts';

/** What became of a message: queued with the platform's bot, or why not. */
export type SentOutcome = { ok: true; account: string } | { ok: false; message: string; isDenied: boolean };

export interface SendMessageDependencies {
  /** Only to chats that the owner has listed; never throws but when the signal fires. */
  send(chat: { channel: string; chatId: string }, text: string, signal: AbortSignal): Promise<SentOutcome>;
}

/**
 * Needs no permission of its own: the owner's list of chats is the permission, and it is checked where the message is sent,
 * not here. In a tainted turn a person is asked all the same, because its effect is `send`.
 */
export function createSendMessageTool({ send }: SendMessageDependencies): ToolSpec {
  return defineTool({
    name: 'send_message',
    schema: {
      type: 'object',
      properties: {
        channel: { type: 'string', enum: CHANNEL_NAMES },
        chatId: { type: 'string', minLength: 1, maxLength: 500 },
        text: { type: 'string', minLength: 1, maxLength: 100_000 },
      },
      required: ['channel', 'chatId', 'text'],
      additionalProperties: false,
    },
    effect: 'send',
    subject: ({ channel, chatId }) => ({ kind: 'chat', channel, chatId: plainChatId(channel, chatId) }),
    rules: { pattern: 'chat' },
    requiresPermission: false,
    timeoutMs: 15_000,
    async execute({ channel, chatId, text }, { signal, language }) {
      const chat = { channel, chatId: plainChatId(channel, chatId) };
      const outcome = await send(chat, text, signal);
      if (!outcome.ok) throw new ToolFailure(outcome.message, outcome.isDenied ? { reason: 'denied' } : {});
      const data = { queued: true, ...chat, account: outcome.account };
      return { data, text: repliesIn({ language }).queued(`${chat.channel}:${chat.chatId}`) };
    },
  });
}
