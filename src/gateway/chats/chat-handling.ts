// What a gateway does with the messages of its chats, wherever they wait: commands, turns, questions, and what stops them.
import { type ChatKey, chatName } from '../../vocabulary/chat-name.ts';
import type { Answerer } from '../turns/answerer.ts';
import { askerOf } from './asker-of.ts';
import type { AskingChat, Stopped } from './asking-chat.ts';
import type { ChannelGatewayDependencies } from './channel-gateway-dependencies.ts';
import type { ChatLimits, ChatMessage, FindChannel } from './chat.ts';
import { createChatQuestions } from './chat-questions.ts';
import type { ChoicesStore } from './choices.ts';
import { readCommand } from './commands/all.ts';
import { runCommand } from './commands/run-command.ts';
import type { Delivery } from './delivery.ts';
import type { Inbox } from './inbox.ts';
import type { Batch } from './lanes.ts';
import { createReception, type Reception } from './receive.ts';
import { sessionKeyOf } from './session-key-of.ts';
import { createTurns, type Turns } from './turns.ts';
import type { TurnElsewhere, WaitingMessages } from './waiting-messages.ts';

export interface ChatHandlingOptions extends Omit<ChannelGatewayDependencies, 'channels' | 'claimant' | 'limits'> {
  inbox: Inbox;
  choices: ChoicesStore;
  delivery: Pick<Delivery, 'wake' | 'whenSent'>;
  channel: FindChannel;
  limits: ChatLimits;
  waiting: WaitingMessages;
  /** Questions of a chat's turn that another gateway runs. */
  questionsElsewhere?(chat: ChatKey): string[];
  /** What hands a message to the gateway whose turn asks for it with a form; undefined when none does. */
  formElsewhere?(message: ChatMessage): (() => Promise<void>) | undefined;
  /** Where other gateways answer the same chats. */
  elsewhere?(chat: ChatKey): Promise<TurnElsewhere | undefined>;
  /** Fires when the gateway closes. */
  ending: AbortSignal;
}

export interface ChatHandling {
  reception: Reception;
  turns: Turns;
  /** A turn, or a command whose time has come. */
  handle(batch: Batch): Promise<void>;
  /** Another gateway received this message for a form of a turn that runs here. False: no form waits for it. */
  answerForm(message: ChatMessage): boolean;
}

export function createChatHandling(options: ChatHandlingOptions): ChatHandling {
  const { hub, sessions, invoke, channel, choices, waiting, ending, elsewhere = async () => undefined } = options;
  const { questionsElsewhere = () => [] } = options;
  const questions = createChatQuestions(hub);
  const openIn = (chat: ChatKey): string[] => [...questions.openIn(chat), ...questionsElsewhere(chat)];
  const turns = createTurns({
    ...options,
    questions,
    findTurn: sessions.findTurn,
    waiting,
    steer: hub.steer,
  });
  const reception = createReception({
    ...options,
    formAnswer: (message) => questions.formAnswer(message) ?? options.formElsewhere?.(message),
    runCommand: (command, request) => runCommand(command, commandContext(request)),
  });

  function commandContext(request: ChatMessage): Parameters<typeof runCommand>[1] {
    const chat = askingChat(request);
    return {
      sessionKey: chat.sessionKey,
      questions: openIn(request.chat),
      systemTimezone: options.systemTimezone,
      invoke: (name, input) => invoke(name, input, { by: senderOf(request), chat, signal: ending }),
      signal: ending,
    };
  }

  function askingChat(request: ChatMessage): AskingChat {
    const { chat } = request;
    return {
      sessionKey: sessionKeyOf(chat),
      asker: askerOf(chat, [request]),
      settings: () => options.settings(chat),
      choices: () => choices.get(chat),
      choose: (change) => choices.change(chat, change),
      stop: () => stop(request),
      activity: async () => ({
        isRunning: turns.isRunning(chat) || (await elsewhere(chat)) !== undefined,
        waiting: (await waiting.countIn(chat)) - turns.joinedIn(chat),
        openQuestions: openIn(chat).length,
      }),
    };
  }

  /** What runs is cancelled; where nothing does, what was about to. In a group only the owner stops what others asked for. */
  async function stop({ chat, message: { chatKind, sender }, isOwner }: ChatMessage): Promise<Stopped> {
    const mayStop = ({ message }: ChatMessage): boolean =>
      isOwner || chatKind === 'direct' || message.sender.id === sender.id;
    if (await turns.stop(chat, mayStop)) return 'stopped';
    const other = await elsewhere(chat);
    if (other?.messages.every(mayStop)) {
      other.stop();
      return 'stopped';
    }
    if ((await waiting.discard(chat, mayStop)) > 0) return 'stopped';
    return turns.isRunning(chat) || other || (await waiting.countIn(chat)) > 0 ? 'of-another' : 'nothing';
  }

  return {
    reception,
    turns,
    answerForm(message) {
      const answer = questions.formAnswer(message);
      answer?.();
      return answer !== undefined;
    },
    async handle(batch) {
      const [first] = batch.messages;
      if (!first || !readCommand(first)) return turns.handle(batch);
      const own = channel(batch.chat);
      if (own) await reception.handleCommand(batch, own);
    },
  };
}

function senderOf({ chat, isOwner, message: { sender, chatKind } }: ChatMessage): Answerer {
  const name = sender.name ?? sender.id;
  return { place: 'chat', chat: chatName(chat), name, isOwner, isGroup: chatKind === 'group' };
}
