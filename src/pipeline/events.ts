// What a turn tells while it runs, and what it ends with.
import type { ToolCall, ToolErrorCode, ToolResult } from '../tools/tool.ts';

export interface TurnUsage {
  inputTokens: number;
  outputTokens: number;
  costUsd?: number;
}

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
  usage?: TurnUsage;
}

export type AskResult =
  | ({ success: true } & AskFacts)
  | ({ success: false; error: { code: string; message: string } } & AskFacts);

export type RunEvent =
  | { type: 'run-start'; requestId: string; sessionKey: string; provider: string }
  /** Another turn of this session is running; this one waits for it. */
  | { type: 'waiting' }
  /** Something the person should know that changes nothing. */
  | { type: 'notice'; text: string }
  | { type: 'text-delta'; text: string }
  /** What was streamed since the last tool or the start is void: the model is asked again. */
  | { type: 'text-restart'; reason: string; waitMs: number }
  | { type: 'tool-start'; call: ToolCall }
  /** What a running call shows meanwhile; the model does not see it. */
  | { type: 'tool-output'; call: ToolCall; text: string }
  | { type: 'tool-end'; call: ToolCall; result: ToolResult }
  | { type: 'run-end'; result: AskResult };
