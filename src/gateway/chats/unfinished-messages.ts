// Messages that a gateway has claimed and that were stored before: what is left to do with them.
import type { OutboxDraft, UnfinishedMessage } from '../../storage/mailbox.ts';
import { type ChatMessage, chatMessageOf, refusalIn } from './chat.ts';
import type { Batch } from './lanes.ts';

export interface SortedMessages {
  /** Only the words that refuse them are left to be sent. */
  refused: { message: UnfinishedMessage; replies: OutboxDraft[] }[];
  /** Turns that an earlier process had begun. */
  begun: Batch[];
  /** In order within each chat. */
  waiting: ChatMessage[];
}

export function sortUnfinished(unfinished: readonly UnfinishedMessage[]): SortedMessages {
  const sorted: SortedMessages = { refused: [], begun: [], waiting: [] };
  const own: UnfinishedMessage[] = [];
  for (const message of unfinished) {
    const replies = refusalIn(message.body);
    if (replies) sorted.refused.push({ message, replies });
    else own.push(message);
  }
  const toMessage = ({ chat, body }: UnfinishedMessage): ChatMessage => chatMessageOf(chat, body);
  for (const [turnId, messages] of Map.groupBy(own, (message) => message.turnId)) {
    const [first] = messages;
    if (turnId === undefined) sorted.waiting.push(...messages.map(toMessage).map(inItsTopic));
    else if (first) sorted.begun.push({ chat: first.chat, messages: messages.map(toMessage), turnId });
  }
  return sorted;
}

/** An earlier version kept what was written in a topic under the whole chat. */
function inItsTopic(waiting: ChatMessage): ChatMessage {
  const { threadId } = waiting.message;
  return threadId === undefined ? waiting : { ...waiting, chat: { ...waiting.chat, threadId } };
}
