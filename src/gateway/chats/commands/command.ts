// The contract of a chat command: something a person writes that is answered without a model. A command has a name, reads its
// argument as the input of an operation, and renders the output. Who may call the operation is decided where it is called.
import { CodedError } from '../../../vocabulary/coded-error.ts';
import type { ChatOperationName, ChatOperations } from './chat-operations.ts';

/** What a command knows of where it was written. */
export interface CommandPlace {
  sessionKey: string;
  /** The ids of questions that wait for an answer in the chat. */
  questions: readonly string[];
  /** Of the machine the gateway runs on, the owner's. */
  systemTimezone(): string;
}

export interface CommandContext extends CommandPlace {
  /** The text behind the name. */
  argument: string;
  /** Calls an operation in the name of the person who wrote the command. */
  invoke<Name extends ChatOperationName>(
    name: Name,
    input: ChatOperations[Name]['input'],
  ): Promise<ChatOperations[Name]['output']>;
}

export interface ChatCommand {
  name: string;
  /** As it is written, with its arguments. */
  usage: string;
  about: string;
  /** Doing it twice is as good as once: after a restart it is simply done again. */
  isRepeatable: boolean;
  /** Answered at once, also while a turn is running. */
  isImmediate: boolean;
  /** The answer as Markdown; undefined when there is nothing to say. */
  run(context: CommandContext): Promise<string | undefined>;
}

/** The operation that a command calls, and what with. */
export type Call<Name extends ChatOperationName> = {
  [Each in Name]: { operation: Each; input: ChatOperations[Each]['input'] };
}[Name];

export interface CommandDefinition<Name extends ChatOperationName> extends Omit<ChatCommand, 'run'> {
  /** A text is the answer where the argument cannot be used: it says what can. */
  read(argument: string, place: CommandPlace): Call<Name> | string;
  render(output: ChatOperations[Name]['output'], argument: string, place: CommandPlace): string | undefined;
  /** In the words of the chat, why it was not done; undefined leaves it to the error's own. */
  explain?(error: CodedError): string | undefined;
}

export function defineChatCommand<Name extends ChatOperationName>(definition: CommandDefinition<Name>): ChatCommand {
  const { read, render, explain, ...facts } = definition;
  return {
    ...facts,
    async run({ invoke, argument, ...place }) {
      const call = read(argument, place);
      if (typeof call === 'string') return call;
      try {
        return render(await invoke(call.operation, call.input), argument, place);
      } catch (error) {
        const told = error instanceof CodedError ? explain?.(error) : undefined;
        if (told === undefined) throw error;
        return told;
      }
    },
  };
}
