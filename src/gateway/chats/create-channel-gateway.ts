// The running gateway: channels on one side, `gateway.ask` on the other. What arrives is stored, goes to its chat's lane,
// becomes a turn or a command, and is answered through the outbox; what an earlier process left is taken up first.
import type { Channel } from '../../channels/channel.ts';
import type { UnfinishedMessage } from '../../storage/mailbox.ts';
import type { BotKey } from '../../vocabulary/chat-name.ts';
import type { ChannelGateway } from '../channel-gateway.ts';
import type { ChannelGatewayDependencies } from './channel-gateway-dependencies.ts';
import { botName, DEFAULT_LIMITS } from './chat.ts';
import { createChatHandling } from './chat-handling.ts';
import { createChoices } from './choices.ts';
import { readCommand } from './commands/all.ts';
import { aborted, connectChannels } from './connect-channels.ts';
import { createDelivery } from './delivery.ts';
import { createInbox } from './inbox.ts';
import { createLanes } from './lanes.ts';
import { endLeftProgress } from './left-progress.ts';
import { draftsOf } from './outgoing.ts';
import { createPruning } from './pruning.ts';
import { sortUnfinished } from './unfinished-messages.ts';

/** How long turns that were asked to end are waited for. */
const GRACE_MS = 5_000;
const SHOWN_DEAD_LETTERS = 1_000;

export function createChannelGateway(dependencies: ChannelGatewayDependencies): ChannelGateway {
  const { mailbox, now, newId, log } = dependencies;
  const limits = { ...DEFAULT_LIMITS, ...dependencies.limits };
  let channels = dependencies.channels;
  const channel = (bot: BotKey): Channel | undefined =>
    channels.find(({ name, account }) => name === bot.channel && account === bot.account);
  const ending = new AbortController();
  const inbox = createInbox(mailbox, dependencies.claimant);
  const choices = createChoices(mailbox);
  const delivery = createDelivery({ ...dependencies, channels });
  const { reception, turns, handle } = createChatHandling({
    ...dependencies,
    inbox,
    choices,
    delivery,
    channel,
    limits,
    ending: ending.signal,
    waiting: {
      isHere: true,
      async add(message, received) {
        if (received === 'claimed') lanes.add(message);
        else await takeUp(await inbox.claim({ chat: message.chat }));
        await turns.offerWaiting(message.chat);
      },
      countIn: async (chat) => lanes.countIn(chat),
      couldJoin: async (chat) => lanes.waitingIn(chat),
      drop: (chat, messages) => void lanes.discard(chat, (message) => messages.includes(message)),
      async discard(chat, isMeant) {
        const { messages, putBack } = lanes.withdraw(chat, isMeant);
        const keys = messages.map(({ message: { id } }) => ({ chat, id }));
        try {
          if (keys.length > 0) await inbox.finish(keys, [], now());
        } catch (error) {
          putBack();
          throw error;
        }
        return keys.length;
      },
      whileWaiting: (chat, wait) => lanes.whileWaiting(chat, wait),
    },
  });
  const lanes = createLanes({
    limits,
    handle,
    standsAlone: (message) => readCommand(message) !== undefined,
    onFailure: ({ chat }, error) =>
      log(`will be tried again: ${error instanceof Error ? error.message : error}`, { level: 'warn', chat }),
  });

  const pruning = createPruning({ mailbox, limits, isIdle: () => lanes.running === 0, now, log });

  async function takeUp(unfinished: readonly UnfinishedMessage[]): Promise<void> {
    const { refused, begun, waiting } = sortUnfinished(unfinished);
    for (const { message, replies } of refused) await inbox.finish([message], replies, now());
    for (const batch of begun) lanes.addBegun(batch);
    for (const message of waiting) lanes.add(message);
  }

  /** Also a message that a gateway stored which had lost this bot by then. What belongs to a channel that is not running now waits until it is. */
  async function takeUpLeft(): Promise<void> {
    await takeUp(await inbox.claim({ bots: channels.map(({ name, account }) => ({ channel: name, account })) }));
  }

  async function close(): Promise<void> {
    ending.abort();
    await delivery.stop();
    const closed = Promise.allSettled([pruning.stop(), ...channels.map((each) => each.close())]);
    await Promise.race([closed, aborted(AbortSignal.timeout(GRACE_MS))]);
  }

  return {
    async start(signal) {
      await takeUpLeft();
      try {
        await connectChannels({ channels, reception, limits, ending: ending.signal, log }, signal);
      } catch (error) {
        await close();
        throw error;
      }
      await endLeftProgress({ mailbox, choices, channel, now });
      lanes.open();
      delivery.wake();
      void pruning.begin();
    },

    async status() {
      return {
        channels: channels.map((each) => ({ channel: each.name, account: each.account, ...each.status() })),
        mailbox: await mailbox.counts(),
        runningTurns: lanes.running,
      };
    },

    async send(chat, markdown, key = newId('send')) {
      const own = channel(chat);
      if (!own) {
        const known = channels.map(({ name, account }) => botName({ channel: name, account })).join(', ');
        throw new Error(`the channel ${botName(chat)} is not running; running: ${known}`);
      }
      const drafts = draftsOf({ chat, channel: own, key, markdown });
      await mailbox.enqueue(drafts, now());
      delivery.wake();
      return { keys: drafts.map(({ key }) => key) };
    },

    wake() {
      delivery.wake();
      if (ending.signal.aborted) return;
      takeUpLeft().catch((error: Error) => log(`the inbox cannot be read: ${error.message}`, { level: 'warn' }));
    },

    deadLetters: () => mailbox.deadLetters(SHOWN_DEAD_LETTERS),

    async revive(key) {
      const revived = await mailbox.revive(key, now());
      delivery.wake();
      return revived;
    },

    async stopChannel(name, signal) {
      const stopped = channels.filter((each) => each.name === name);
      if (stopped.length === 0) return false;
      await Promise.race([lanes.closeChannel(name), aborted(signal)]);
      await delivery.settled(signal);
      await Promise.race([delivery.leave(name), aborted(AbortSignal.timeout(GRACE_MS))]);
      channels = channels.filter((each) => !stopped.includes(each));
      const closed = Promise.allSettled(stopped.map((each) => each.close()));
      await Promise.race([closed, aborted(AbortSignal.timeout(GRACE_MS))]);
      return true;
    },

    async drain(signal) {
      const ended = lanes.stop();
      await Promise.race([ended, aborted(signal)]);
      if (signal.aborted) {
        turns.abandon();
        await Promise.race([ended, aborted(AbortSignal.timeout(GRACE_MS))]);
      }
      await delivery.settled(signal);
      await close();
    },
  };
}
