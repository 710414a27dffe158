// Puts a question of a turn into its chat. It goes through the outbox like everything else; what became of it is written
// under it, and its buttons go away.
import type { Channel, IncomingMessage } from '../../channels/channel.ts';
import type { Mailbox } from '../../storage/mailbox.ts';
import type { ChatKey } from '../../vocabulary/chat-name.ts';
import type { Delivery } from './delivery.ts';
import { draftsOf } from './outgoing.ts';
import type { QuestionMessage } from './question-text.ts';

const CONCLUDED_WITHIN_MS = 30_000;

export interface ShowQuestionOptions {
  mailbox: Pick<Mailbox, 'enqueue'>;
  delivery: Pick<Delivery, 'wake' | 'whenSent'>;
  channel: Channel;
  chat: ChatKey;
  /** Of the turn. */
  key: string;
  replyTo: Pick<IncomingMessage, 'id'>;
  onShown(): void;
  now(): number;
}

/** Best effort; nobody waits for it. */
export type Conclude = (ending: string) => void;

/** Resolves when the question is on its way. `id` tells the messages of one turn apart. */
export type ShowQuestion = (id: string, message: QuestionMessage) => Promise<Conclude>;

export function createShowQuestion(options: ShowQuestionOptions): ShowQuestion {
  const { mailbox, delivery, channel, chat, key, replyTo, onShown, now } = options;
  return async (id, { markdown, buttons }) => {
    const drafts = draftsOf({ chat, channel, key: `${key}-${id}`, markdown, replyTo: replyTo.id, buttons });
    const giveUp = new AbortController();
    const sent = delivery.whenSent({ key: drafts.at(-1)?.key ?? '', chat }, giveUp.signal);
    sent.catch(() => {});
    await mailbox.enqueue(drafts, now());
    onShown();
    delivery.wake();
    return (ending) => {
      const last = channel.split(markdown).at(-1) ?? '';
      const content = { markdown: `${last}\n\n**${ending}**` };
      // It may be answered before we hear that it was sent.
      const late = setTimeout(() => giveUp.abort(), CONCLUDED_WITHIN_MS);
      sent
        .then((message) => channel.edit(message, content, AbortSignal.timeout(CONCLUDED_WITHIN_MS)))
        .catch(() => {})
        .finally(() => clearTimeout(late));
    };
  };
}
