// Tells an admitted person that they may write now: a message in the outbox, which the gateway sends when it runs. The key is made
// of the request, so of one approval one message is sent, however often it is tried.
import { createHash } from 'node:crypto';
import type { Mailbox } from '../../storage/mailbox.ts';
import type { ChatKey } from '../../vocabulary/chat-name.ts';
import type { PairingRequest } from './requests.ts';

const WELCOME = 'The owner has admitted you: you may write to me now.';

/** Durable when it resolves. */
export async function welcome(
  { code, createdAt }: Pick<PairingRequest, 'code' | 'createdAt'>,
  chat: ChatKey,
  { mailbox, now }: { mailbox: Pick<Mailbox, 'enqueue'>; now(): number },
): Promise<void> {
  const name = JSON.stringify([chat.channel, chat.account, chat.chatId, code, createdAt]);
  const key = `paired-${createHash('sha256').update(name).digest('hex').slice(0, 24)}`;
  await mailbox.enqueue([{ key, chat, body: JSON.stringify({ markdown: WELCOME }) }], now());
}
