// Operations lie above the runtime, which is handed a function to call them with.
import type { ChatOperationName, ChatOperations } from '../gateway/chats/commands/chat-operations.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import type { AskedFromChat } from './workspace.ts';

/** `Runtime` is whatever it will be called on. */
export type OperationsOn<Runtime> = () => Promise<{
  invokeFromChat: <Name extends ChatOperationName>(
    name: Name,
    input: ChatOperations[Name]['input'],
    context: AskedFromChat & { runtime: Runtime },
  ) => Promise<ChatOperations[Name]['output']>;
}>;

export function withoutOperations(): never {
  throw new CodedError('NO_OPERATIONS', 'this runtime was made without operations: commands of chats need them');
}
