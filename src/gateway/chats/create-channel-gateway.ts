// The running gateway: channels on one side, `gateway.ask` on the other. What arrives is stored, goes to its chat's lane,
// becomes a turn or a command, and is answered through the outbox; what an earlier process left is taken up first.
import type { Channel } from '../../channels/channel.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { AppendAudit } from '../../storage/audit.ts';
import type { Fence } from '../../storage/locks.ts';
import type { Mailbox, UnfinishedMessage } from '../../storage/mailbox.ts';
import { type BotKey, type ChatKey, chatName } from '../../vocabulary/chat-name.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { ChannelGateway } from '../channel-gateway.ts';
import type { Gateway } from '../gateway.ts';
import type { Answerer } from '../turns/answerer.ts';
import type { TurnHub } from '../turns/turn-hub.ts';
import { askerOf } from './asker-of.ts';
import type { AskingChat, Stopped } from './asking-chat.ts';
import {
  type Admit,
  type BotSettings,
  botName,
  type ChatLimits,
  type ChatLog,
  type ChatMessage,
  chatMessageOf,
  DEFAULT_LIMITS,
  refusalIn,
} from './chat.ts';
import { createChatQuestions } from './chat-questions.ts';
import { createChoices } from './choices.ts';
import { readCommand } from './commands/all.ts';
import type { InvokeFromChat } from './commands/chat-operations.ts';
import { runCommand } from './commands/run-command.ts';
import { createDelivery } from './delivery.ts';
import { createInbox } from './inbox.ts';
import { type Batch, createLanes } from './lanes.ts';
import { endLeftProgress } from './left-progress.ts';
import { draftsOf } from './outgoing.ts';
import { createPruning } from './pruning.ts';
import { createReception } from './receive.ts';
import { sessionKeyOf } from './session-key-of.ts';
import type { Transcribe } from './transcribe.ts';
import { createTurns } from './turns.ts';

/** How long turns that were asked to end are waited for. */
const GRACE_MS = 5_000;
const SHOWN_DEAD_LETTERS = 1_000;

export interface ChannelGatewayDependencies {
  channels: readonly Channel[];
  mailbox: Mailbox;
  audit: AppendAudit;
  /** Of a lock that this gateway holds while it runs: the messages it handles are claimed under it. */
  claimant: Fence;
  ask: Gateway['ask'];
  hub: Pick<TurnHub, 'answer'>;
  sessions: Pick<Sessions, 'findTurn'>;
  admit: Admit;
  /** Whether a message may be sent to this chat: everybody who was admitted there may have been revoked since. */
  mayReceive(chat: ChatKey): Promise<boolean>;
  /** Asked before each message is sent, where another gateway could have taken over the bots. */
  isStillOurs?(): Promise<boolean>;
  /** Asked for each turn: what it returns may change while the gateway runs. */
  settings(bot: BotKey): Promise<BotSettings>;
  /** What commands call operations with. */
  invoke: InvokeFromChat;
  workspace(): Promise<Pick<Workspace, 'writeFile'>>;
  /** Of voice messages; absent: no server for it is configured. */
  transcribe?: Transcribe;
  limits?: Partial<ChatLimits>;
  systemTimezone(): string;
  now(): number;
  newId(prefix: string): string;
  random(): number;
  log: ChatLog;
}

/** An earlier version kept what was written in a topic under the whole chat. */
function inItsTopic(waiting: ChatMessage): ChatMessage {
  const { threadId } = waiting.message;
  return threadId === undefined ? waiting : { ...waiting, chat: { ...waiting.chat, threadId } };
}

