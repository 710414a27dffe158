// The platform's two events that matter, as messages of the contract: something was written to the bot, a button under a
// card of ours was pressed. Both arrive flat, as the SDK's dispatcher hands them on: the header's fields beside the event's.
import type { IncomingMessage } from '../channel.ts';
import type { ButtonValue } from './card.ts';
import { type RawMessage, readContent } from './content.ts';

export const MESSAGE_EVENT = 'im.message.receive_v1';
export const PRESS_EVENT = 'card.action.trigger';

export interface MessageEvent {
  sender: { sender_id?: { open_id?: string; union_id?: string; user_id?: string }; sender_type?: string };
  message: RawMessage & {
    root_id?: string;
    parent_id?: string;
    thread_id?: string;
    create_time: string;
    chat_id: string;
    chat_type: string;
  };
}

export interface PressEvent {
  event_id: string;
  create_time?: string;
  operator: { open_id?: string; name?: string };
  action?: { value?: unknown };
  context?: { open_message_id?: string; open_chat_id?: string };
}

/** Undefined: not for us, such as the word of another bot. */
export function messageOf(event: MessageEvent, botOpenId: string | undefined): IncomingMessage | undefined {
  const { message, sender } = event;
  const senderId = sender?.sender_id?.open_id;
  if (!message?.message_id || !message.chat_id || !senderId || sender.sender_type === 'app') return undefined;
  const { text, files } = readContent(message, botOpenId);
  const isDirect = message.chat_type === 'p2p';
  const sentAt = Number(message.create_time);
  return {
    id: message.message_id,
    chatId: message.chat_id,
    // A topic is answered by answering its first message.
    threadId: message.thread_id ? (message.root_id ?? message.message_id) : undefined,
    chatKind: isDirect ? 'direct' : 'group',
    isAddressed:
      isDirect || (message.mentions ?? []).some(({ id }) => botOpenId !== undefined && id?.open_id === botOpenId),
    sender: { id: senderId },
    order: sentAt,
    sentAt,
    text,
    files,
    replyTo: message.parent_id,
  };
}

export function pressOf(
  event: PressEvent,
  chatKind: IncomingMessage['chatKind'],
  now: number,
): IncomingMessage | undefined {
  const { operator, context } = event;
  const button = buttonValueOf(event);
  if (!event.event_id || !operator?.open_id || !context?.open_message_id || !context.open_chat_id || !button)
    return undefined;
  const sentAt = millisecondsOf(event.create_time) ?? now;
  return {
    id: event.event_id,
    chatId: context.open_chat_id,
    threadId: button.threadId,
    chatKind,
    isAddressed: true,
    sender: { id: operator.open_id, name: operator.name },
    order: sentAt,
    sentAt,
    text: '',
    files: [],
    pressed: { value: button.value, messageId: context.open_message_id },
  };
}

export function buttonValueOf(event: PressEvent): ButtonValue | undefined {
  const value = event.action?.value as Partial<ButtonValue> | undefined;
  if (typeof value !== 'object' || value === null || typeof value.value !== 'string') return undefined;
  const chatKind = value.chatKind === 'direct' || value.chatKind === 'group' ? value.chatKind : undefined;
  const threadId = typeof value.threadId === 'string' ? value.threadId : undefined;
  return { value: value.value, chatKind, threadId };
}

/** Events tell milliseconds, presses microseconds. */
function millisecondsOf(time: string | undefined): number | undefined {
  const value = Number(time);
  if (!Number.isFinite(value) || value <= 0) return undefined;
  return value > 1e14 ? Math.floor(value / 1_000) : value;
}
