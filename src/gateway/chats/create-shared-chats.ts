// The chats of bots that several gateways share. Every gateway answers chats of every bot; the one that holds a bot's lock is connected to its platform, stores
// what arrives, and sends what waits in the outbox. Messages are claimed under a lock of this process alone: when it is lost, with the process or without, the
// other gateways take up what it had claimed as after a crash.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, SentMessage } from '../../channels/channel.ts';
import type { Cluster } from '../../storage/cluster.ts';
import { type Fence, isStillHeld, type Lock, type Locks } from '../../storage/locks.ts';
import type { OutboxMessage } from '../../storage/mailbox.ts';
import { type BotKey, type ChatKey, chatName } from '../../vocabulary/chat-name.ts';
import type { ChannelGateway } from '../channel-gateway.ts';
import type { TurnHub } from '../turns/turn-hub.ts';
import type { ChannelGatewayDependencies } from './channel-gateway-dependencies.ts';
import { botName, type ChatMessage, DEFAULT_LIMITS } from './chat.ts';
import { createChatHandling } from './chat-handling.ts';
import { createChoices } from './choices.ts';
import { readCommand } from './commands/all.ts';
import { aborted } from './connect-channels.ts';
import { type ConnectedBotDependencies, createConnectedBot } from './connected-bot.ts';
import type { Delivery } from './delivery.ts';
import { createSharedInbox } from './inbox.ts';
import type { Batch } from './lanes.ts';
import { draftsOf } from './outgoing.ts';
import { createSharedLanes } from './shared-lanes.ts';
import { sortUnfinished } from './unfinished-messages.ts';
import type { TurnElsewhere } from './waiting-messages.ts';

/** How long turns that were asked to end are waited for. */
const GRACE_MS = 5_000;
const RETRY_MS = 1_000;
const LONGEST_SENT_WAIT_MS = 2_000;
/** Most requests to a platform are answered in this time: no other gateway gets the bot before. */
const SENT_WITHIN_MS = 750;
/** At most so often it is looked for messages that could join turns. */
const OFFER_MS = 300;
const WRITTEN_TIMES = 30;
const WRITTEN_EVERY_MS = 100;

export interface SharedChatsDependencies
  extends Omit<ChannelGatewayDependencies, 'channels' | 'claimant' | 'isStillOurs' | 'isOursSince' | 'hub'> {
  cluster: Cluster;
  locks: Locks;
  hub: Pick<TurnHub, 'answer' | 'steer' | 'questions' | 'turns' | 'stop' | 'write' | 'onWritten'>;
  /** One of each bot. They are never connected: turns send, edit and download through them. */
  senders: readonly Channel[];
}

export interface SharedChats {
  /** From now on chats are answered. */
  start(): Promise<void>;
  /** What the holder of a bot's lock runs beside it. */
  connect(channel: Channel, lock: Fence): ChannelGateway;
  /** Queues a text for a chat of any of the bots. */
  send: ChannelGateway['send'];
  readonly running: number;
  wake(): void;
  stopChannel(channel: string, signal: AbortSignal): Promise<void>;
  /** Why no chat can be answered here now; undefined when it can. */
  problem(): Promise<string | undefined>;
  /** Begins nothing more. Turns that run may end until the signal fires. */
  drain(signal: AbortSignal): Promise<void>;
  /** After the drain, when what it left was sent. */
  close(): Promise<void>;
}

