// The chat in which an operation is asked for: what the operation may learn of it and change in it. A chat on a platform and
// the chat at the terminal are both one.
import type { Asker } from '../../vocabulary/asker.ts';
import type { BotSettings } from './chat.ts';
import type { ChatChoices, ChoicesStore } from './choices.ts';

/** `of-another`: what is going on is not for this person to stop. */
export type Stopped = 'stopped' | 'nothing' | 'of-another';

export interface AskingChat {
  sessionKey: string;
  /** Who asks, on a platform. */
  asker?: Asker;
  /** How its turns are asked where nothing was chosen in the chat. */
  settings(): Promise<BotSettings>;
  choices(): Promise<ChatChoices>;
  /** Undefined takes a choice back. */
  choose(change: Parameters<ChoicesStore['change']>[1]): Promise<void>;
  /** Cancels what runs in it, as far as the person who asks may. */
  stop(): Promise<Stopped>;
  /** What is going on in it: messages that wait for the end of the turn, questions that wait for an answer. */
  activity(): Promise<{ isRunning: boolean; waiting: number; openQuestions: number }>;
}
