// What a turn tells while it runs, and what it ends with.
import type { ToolArgs, ToolCall, ToolErrorCode, ToolResult } from '../tools/tool.ts';
import type { RecalledItem } from '../vocabulary/recalled.ts';
import type { Usage } from '../vocabulary/usage.ts';
import type { ContextSize } from './context-size.ts';
import type {
  FormQuestion,
  FormResolution,
  GrantedPermission,
  PermissionRequest,
  PermissionResolution,
} from './questions.ts';
import type { SteeredMessage } from './steering.ts';

export interface ToolErrorReport {
  tool: string;
  code: ToolErrorCode;
  message: string;
}

/** The route of a turn whose answer is the results of tools called by hand. */
export const CALLED_BY_HAND = 'tool';

/** Where the turn ended. */
export type Stage = 'answered' | 'tool-limit' | 'stopped' | 'failed' | 'cancelled';

interface AskFacts {
  requestId: string;
  createdAt: string;
  route: string;
  stage: Stage;
  result: string;
  sessionKey: string;
  sessionId: string;
  provider?: string;
  profileId?: string;
  model?: string;
  memoryEnabled: boolean;
  memoryUpdated: boolean;
  memoryFile?: string;
  toolCalls: ToolCall[];
  toolResults: { call: ToolCall; result: ToolResult }[];
  toolError?: ToolErrorReport;
  sessionContextUpdated: boolean;
  usage?: Usage;
  /** Calls of the caller's own tools, which the turn ended with. */
  callerCalls?: readonly { id: string; name: string; args: ToolArgs }[];
}

export type AskResult =
  | ({ success: true } & AskFacts)
  | ({ success: false; error: { code: string; message: string } } & AskFacts);

export type RunEvent =
  /** `origin`: what the turn answers, as its journal names it. */
  | { type: 'run-start'; requestId: string; turnId: string; sessionKey: string; provider: string; origin?: string }
  /** Another turn of this session is running; this one waits for it. */
  | { type: 'waiting' }
  /** Something the person should know that changes nothing. */
  | {
      type: 'notice';
      text: string;
      /** `history`: what the model sees of the conversation has changed, which every chat shows. */
      about?: 'history';
    }
  /** What was found in memory for the question and is given to the model, and about how many tokens it takes. */
  | { type: 'recalled'; items: readonly RecalledItem[]; tokens: number }
  /** A model call begins. `model` is absent when the provider chooses it. */
  | { type: 'model-start'; provider: string; model?: string }
  /** What the model thinks before it answers, where the provider shows it. Not part of the answer. */
  | { type: 'thinking-delta'; text: string }
  | { type: 'text-delta'; text: string }
  /** The model call ended: who answered, what it used and how long it took. `failure`: why there is no answer. */
  | {
      type: 'model-end';
      provider: string;
      model?: string;
      usage?: Usage;
      durationMs: number;
      /** The conversation after this answer; absent when something else was asked, such as a summary. */
      context?: ContextSize;
      failure?: { code: string; message: string };
    }
  /** What was streamed since the last tool or the start is void: the model is asked again. */
  | { type: 'text-restart'; reason: string; waitMs: number }
  | { type: 'tool-start'; call: ToolCall }
  /** What a running call shows meanwhile; the model does not see it. */
  | { type: 'tool-output'; call: ToolCall; text: string }
  /** `granted`: a person allowed this call, with what they were shown. */
  | { type: 'tool-end'; call: ToolCall; result: ToolResult; granted?: GrantedPermission }
  /** A person wrote to the turn while it runs: the message waits until it joins the turn, is taken back, or the turn ends. */
  | { type: 'steer-waiting'; message: SteeredMessage }
  | { type: 'steer-withdrawn'; messageId: string }
  /** What a person wrote to the turn has joined it: from here on the model sees it. Durable by then. */
  | { type: 'steered'; message: SteeredMessage }
  /** A person must allow a call. The turn waits for the first answer. */
  | { type: 'permission-request'; question: PermissionRequest }
  | { type: 'permission-resolved'; questionId: string; resolution: PermissionResolution }
  /** An MCP server asks for input. */
  | { type: 'form-request'; question: FormQuestion }
  | { type: 'form-resolved'; questionId: string; resolution: FormResolution }
  | { type: 'run-end'; result: AskResult };
