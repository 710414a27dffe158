// The contract of background runs of sub-agents: what was asked for, where each stands, how it ended. A run is on record before
// whoever asked is told so, and runs at most once: one that was cut short is interrupted for good.

export type AgentRunState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted';

export interface AgentRunDraft {
  id: string;
  name: string;
  message: string;
  /** The chat that gets the result, as `channel:chatId`. */
  injectInto?: string;
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
}

export interface AgentRunEnd {
  state: 'done' | 'failed' | 'cancelled' | 'interrupted';
  result?: string;
  error?: string;
  sessionId?: string;
}

export interface AgentRuns {
  /** Durable when it resolves. */
  add(draft: AgentRunDraft, now: number): Promise<void>;
  /** The oldest queued run becomes this caller's, unless `limit` are running; nobody else gets it. */
  claim(limit: number, now: number): Promise<AgentRun | undefined>;
  /** Ends a run that is queued or running; false when it had ended before. Durable when it resolves. */
  end(id: string, end: AgentRunEnd, now: number): Promise<boolean>;
  /** Ends a queued run, asks a running one to end; false when it had ended before. */
  cancel(id: string, now: number): Promise<boolean>;
  isCancelRequested(id: string): Promise<boolean>;
  get(id: string): Promise<AgentRun | undefined>;
  /** The newest first; of one sub-agent, or in one state. */
  list(filter: { name?: string; state?: AgentRunState; limit: number }): Promise<AgentRun[]>;
}
