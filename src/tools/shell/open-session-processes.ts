// Opens the view of one session on the commands in the background, in the words of tools.
import type { ProcessesError, ProcessRequest } from '../../sandbox/background/background-process.ts';
import type { Processes } from '../../sandbox/background/processes.ts';
import { ToolFailure } from '../tool.ts';
import type { SessionProcesses } from './session-processes.ts';

export function createSessionProcesses(
  open: () => Promise<Processes>,
  session: Pick<ProcessRequest, 'sessionId' | 'sessionKey'>,
): SessionProcesses {
  return {
    async start(request) {
      const processes = await open();
      return attempt(() => processes.start({ ...request, ...session }));
    },
    list: async () => (await open()).list(session.sessionId),
    async connect(port) {
      for (const process of (await open()).list(session.sessionId)) {
        const connection = await process.connect(port);
        if (connection) return { process, connection };
      }
      return undefined;
    },
    get: async (id) => {
      const processes = await open();
      return attempt(() => processes.get(session.sessionId, id));
    },
  };
}

function attempt<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw orProcessFailure(error);
  }
}

/** What is wrong with a call becomes a failure that the caller sees. */
export function orProcessFailure(error: unknown): unknown {
  const { code } = (error ?? {}) as Partial<ProcessesError>;
  if (!code?.startsWith('PROCESS_')) return error;
  return new ToolFailure((error as Error).message, { code: 'execution_error', cause: error });
}