export function createChannelGateway(dependencies: ChannelGatewayDependencies): ChannelGateway {
  const { mailbox, hub, sessions, invoke, now, newId, log } = dependencies;
  const limits = { ...DEFAULT_LIMITS, ...dependencies.limits };
  let channels = dependencies.channels;
  const channel = (bot: BotKey): Channel | undefined =>
    channels.find(({ name, account }) => name === bot.channel && account === bot.account);
  const ending = new AbortController();
  const inbox = createInbox(mailbox, dependencies.claimant);
  const choices = createChoices(mailbox);
  const questions = createChatQuestions(hub);
  const delivery = createDelivery({ ...dependencies, channels });
  const turns = createTurns({
    ...dependencies,
    inbox,
    delivery,
    questions,
    channel,
    findTurn: sessions.findTurn,
    choices,
    limits,
    whileWaiting: (chat, wait) => lanes.whileWaiting(chat, wait),
  });
  const lanes = createLanes({
    limits,
    handle,
    standsAlone: (message) => readCommand(message) !== undefined,
    onFailure: ({ chat }, error) =>
      log(`will be tried again: ${error instanceof Error ? error.message : error}`, { level: 'warn', chat }),
  });
  const reception = createReception({
    ...dependencies,
    inbox,
    takeUp: async (chat) => takeUp(await inbox.claim({ chat })),
    lanes,
    delivery,
    limits,
    formAnswer: questions.formAnswer,
    runCommand: (command, request) => runCommand(command, commandContext(request)),
  });

  function commandContext(request: ChatMessage): Parameters<typeof runCommand>[1] {
    const chat = askingChat(request);
    const { signal } = ending;
    return {
      sessionKey: chat.sessionKey,
      questions: questions.openIn(request.chat),
      systemTimezone: dependencies.systemTimezone,
      invoke: (name, input) => invoke(name, input, { by: senderOf(request), chat, signal }),
      signal,
    };
  }

  function askingChat(request: ChatMessage): AskingChat {
    const { chat } = request;
    return {
      sessionKey: sessionKeyOf(chat),
      asker: askerOf(chat, [request]),
      settings: () => dependencies.settings(chat),
      choices: () => choices.get(chat),
      choose: (change) => choices.change(chat, change),
      stop: () => stop(request),
      activity: () => ({
        isRunning: turns.isRunning(chat),
        waiting: lanes.waitingIn(chat),
        openQuestions: questions.openIn(chat).length,
      }),
    };
  }

  /** What runs is cancelled; where nothing does, what was about to. In a group only the owner stops what others asked for. */
  async function stop({ chat, message: { chatKind, sender }, isOwner }: ChatMessage): Promise<Stopped> {
    const mayStop = ({ message }: ChatMessage): boolean =>
      isOwner || chatKind === 'direct' || message.sender.id === sender.id;
    if (await turns.stop(chat, mayStop)) return 'stopped';
    const dropped = lanes.discard(chat, mayStop);
    if (dropped.length === 0) return turns.isRunning(chat) || lanes.waitingIn(chat) > 0 ? 'of-another' : 'nothing';
    await inbox.finish(
      dropped.map(({ message: { id } }) => ({ chat, id })),
      [],
      now(),
    );
    return 'stopped';
  }

  const pruning = createPruning({ mailbox, limits, isIdle: () => lanes.running === 0, now, log });

  async function handle(batch: Batch): Promise<void> {
    const [first] = batch.messages;
    if (!first || !readCommand(first)) return turns.handle(batch);
    const own = channel(batch.chat);
    if (own) await reception.handleCommand(batch, own);
  }

  async function takeUp(unfinished: readonly UnfinishedMessage[]): Promise<void> {
    const own: UnfinishedMessage[] = [];
    for (const message of unfinished) {
      const refusal = refusalIn(message.body);
      if (refusal) await inbox.finish([message], refusal, now());
      else own.push(message);
    }
    const toMessage = ({ chat, body }: UnfinishedMessage): ChatMessage => chatMessageOf(chat, body);
    for (const [turnId, messages] of Map.groupBy(own, (message) => message.turnId)) {
      const [first] = messages;
      if (turnId === undefined) for (const message of messages) lanes.add(inItsTopic(toMessage(message)));
      else if (first) lanes.addBegun({ chat: first.chat, messages: messages.map(toMessage), turnId });
    }
  }

  /** Also a message that a gateway stored which had lost this bot by then. What belongs to a channel that is not running now waits until it is. */
  async function takeUpLeft(): Promise<void> {
    await takeUp(await inbox.claim({ bots: channels.map(({ name, account }) => ({ channel: name, account })) }));
  }

  /** Refused credentials end the start. A platform that cannot be reached now is reached later, and holds up no other. */
  async function connectAll(signal: AbortSignal): Promise<void> {
    const waiting = new Set(channels);
    let isReady = false;
    const connecting = channels.map(async (each) => {
      const bot = botName({ channel: each.name, account: each.account });
      try {
        await each.connect(reception.receiveFrom(each), signal);
        waiting.delete(each);
        if (isReady) log(`${bot}: connected`);
      } catch (error) {
        const reason = `${bot}: ${error instanceof Error ? error.message : error}`;
        if (!isReady) throw new Error(reason, { cause: error });
        if (!ending.signal.aborted) log(reason, { level: 'warn' });
      }
    });
    const all = Promise.all(connecting);
    await Promise.race([all, aborted(AbortSignal.timeout(limits.connectMs))]);
    isReady = true;
    for (const { name, account } of waiting)
      log(`${botName({ channel: name, account })}: not connected yet; it keeps trying`, { level: 'warn' });
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
        await connectAll(signal);
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

function senderOf({ chat, isOwner, message: { sender, chatKind } }: ChatMessage): Answerer {
  const name = sender.name ?? sender.id;
  return { place: 'chat', chat: chatName(chat), name, isOwner, isGroup: chatKind === 'group' };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
