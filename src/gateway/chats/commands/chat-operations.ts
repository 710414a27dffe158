// The operations that commands of chats call, as far as the commands need to know them. Operations lie above the gateway, which is
// handed one function to call them with; whether they are these is checked where that function is made (operations/from-chat.ts).
import type { Mode } from '../../../config/mode.ts';
import type { ContextReport } from '../../../pipeline/context-size.ts';
import type { CompactReport } from '../../../pipeline/inspect-conversation.ts';
import type { Scope } from '../../../tools/permissions/decision.ts';
import type { Answerer } from '../../turns/answerer.ts';
import type { AskingChat, Stopped } from '../asking-chat.ts';

type None = Readonly<Record<never, never>>;

/** What a chat is like now. */
export interface ChatState {
  sessionKey: string;
  provider: string;
  /** Absent: the provider's default. */
  model?: string;
  /** The model was chosen in this chat. */
  isModelChosen: boolean;
  withTools: boolean;
  memory: boolean;
  mode: Mode;
  /** When its conversation began; absent before its first turn. */
  createdAt?: string;
  isRunning: boolean;
  /** Messages that wait for the end of the turn. */
  waiting: number;
  /** Questions that wait for an answer. */
  openQuestions: number;
}

export interface ChatModels {
  provider: string;
  models: readonly { id: string; isDefault: boolean }[];
  /** Why the list is empty. */
  problem?: string;
}

/** A question that waits for an answer. */
export interface OpenQuestion {
  id: string;
  permission?: { title: string; exact: string; preview?: { text: string; isCut?: true } };
}

export interface ChatOperations {
  'chat.show': { input: None; output: ChatState };
  'chat.models': { input: None; output: ChatModels };
  'chat.setModel': { input: { model?: string }; output: ChatState };
  'chat.setMemory': { input: { memory: boolean }; output: ChatState };
  'chat.setMode': { input: { mode: Mode }; output: ChatState };
  'chat.new': { input: None; output: { sessionKey: string } };
  'chat.stop': { input: None; output: { outcome: Stopped } };
  'chat.context': { input: None; output: { context?: ContextReport } };
  'chat.compact': { input: { keep?: string }; output: CompactReport };
  'undo.turn': { input: { session: string }; output: { files: readonly { path: string; action: string }[] } };
  'turns.questions': { input: None; output: readonly OpenQuestion[] };
  'turns.answer': {
    input: { questionId: string; answer: 'allow' | 'deny'; scope?: Scope };
    output: { isAccepted: boolean };
  };
}

export type ChatOperationName = keyof ChatOperations;

/** Calls an operation for a person in a chat. Rejects with NotAllowed when it is not for them, and as the operation does. */
export type InvokeFromChat = <Name extends ChatOperationName>(
  name: Name,
  input: ChatOperations[Name]['input'],
  asked: { by: Answerer; chat: AskingChat; signal: AbortSignal },
) => Promise<ChatOperations[Name]['output']>;
