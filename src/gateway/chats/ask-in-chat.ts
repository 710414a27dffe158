// Puts the permission questions of a turn to its chat. A question goes through the outbox like everything else; what
// became of it is written under it, and its buttons go away.
import type { Channel, IncomingMessage, SentMessage } from '../../channels/channel.ts';
import type { ChatKey, Mailbox } from '../../storage/mailbox.ts';
import type { AskPerson } from '../../tools/policy.ts';
import type { Approvals } from './approvals.ts';
import type { Delivery } from './delivery.ts';
import { draftsOf } from './outgoing.ts';

const CONCLUDED_WITHIN_MS = 30_000;

export interface AskInChatOptions {
  approvals: Approvals;
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

export function createAskInChat(options: AskInChatOptions): AskPerson {
  const { approvals, mailbox, delivery, channel, chat, key, replyTo, onShown, now } = options;
  const sentAs = new Map<string, { message: Promise<SentMessage>; giveUp: AbortController }>();
  return approvals.askIn(chat, {
    async show({ id, markdown, buttons }) {
      const drafts = draftsOf({ chat, channel, key: `${key}-${id}`, markdown, replyTo: replyTo.id, buttons });
      const giveUp = new AbortController();
      const message = delivery.whenSent(drafts.at(-1)?.key ?? '', giveUp.signal);
      message.catch(() => {});
      sentAs.set(id, { message, giveUp });
      await mailbox.enqueue(drafts, now());
      onShown();
      delivery.wake();
    },
    conclude({ id, markdown }, ending) {
      const place = sentAs.get(id);
      sentAs.delete(id);
      if (!place) return;
      const last = channel.split(markdown).at(-1) ?? '';
      const content = { markdown: `${last}\n\n**${ending}**` };
      // It may be answered before we hear that it was sent.
      const late = setTimeout(() => place.giveUp.abort(), CONCLUDED_WITHIN_MS);
      place.message
        .then((message) => channel.edit(message, content, AbortSignal.timeout(CONCLUDED_WITHIN_MS)))
        .catch(() => {})
        .finally(() => clearTimeout(late));
    },
  });
}
