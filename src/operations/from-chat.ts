// The operations that commands of chats call, as the function that the gateway is handed.
import type { ChatOperationName, ChatOperations } from '../gateway/chats/commands/chat-operations.ts';
import * as chat from './chat.ts';
import { invokeOperation } from './invoke.ts';
import type { Operation, OperationContext } from './operation.ts';
import { answerQuestion, listQuestions } from './turns.ts';
import { undoTurn } from './undo.ts';

/** Checked here: what the commands give is what the operations take, and the other way round. */
type Checked = {
  [Name in ChatOperationName]: Operation<never, ChatOperations[Name]['output']> & {
    run: (input: ChatOperations[Name]['input'], context: OperationContext) => Promise<ChatOperations[Name]['output']>;
  };
};

const FROM_CHAT: Checked = {
  'chat.show': chat.showChat,
  'chat.models': chat.listChatModels,
  'chat.setModel': chat.setChatModel,
  'chat.setMemory': chat.setChatMemory,
  'chat.setMode': chat.setChatMode,
  'chat.new': chat.startConversation,
  'chat.stop': chat.stopChat,
  'chat.context': chat.describeConversation,
  'chat.compact': chat.compactConversation,
  'undo.turn': undoTurn,
  'turns.questions': listQuestions,
  'turns.answer': answerQuestion,
};

export async function invokeFromChat<Name extends ChatOperationName>(
  name: Name,
  input: ChatOperations[Name]['input'],
  context: OperationContext,
): Promise<ChatOperations[Name]['output']> {
  return invokeOperation(FROM_CHAT[name], { ...input }, context);
}
