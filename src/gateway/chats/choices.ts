// What the people of a chat have chosen for it, and what must be known of it after a restart.
import type { ChatKey, Mailbox } from '../../storage/mailbox.ts';
import type { BotSettings } from './chat.ts';

export interface ChatChoices {
  /** With the provider it is a model of: another provider does not know it. */
  model?: { provider: string; name: string };
  memory?: boolean;
  /** The message that shows the progress of a turn: its answer takes that place, also in another process. */
  progress?: { turnId: string; messageId: string };
}

export interface ChoicesStore {
  get(chat: ChatKey): Promise<ChatChoices>;
  /** Undefined takes a choice back. */
  change(chat: ChatKey, change: { [Name in keyof ChatChoices]: ChatChoices[Name] | undefined }): Promise<void>;
}

export function createChoices(mailbox: Pick<Mailbox, 'choices' | 'changeChoices'>): ChoicesStore {
  const read = (choices = '{}'): ChatChoices => JSON.parse(choices) as ChatChoices;
  return {
    get: async (chat) => read(await mailbox.choices(chat)),
    change: (chat, change) => mailbox.changeChoices(chat, (current) => JSON.stringify({ ...read(current), ...change })),
  };
}

export function turnSettings({ turn }: BotSettings, { model, memory }: ChatChoices): BotSettings['turn'] {
  return {
    ...turn,
    ...(model?.provider === turn.provider && { model: model.name }),
    ...(memory !== undefined && { memory }),
  };
}
