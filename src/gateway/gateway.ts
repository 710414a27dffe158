// The gateway: the one door through which every turn enters. It refuses what cannot be asked, fills in what was left
// open, and hands the rest to the pipeline.
import type { Adapter } from '../adapters/adapter.ts';
import type { RunEvent } from '../pipeline/events.ts';
import { type RunDependencies, type RunRequest, run } from '../pipeline/run.ts';
import { sessionKeyProblem } from '../sessions/session-key.ts';

export type RefusalCode = 'ASK_INPUT_REQUIRED' | 'UNSUPPORTED_PROVIDER' | 'INVALID_SESSION_KEY';

/** The request itself cannot be accepted; nothing was begun. */
export class RefusedRequest extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'RefusedRequest';
    this.code = code;
  }
}

export interface AskRequest extends Omit<RunRequest, 'requestId' | 'createdAt'> {
  provider: string;
}

export interface Providers {
  names(): Promise<string[]>;
  get(name: string): Promise<Adapter | undefined>;
}

export interface GatewayDependencies extends Omit<RunDependencies, 'adapter' | 'ask'> {
  providers: Providers;
  /** Called once, with the second turn: this process is there to stay. */
  onLasting(): void;
}

export interface Gateway {
  /** Rejects with RefusedRequest before anything is begun; after that every turn ends with one `run-end`. */
  ask(request: AskRequest, signal: AbortSignal): Promise<AsyncIterable<RunEvent>>;
}

export function createGateway(dependencies: GatewayDependencies): Gateway {
  const { providers, onLasting, now, newId } = dependencies;
  let turns = 0;
  const gateway: Gateway = {
    async ask({ provider, ...request }, signal) {
      if (request.input.trim() === '') throw new RefusedRequest('ASK_INPUT_REQUIRED', 'there is nothing to ask');
      const problem = sessionKeyProblem(request.sessionKey);
      if (problem)
        throw new RefusedRequest('INVALID_SESSION_KEY', `"${request.sessionKey}" cannot name a session: ${problem}`);
      const adapter = await providers.get(provider);
      if (!adapter) {
        throw new RefusedRequest(
          'UNSUPPORTED_PROVIDER',
          `there is no provider "${provider}"; accepted: ${(await providers.names()).join(', ')}`,
        );
      }
      turns += 1;
      if (turns === 2) onLasting();
      await dependencies.toolbox.refresh(signal);
      const createdAt = new Date(now()).toISOString();
      const { ask } = gateway;
      return run({ ...request, requestId: newId('req'), createdAt }, { ...dependencies, adapter, ask }, signal);
    },
  };
  return gateway;
}
