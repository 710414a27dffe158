// The commands in the background as the tools of one session see them.
import type { BackgroundProcess, ProcessRequest } from '../../sandbox/background/background-process.ts';

export interface SessionProcesses {
  /** Throws ToolFailure, as `get` does. */
  start(request: Omit<ProcessRequest, 'sessionId' | 'sessionKey'>): Promise<BackgroundProcess>;
  list(): Promise<BackgroundProcess[]>;
  get(id: string): Promise<BackgroundProcess>;
}
