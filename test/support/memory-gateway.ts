// A gateway that keeps everything in memory: a real implementation of the contract as far as the service can see it. It echoes
// no model; what is sent to it is taken or, for chats named so, fails for good.
import type { ChannelGateway } from '../../src/gateway/channel-gateway.ts';
import type { GatewayContext, OpenedGateway } from '../../src/gateway/service/run-service.ts';
import type { DeadLetter } from '../../src/storage/mailbox.ts';
import type { ChatKey } from '../../src/vocabulary/chat-name.ts';

export interface MemoryGateway extends ChannelGateway {
  readonly sent: { chat: ChatKey; markdown: string }[];
}

export interface MemoryGatewayOptions {
  bots: readonly { channel: string; account: string }[];
  now(): number;
  /** What `start` waits for, and fails with. */
  starting?(signal: AbortSignal): Promise<void>;
  /** What `drain` waits for. */
  draining?(signal: AbortSignal): Promise<void>;
}

export function createMemoryGateway({ bots, now, starting, draining }: MemoryGatewayOptions): MemoryGateway {
  const sent: MemoryGateway['sent'] = [];
  const dead = new Map<string, DeadLetter>();
  let state: 'connecting' | 'connected' | 'closed' = 'connecting';
  let since = now();
  let last = 0;
  const become = (next: typeof state): void => {
    state = next;
    since = now();
  };
  return {
    sent,
    async start(signal) {
      await starting?.(signal);
      become('connected');
    },
    status: async () => ({
      channels: bots.map((bot) => ({ ...bot, state, since, reconnects: 0 })),
      mailbox: { inbox: 0, outbox: 0, dead: dead.size },
      runningTurns: 0,
    }),
    async send(chat, markdown) {
      last += 1;
      const key = `key-${last}`;
      if (chat.chatId.startsWith('gone')) {
        const letter = {
          key,
          chat,
          body: markdown,
          attempts: 3,
          dueAt: now(),
          lastError: 'the chat is gone',
          diedAt: now(),
        };
        dead.set(key, letter);
      } else sent.push({ chat, markdown });
      return { keys: [key] };
    },
    wake() {},
    deadLetters: async () => [...dead.values()],
    async revive(key) {
      const chosen = [...dead.keys()].filter((candidate) => key === undefined || candidate === key);
      for (const each of chosen) dead.delete(each);
      return chosen.length;
    },
    stopChannel: async (channel) => bots.some((bot) => bot.channel === channel),
    async drain(signal) {
      await draining?.(signal);
      become('closed');
    },
  };
}

/** As the service opens it: the bots of the settings, and a webhook that answers with what it was sent. */
export function openMemoryGateway(
  { settings }: GatewayContext,
  options: Omit<MemoryGatewayOptions, 'bots' | 'now'> = {},
): OpenedGateway & { gateway: MemoryGateway } {
  const bots = settings().bots.map(({ channel, account }) => ({ channel, account }));
  const webhook = async (request: Request): Promise<Response> => new Response(`got ${await request.text()}`);
  return {
    gateway: createMemoryGateway({ bots, now: Date.now, ...options }),
    channels: bots.map(({ channel, account }) => ({ name: channel, account, webhook }) as never),
  };
}
