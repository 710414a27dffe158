// The contract of background runs of sub-agents: what was asked for, where each stands, how it ended. A run is on record before
// whoever asked is told so, and runs at most once: one that was cut short is interrupted for good.

import type { Asker } from '../vocabulary/asker.ts';

export type AgentRunState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted';

export interface AgentRunDraft {
  id: string;
  name: string;
  message: string;
  /** The chat that gets the result, as `channel:chatId`. */
  injectInto?: string;
  /** Decides which chat the result may go to. */
  asker: Asker;
  /** How it is to be asked, as JSON: whoever runs it reads it. */
  request: string;
}

export interface AgentRun extends AgentRunDraft {
  state: AgentRunState;
  createdAt: number;
  startedAt?: number;
  endedAt?: number;
  /** Somebody wants it to end. */
  cancelRequested: boolean;
  /** What it answered. */
  result?: string;
  /** Why there is no answer. */
  error?: string;
  /** The conversation it was a turn of. */
  sessionId?: string;
  /** It has ended, and its chat is still to be told. */
  isUntold?: true;
}

export interface AgentRunEnd {
  state: 'done' | 'failed' | 'cancelled' | 'interrupted';
  result?: string;
  error?: string;
  sessionId?: string;
  /** Its chat could not be told. */
  isUntold?: true;
}

/** `unanswered`: only runs whose result goes to no chat. */
export type RunsTaken = 'all' | 'unanswered';

export interface AgentRuns {
  /** Durable when it resolves. */
  add(draft: AgentRunDraft, now: number): Promise<void>;
  /** The oldest queued run of those becomes this caller's, unless `limit` are running; nobody else gets it. */
  claim(limit: number, now: number, which: RunsTaken): Promise<AgentRun | undefined>;
  /** Ends a run that is queued or running; false when it had ended before. Durable when it resolves. */
  end(id: string, end: AgentRunEnd, now: number): Promise<boolean>;
  /** Ends a queued run, asks a running one to end; false when it had ended before. */
  cancel(id: string, now: number): Promise<boolean>;
  isCancelRequested(id: string): Promise<boolean>;
  get(id: string): Promise<AgentRun | undefined>;
  hasQueued(which: RunsTaken): Promise<boolean>;
  /** Ended runs whose chats are still to be told. */
  untold(limit: number): Promise<AgentRun[]>;
  /** It is told, or never can be. Durable when it resolves. */
  markTold(id: string): Promise<void>;
  /** Removes the ended runs that were turns of a session. */
  forgetSession(sessionId: string): Promise<void>;
  /** The newest first; of one sub-agent, or in one state. */
  list(filter: { name?: string; state?: AgentRunState; limit: number }): Promise<AgentRun[]>;
}
