// One bot of a gateway that shares its chats with others, while this gateway holds the bot's lock: connected to its platform, it stores what arrives and
// sends what waits.
import type { Channel } from '../../channels/channel.ts';
import type { ChannelGateway } from '../channel-gateway.ts';
import type { ChannelGatewayDependencies } from './channel-gateway-dependencies.ts';
import type { ChatLimits } from './chat.ts';
import type { ChoicesStore } from './choices.ts';
import { aborted, connectChannels } from './connect-channels.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import { endLeftProgress } from './left-progress.ts';
import { draftsOf } from './outgoing.ts';
import { createPruning } from './pruning.ts';
import type { Reception } from './receive.ts';

/** How long a platform is waited for when the connection is closed. */
const GRACE_MS = 5_000;
const SHOWN_DEAD_LETTERS = 1_000;

export interface ConnectedBotDependencies
  extends Pick<
    ChannelGatewayDependencies,
    'mailbox' | 'audit' | 'mayReceive' | 'isStillOurs' | 'now' | 'newId' | 'random' | 'log'
  > {
  channel: Channel;
  reception: Reception;
  choices: ChoicesStore;
  limits: ChatLimits;
}

export interface ConnectedBot {
  gateway: ChannelGateway;
  delivery: Delivery;
}

export function createConnectedBot(dependencies: ConnectedBotDependencies): ConnectedBot {
  const { channel, mailbox, reception, choices, limits, now, newId, log } = dependencies;
  const bot = { channel: channel.name, account: channel.account };
  const channels = [channel];
  const delivery = createDelivery({ ...dependencies, channels });
  const pruning = createPruning({ mailbox, limits, isIdle: () => true, now, log });
  const ending = new AbortController();

  async function close(): Promise<void> {
    ending.abort();
    await delivery.stop();
    const closed = Promise.allSettled([pruning.stop(), channel.close()]);
    await Promise.race([closed, aborted(AbortSignal.timeout(GRACE_MS))]);
  }

  const gateway: ChannelGateway = {
    async start(signal) {
      try {
        await connectChannels({ channels, reception, limits, ending: ending.signal, log }, signal);
      } catch (error) {
        await close();
        throw error;
      }
      const own = ({ channel: name, account }: typeof bot): Channel | undefined =>
        name === bot.channel && account === bot.account ? channel : undefined;
      await endLeftProgress({ mailbox, choices, channel: own, now });
      delivery.wake();
      void pruning.begin();
    },
    status: async () => ({
      channels: [{ ...bot, ...channel.status() }],
      mailbox: await mailbox.counts(),
      runningTurns: 0,
    }),
    async send(chat, markdown, key = newId('send')) {
      const drafts = draftsOf({ chat, channel, key, markdown });
      await mailbox.enqueue(drafts, now());
      delivery.wake();
      return { keys: drafts.map((draft) => draft.key) };
    },
    wake: () => delivery.wake(),
    deadLetters: () => mailbox.deadLetters(SHOWN_DEAD_LETTERS),
    async revive(key) {
      const revived = await mailbox.revive(key, now());
      delivery.wake();
      return revived;
    },
    async stopChannel(name, signal) {
      if (name !== bot.channel) return false;
      await gateway.drain(signal);
      return true;
    },
    async drain(signal) {
      await delivery.settled(signal);
      await close();
    },
  };
  return { gateway, delivery };
}
