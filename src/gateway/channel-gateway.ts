// The contract of the running gateway: channels on one side, `gateway.ask` on the other. The service (daemon, status, HTTP)
// is built around it and knows nothing else.
import type { ChannelStatus } from '../channels/channel.ts';
import type { DeadLetter, MailboxCounts } from '../storage/mailbox.ts';
import type { ChatKey } from '../vocabulary/chat-name.ts';

export interface ChannelGatewayStatus {
  /** `standby`: another gateway on the same storage runs this bot. */
  channels: ({ channel: string; account: string } & Omit<ChannelStatus, 'state'> & {
      state: ChannelStatus['state'] | 'standby';
    })[];
  mailbox: MailboxCounts;
  /** Turns that are running now. */
  runningTurns: number;
}

export interface ChannelGateway {
  /** Connects every channel and takes up what an earlier process left. Resolves when ready; rejects with the reason why not. */
  start(signal: AbortSignal): Promise<void>;
  status(): Promise<ChannelGatewayStatus>;
  /** Why no message can be answered here now, where the storage can be the reason; undefined when it can. */
  problem?(): Promise<string | undefined>;
  /**
   * Queues a text for a chat; durable when it resolves. Who may be written to was decided before. Of several with the same
   * `key` (at most 40 characters), one is sent.
   */
  send(chat: ChatKey, markdown: string, key?: string): Promise<{ keys: string[] }>;
  /** Another process has left something to be done: it is looked for at once, not only in a while. */
  wake(): void;
  deadLetters(): Promise<DeadLetter[]>;
  revive(key: string | undefined): Promise<number>;
  /**
   * Ends the bots of this channel alone: its running turns may end and be answered until the signal fires. What waits, and what
   * could not be sent, stays for its next start. False: it is not running.
   */
  stopChannel(channel: string, signal: AbortSignal): Promise<boolean>;
  /** Takes nothing new, lets running turns end and the outbox empty until the signal fires, then closes. */
  drain(signal: AbortSignal): Promise<void>;
}
