import type { AskingChat } from '../../gateway/chats/asking-chat.ts';
import type { TurnSettings } from '../turn-flags.ts';
import type { Chosen } from './chosen.ts';
import type { Conversation } from './conversation.ts';
import type { ChatPerson } from './person.ts';

export interface TerminalChatParts {
  turn: TurnSettings;
  chosen: Chosen;
  person: Pick<ChatPerson, 'waiting'>;
  conversation(): Pick<Conversation, 'turn' | 'queued' | 'cancel'> | undefined;
  sessionKey(): string;
}

/** The chat of the person at the terminal, as operations know one. */
export function terminalChat({ turn, chosen, person, conversation, sessionKey }: TerminalChatParts): AskingChat {
  return {
    sessionKey: sessionKey(),
    settings: async () => ({ turn, groups: false }),
    choices: async () => chosen.now(),
    choose: chosen.change,
    stop: async () => (conversation()?.cancel() ? 'stopped' : 'nothing'),
    activity: async () => ({
      isRunning: conversation()?.turn !== undefined,
      waiting: conversation()?.queued.length ?? 0,
      openQuestions: person.waiting(),
    }),
  };
}
