import type { ChatChoices, ChoicesStore } from '../../gateway/chats/choices.ts';

export interface Chosen extends ChoicesStore {
  now(): ChatChoices;
}

/** What the person has chosen with commands: it holds as long as the chat is open. */
export function createChosen(): Chosen {
  let chosen: ChatChoices = {};
  return {
    now: () => chosen,
    get: async () => chosen,
    async change(_chat, change) {
      chosen = { ...chosen, ...change } as ChatChoices;
    },
  };
}