export function createSharedChats(dependencies: SharedChatsDependencies): SharedChats {
  const { cluster, locks, mailbox, hub, senders, now, newId, log } = dependencies;
  const limits = { ...DEFAULT_LIMITS, ...dependencies.limits };
  let claim: Lock | undefined;
  const claimant = (): Fence => claim ?? { name: 'gateway:none', token: 0 };
  const ending = new AbortController();
  const connected = new Map<string, { channel: Channel; delivery: Delivery }>();
  const channel = (bot: BotKey): Channel | undefined =>
    connected.get(botName(bot))?.channel ??
    senders.find(({ name, account }) => name === bot.channel && account === bot.account);
  const inbox = createSharedInbox(mailbox, claimant);
  const choices = createChoices(mailbox);
  const stopListening: (() => void)[] = [];
  let offering: NodeJS.Timeout | undefined;
  const delivery: Pick<Delivery, 'wake' | 'whenSent'> = {
    wake() {
      for (const each of connected.values()) each.delivery.wake();
    },
    whenSent,
  };
  const { reception, turns, handle, answerForm } = createChatHandling({
    ...dependencies,
    isStillOurs: () => isStillHeld(locks, claimant()),
    isOursSince: (since) => locks.isHeldSince(claimant(), since),
    inbox,
    choices,
    delivery,
    channel,
    limits,
    ending: ending.signal,
    elsewhere,
    questionsElsewhere: (chat) => questionsElsewhere(chat).map(({ id }) => id),
    formElsewhere,
    waiting: {
      isHere: false,
      async add() {
        lanes.look();
        offerSoon();
      },
      countIn: async (chat) => (await waitingIn(chat)).flatMap(({ messages }) => messages).length,
      couldJoin: async (chat) => sortUnfinished(await mailbox.unclaimed(chat)).waiting,
      drop() {},
      async discard(chat, isMeant) {
        let discarded = 0;
        for (const { messages } of await waitingIn(chat)) {
          const keys = messages.every(isMeant) ? messages.map(({ message: { id } }) => ({ chat, id })) : [];
          // Another gateway may have claimed them meanwhile.
          if (keys.length > 0 && (await inbox.finish(keys, [], now()))) discarded += keys.length;
        }
        return discarded;
      },
      whileWaiting: (chat, wait) => lanes.whileWaiting(chat, wait),
    },
  });
  const warn = (message: string): void => log(message, { level: 'warn' });
  const lanes = createSharedLanes({
    cluster,
    inbox,
    bots: senders.map(({ name, account }) => ({ channel: name, account })),
    limits,
    isConnectedHere: (bot) => connected.has(botName(bot)),
    handle,
    standsAlone: (message) => readCommand(message) !== undefined,
    onFailure: ({ chat }, error) =>
      log(`will be tried again: ${error instanceof Error ? error.message : error}`, { level: 'warn', chat }),
    onProblem: warn,
    now,
  });

  /** A message was stored, here or elsewhere, perhaps in a chat whose turn runs here. However many were, the mailbox is read now and then. */
  function offerSoon(): void {
    offering ??= setTimeout(() => {
      offering = undefined;
      turns.offerWaiting().catch((error: Error) => warn(`the inbox cannot be read: ${error.message}`));
    }, OFFER_MS);
  }

  /** What is finished together: each message by itself, and each batch whose turn had begun and is to be tried again. */
  async function waitingIn(chat: ChatKey): Promise<Pick<Batch, 'messages'>[]> {
    const { begun, waiting } = sortUnfinished(await mailbox.unfinished(chat));
    const isRunning = turns.isRunning(chat) || turnElsewhere(chat) !== undefined;
    return [...(isRunning ? [] : begun), ...waiting.map((message) => ({ messages: [message] }))];
  }

  function turnElsewhere(chat: ChatKey) {
    const name = chatName(chat);
    return hub.turns().find((each) => each.isElsewhere && each.chat === name && each.state !== 'ended');
  }

  function questionsElsewhere(chat: ChatKey) {
    const turn = turnElsewhere(chat);
    return turn ? hub.questions().filter(({ turnId }) => turnId === turn.id) : [];
  }

  /** The same messages as for a form of this gateway. */
  function formElsewhere(request: ChatMessage): (() => Promise<void>) | undefined {
    const { chat, message, isOwner } = request;
    if (!isOwner || message.isForwarded || message.files.length > 0) return undefined;
    const isText = message.text.trim() !== '' && !message.text.trim().startsWith('/');
    const form = questionsElsewhere(chat).find(
      (question) =>
        'form' in question && (message.pressed ? message.pressed.value.startsWith(`form:${question.id}:`) : isText),
    );
    return form && (() => hub.write(form.turnId, request));
  }

  /** The form may be between two of its prompts. */
  async function takeWritten(written: ChatMessage): Promise<void> {
    for (let times = 0; times < WRITTEN_TIMES && !ending.signal.aborted; times += 1) {
      if (answerForm(written)) return;
      await sleep(WRITTEN_EVERY_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
    const { chat, message } = written;
    // A button of a form that has ended says so itself.
    if (message.pressed) return;
    const markdown = 'The question that this answers has ended. Please write it again.';
    await send(chat, markdown).catch((error: Error) => warn(error.message));
  }

  async function send(chat: ChatKey, markdown: string, key = newId('send')): Promise<{ keys: string[] }> {
    const own = channel(chat);
    if (!own) throw new Error(`the bot ${botName(chat)} is not configured here`);
    const drafts = draftsOf({ chat, channel: own, key, markdown });
    await mailbox.enqueue(drafts, now());
    delivery.wake();
    return { keys: drafts.map((draft) => draft.key) };
  }

  /** The turn of this chat that another gateway runs. */
  async function elsewhere(chat: ChatKey): Promise<TurnElsewhere | undefined> {
    const turn = turnElsewhere(chat);
    if (!turn) return undefined;
    const { begun } = sortUnfinished(await mailbox.unfinished(chat));
    return { messages: begun.flatMap(({ messages }) => messages), stop: () => void hub.stop(turn.id) };
  }

  /** Another gateway may send it: the mailbox knows when. */
  async function whenSent(message: Pick<OutboxMessage, 'key' | 'chat'>, signal: AbortSignal): Promise<SentMessage> {
    for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, LONGEST_SENT_WAIT_MS)) {
      await sleep(waitMs, undefined, { signal, ref: false });
      const messageId = await mailbox.sentMessage(message.key).catch(() => undefined);
      if (messageId !== undefined) return { chatId: message.chat.chatId, messageId };
    }
  }

  /** Under a new name each time: the row of a lock that was lost long ago is removed, and tokens of its name would begin again. */
  async function acquireClaim(): Promise<void> {
    claim = await locks.acquire(`gateway:${newId('gateway')}`, { signal: ending.signal });
    claim.lost.addEventListener('abort', () => void claimAgain(), { once: true });
  }

  /** The others have taken up what was claimed here: nothing of it is answered by this process any more. */
  async function claimAgain(): Promise<void> {
    if (ending.signal.aborted) return;
    warn('this gateway could not reach the database for too long: its turns end, other gateways take them up');
    turns.abandon();
    while (!ending.signal.aborted)
      try {
        await acquireClaim();
        return lanes.look();
      } catch {
        await sleep(RETRY_MS, undefined, { signal: ending.signal }).catch(() => {});
      }
  }

  return {
    async start() {
      const problem = await cluster.problem();
      if (problem !== undefined) throw new Error(problem);
      await acquireClaim();
      stopListening.push(
        cluster.on('inbox', () => {
          lanes.look();
          offerSoon();
        }),
        () => clearTimeout(offering),
        cluster.on('outbox', () => delivery.wake()),
        hub.onWritten((message) => void takeWritten(message as ChatMessage)),
      );
      lanes.open();
    },
    connect(own, lock) {
      const name = botName({ channel: own.name, account: own.account });
      const parts: ConnectedBotDependencies = { ...dependencies, limits, reception, choices, channel: own };
      const bot = createConnectedBot({ ...parts, isStillOurs: () => isStillHeld(locks, lock, SENT_WITHIN_MS) });
      return {
        ...bot.gateway,
        async start(signal) {
          connected.set(name, { channel: own, delivery: bot.delivery });
          await bot.gateway.start(signal);
          lanes.look();
        },
        async drain(signal) {
          await bot.gateway.drain(signal);
          if (connected.get(name)?.channel === own) connected.delete(name);
        },
      };
    },
    send,
    get running() {
      return lanes.running;
    },
    wake() {
      delivery.wake();
      lanes.look();
    },
    async problem() {
      const problem = await cluster.problem();
      if (problem !== undefined || (claim && !claim.lost.aborted)) return problem;
      return 'this gateway could not reach the database for too long, and has not begun again yet';
    },
    async stopChannel(name, signal) {
      await Promise.race([lanes.closeChannel(name), aborted(signal)]);
    },
    async drain(signal) {
      const ended = lanes.stop();
      await Promise.race([ended, aborted(signal)]);
      if (!signal.aborted) return;
      turns.abandon();
      await Promise.race([ended, aborted(AbortSignal.timeout(GRACE_MS))]);
    },
    async close() {
      ending.abort();
      for (const stop of stopListening) stop();
      await claim?.release();
      await Promise.allSettled(senders.map((each) => each.close()));
    },
  };
}
