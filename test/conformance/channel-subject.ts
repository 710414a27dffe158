// What the conformance suite of channels talks to: a channel, and the platform on the other side of it.
import type { Button, Channel, IncomingMessage } from '../../src/channels/channel.ts';

/** What a person does on the platform. */
export interface WrittenMessage {
  chatId: string;
  /** Where the platform has topics. */
  threadId?: string;
  senderId: string;
  text: string;
  chatKind?: 'direct' | 'group';
  /** In a group: the bot is mentioned. */
  mentionsBot?: boolean;
  /** The id of an earlier message. */
  replyTo?: string;
  file?: { kind: 'image' | 'file'; name: string; content: Uint8Array };
}

/** A message of the bot as a person sees it now. */
export interface SeenMessage {
  chatId: string;
  threadId?: string;
  messageId: string;
  /** What is read: the words, without the platform's markup. */
  text: string;
  replyTo?: string;
  buttons: readonly Pick<Button, 'label' | 'value'>[];
  /** Of a message that is a picture: its bytes. */
  picture?: Uint8Array;
}

export type PlatformFault =
  | { kind: 'rate-limited'; retryAfterMs: number }
  /** The platform cannot be reached, or says that it is out of order. */
  | { kind: 'unreachable' }
  /** The message is taken, the answer to it is lost. */
  | { kind: 'answer-lost' }
  | { kind: 'rejected' };

export interface Platform {
  /** Resolves when the platform has it; it may reach the channel later. */
  write(message: WrittenMessage): Promise<{ id: string }>;
  /** Everything the bot has in the chat, oldest first. */
  seen(chatId: string): Promise<SeenMessage[]>;
  /** The next request to send a message of this kind meets this. Absent when there is nothing in between. */
  failNextSend?(fault: PlatformFault, kind?: 'text' | 'picture'): void;
  /** Delivers again what was not acknowledged, at once. Absent where the platform does so by itself and soon. */
  redeliver?(): Promise<void>;
  /** Where there are buttons: somebody presses one. */
  press?(button: { chatId: string; messageId: string; value: string; senderId: string }): Promise<void>;
  /** Cuts the connection; it can be opened again only after `restore`. Absent where there is none. */
  disconnect?(): Promise<void>;
  restore?(): Promise<void>;
}

export interface ChannelSubject {
  platform: Platform;
  /** A channel that is not connected. Another one is like the process after a restart. */
  open(): Channel;
  /** With credentials that the platform does not accept; absent where there are none. */
  openUnauthorised?(): Channel;
  /** A chat of each kind that the bot may write to. */
  chats: { direct: string; otherDirect: string; group: string };
  senderId: string;
  /** Whether the platform takes this part of a text as one message. */
  fits(markdown: string): boolean;
  /** Must appear in no error. */
  secrets: readonly string[];
  close(): Promise<void>;
}

/** Takes what a channel delivers, and can refuse to. */
export function createReceiver(): {
  receive(message: IncomingMessage): Promise<void>;
  /** Accepted, in order of arrival; a message twice when it was delivered twice. */
  readonly received: IncomingMessage[];
  /** Every delivery, accepted or not. */
  readonly deliveries: IncomingMessage[];
  /** So many deliveries are refused. */
  refuse(count: number): void;
  /** Deliveries wait until this is released. */
  hold(): () => void;
} {
  const received: IncomingMessage[] = [];
  const deliveries: IncomingMessage[] = [];
  let refusals = 0;
  let held: Promise<void> = Promise.resolve();
  return {
    received,
    deliveries,
    refuse(count) {
      refusals = count;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    async receive(message) {
      deliveries.push(message);
      await held;
      if (refusals > 0) {
        refusals -= 1;
        throw new Error('the disk is full');
      }
      received.push(message);
    },
  };
}
