// What the people of a chat have chosen for it, and what must be known of it after a restart.

import type { Mode } from '../../config/mode.ts';
import { qualifiedModel } from '../../config/qualified-model.ts';
import type { Mailbox } from '../../storage/mailbox.ts';
import type { ChatKey } from '../../vocabulary/chat-name.ts';
import type { BotSettings } from './chat.ts';

export interface ChatChoices {
  /**
   * With the provider it is a model of: another provider does not know it. `withProvider`: the provider was chosen too,
   * whichever the bot uses.
   */
  model?: { provider: string; name: string; withProvider?: true };
  memory?: boolean;
  /** For the owner's messages. */
  mode?: Mode;
  /** The message that shows the progress of a turn: its answer takes that place, also in another process. */
  progress?: { turnId: string; messageId: string /** Until the answer is in the outbox. */; isOpen?: true };
}

export interface ChoicesStore {
  get(chat: ChatKey): Promise<ChatChoices>;
  /** Undefined takes a choice back. */
  change(chat: ChatKey, change: { [Name in keyof ChatChoices]: ChatChoices[Name] | undefined }): Promise<void>;
}

export function createChoices(mailbox: Pick<Mailbox, 'choices' | 'changeChoices'>): ChoicesStore {
  return {
    get: async (chat) => readChoices(await mailbox.choices(chat)),
    change: (chat, change) =>
      mailbox.changeChoices(chat, (current) => JSON.stringify({ ...readChoices(current), ...change })),
  };
}

export function readChoices(choices = '{}'): ChatChoices {
  return JSON.parse(choices) as ChatChoices;
}

/** The model that is chosen in a chat whose bot uses this provider. */
export function chosenModel({ model }: ChatChoices, provider: string): ChatChoices['model'] {
  return model?.withProvider || model?.provider === provider ? model : undefined;
}

export function turnSettings({ turn }: BotSettings, choices: ChatChoices): BotSettings['turn'] {
  const model = chosenModel(choices, turn.provider);
  const { memory, mode } = choices;
  return {
    ...turn,
    ...(model && { model: qualifiedModel(model.provider, model.name) }),
    ...(model?.withProvider && { provider: model.provider, profileId: undefined }),
    ...(memory !== undefined && { memory }),
    ...(mode !== undefined && { mode }),
  };
}
