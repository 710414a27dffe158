import type { AskingChat } from '../../gateway/chats/asking-chat.ts';
import type { ChatChoices } from '../../gateway/chats/choices.ts';

export interface Chosen {
  now(): ChatChoices;
  change: AskingChat['choose'];
}

/** What the person has chosen with commands: it holds as long as the chat is open. */
export function createChosen(): Chosen {
  let chosen: ChatChoices = {};
  return {
    now: () => chosen,
    async change(change) {
      chosen = { ...chosen, ...change } as ChatChoices;
    },
  };
}
