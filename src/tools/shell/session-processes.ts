// The commands in the background as the tools of one session see them.
import type { Duplex } from 'node:stream';
import type { BackgroundProcess, ProcessRequest } from '../../sandbox/background/background-process.ts';

export interface SessionProcesses {
  /** Throws ToolFailure, as `get` does. */
  start(request: Omit<ProcessRequest, 'sessionId' | 'sessionKey'>): Promise<BackgroundProcess>;
  list(): Promise<BackgroundProcess[]>;
  get(id: string): Promise<BackgroundProcess>;
  /** The first of them that has a server on this port of loopback. */
  connect(port: number): Promise<{ process: BackgroundProcess; connection: Duplex } | undefined>;
}
