// The contract of a chat command: something a person writes that is answered without a model.
import type { ModelChoice } from '../../../adapters/choose-model.ts';
import type { Sessions } from '../../../sessions/sessions.ts';
import type { SessionEntry } from '../../../storage/storage.ts';
import type { Undone } from '../../../undo/undo.ts';
import type { BotKey } from '../../../vocabulary/chat-name.ts';
import type { Conversations } from '../../gateway.ts';
import type { BotSettings, ChatMessage } from '../chat.ts';
import type { ChatQuestions } from '../chat-questions.ts';
import type { ChoicesStore } from '../choices.ts';

/** The models of a provider, or why they cannot be listed. */
export type ListModels = (
  provider: string,
  signal: AbortSignal,
) => Promise<{ ok: true; models: { id: string; isDefault: boolean }[] } | { ok: false; message: string }>;

/** Takes back the last turn of a session that changed files. Rejects with an error that says why not. */
export type UndoLast = (
  session: Pick<SessionEntry, 'sessionKey' | 'sessionId'>,
  signal: AbortSignal,
) => Promise<Pick<Undone, 'turnId' | 'files'>>;

/** `of-another`: what is going on is not for this person to stop. */
export type Stopped = 'stopped' | 'nothing' | 'of-another';

export interface CommandServices {
  settings(bot: BotKey): Promise<BotSettings>;
  choices: ChoicesStore;
  models: ListModels;
  /** The provider and model that a name such as `provider/model` means. */
  chooseModel(named: ModelChoice): Promise<ModelChoice>;
  session(sessionKey: string): Promise<SessionEntry | undefined>;
  renew: Sessions['renew'];
  undo: UndoLast;
  conversations: Conversations;
  questions: Pick<ChatQuestions, 'answer' | 'waitingIn'>;
  /** Of the machine the gateway runs on, the owner's. */
  systemTimezone(): string;
  /** Cancels what runs in the chat, as far as the person who asks may. */
  stop(request: ChatMessage): Promise<Stopped>;
  /** What is going on in the chat. */
  activity(chat: ChatMessage['chat']): { isRunning: boolean; waiting: number };
  signal: AbortSignal;
}

export interface CommandContext extends CommandServices {
  request: ChatMessage;
  sessionKey: string;
  /** The text behind the name. */
  argument: string;
}

export interface ChatCommand {
  name: string;
  /** As it is written, with its arguments. */
  usage: string;
  about: string;
  /** Anybody else gets a message that says so. */
  isForOwner: boolean;
  /** Doing it twice is as good as once: after a restart it is simply done again. */
  isRepeatable: boolean;
  /** Answered at once, also while a turn is running. */
  isImmediate: boolean;
  /** The answer as Markdown; undefined when there is nothing to say. */
  run(context: CommandContext): Promise<string | undefined>;
}
