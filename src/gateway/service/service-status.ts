// What `gateway status` tells, as the running gateway itself says it.
import type { ChannelGatewayStatus } from '../channel-gateway.ts';

export interface DeadLetterSummary {
  key: string;
  channel: string;
  account: string;
  chatId: string;
  threadId?: string;
  attempts: number;
  diedAt: string;
  lastError?: string;
}

export interface ServiceStatus extends ChannelGatewayStatus {
  pid: number;
  version: string;
  startedAt: string;
  uptimeMs: number;
  phase: 'starting' | 'running' | 'stopping';
  memory: { rssBytes: number; heapUsedBytes: number };
  /** The newest; `mailbox.dead` counts them all. */
  deadLetters: DeadLetterSummary[];
  /** No model is connected: chats get one sentence. */
  noModel?: true;
  settings: {
    /** Why gateway.json as it is now is not used. */
    problem?: string;
    /** Settings that hold only after a restart. */
    restartNeeded: string[];
  };
}
