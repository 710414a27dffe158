// The contract of background runs of sub-agents: the request, state and end of each. A run is recorded before its caller gets
// an answer, and runs at most once: an interrupted run is never repeated.

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
  /** The request as JSON, read by the process that runs it. */
  request: string;
}

export interface AgentRun extends AgentRunDraft {
  state: AgentRunState;
  createdAt: number;
  startedAt?: number;
  endedAt?: number;
  /** True when somebody asked to cancel the run. */
  cancelRequested: boolean;
  /** The answer. */
  result?: string;
  /** Why there is no answer. */
  error?: string;
  /** The session that the run was a turn of. */
  sessionId?: string;
  /** Set when the run has ended and its result was not delivered to its chat yet. */
  isUndelivered?: true;
}

export interface AgentRunEnd {
  state: 'done' | 'failed' | 'cancelled' | 'interrupted';
  result?: string;
  error?: string;
  sessionId?: string;
  /** Set when the result could not be delivered. */
  isUndelivered?: true;
}

/** `unanswered`: only runs whose result goes to no chat. */
export type RunsTaken = 'all' | 'unanswered';

export interface AgentRuns {
  /** Durable when it resolves. */
  add(draft: AgentRunDraft, now: number): Promise<void>;
  /** Marks the oldest queued run of those as running and returns it, unless `limit` are running; no other caller gets it. */
  claim(limit: number, now: number, which: RunsTaken): Promise<AgentRun | undefined>;
  /** Ends a run that is queued or running; false when it had ended before. Durable when it resolves. */
  end(id: string, end: AgentRunEnd, now: number): Promise<boolean>;
  /** Ends a queued run, asks a running one to end; false when it had ended before. */
  cancel(id: string, now: number): Promise<boolean>;
  isCancelRequested(id: string): Promise<boolean>;
  get(id: string): Promise<AgentRun | undefined>;
  hasQueued(which: RunsTaken): Promise<boolean>;
  /** Ended runs whose results were not delivered yet. */
  undelivered(limit: number): Promise<AgentRun[]>;
  /** Marks a result as delivered, or as impossible to deliver. Durable when it resolves. */
  markDelivered(id: string): Promise<void>;
  /** Removes the ended runs that were turns of a session. */
  forgetSession(sessionId: string): Promise<void>;
  /** The newest first; of one sub-agent, or in one state. */
  list(filter: { name?: string; state?: AgentRunState; limit: number }): Promise<AgentRun[]>;
}
