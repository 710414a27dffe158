// The gateway: the one door through which every turn enters. It refuses what cannot be asked, fills in what was left
// open, and hands the rest to the pipeline.
import type { Adapter } from '../adapters/adapter.ts';
import type { ModelChoice } from '../adapters/choose-model.ts';
import { nearest } from '../lib/nearest.ts';
import type { ContextReport } from '../pipeline/context-size.ts';
import type { RunEvent } from '../pipeline/events.ts';
import type { CompactReport } from '../pipeline/inspect-conversation.ts';
import { run } from '../pipeline/run.ts';
import type { MadeTitle } from '../pipeline/title-conversation.ts';
import type { RunDependencies, RunRequest } from '../pipeline/turn-context.ts';
import { sessionKeyProblem } from '../sessions/session-key.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import type { AnsweringOptions } from './turns/answering.ts';
import { createAskedTurns } from './turns/asked-turns.ts';
import type { TurnHub } from './turns/turn-hub.ts';

export type RefusalCode = 'ASK_INPUT_REQUIRED' | 'UNSUPPORTED_PROVIDER' | 'INVALID_SESSION_KEY';

/** The request itself cannot be accepted; nothing was begun. */
export class RefusedRequest extends CodedError<RefusalCode> {}

export interface AskRequest extends Omit<RunRequest, 'requestId' | 'turnId' | 'createdAt'> {
  provider: string;
  /** A new id for the turn, where the caller wants to know it before the first event. */
  turnId?: string;
}

export interface Providers {
  names(): Promise<string[]>;
  get(name: string): Promise<Adapter | undefined>;
  /** The provider and model that a name such as `provider/model` means. */
  choose(named: ModelChoice): Promise<ModelChoice>;
}

export interface GatewayDependencies extends Omit<RunDependencies, 'adapter' | 'ask' | 'questions' | 'steering'> {
  providers: Providers;
  hub: TurnHub;
  /** Answers the questions of turns whose request brings nobody for it. */
  person?: AnsweringOptions['person'];
  /** Called at the start of each turn. */
  onTurnStart(): void;
}

export interface Gateway {
  /**
   * Rejects with RefusedRequest before anything is begun; after that every turn ends with one `run-end`. The turn runs by
   * itself until then; leaving its events early cancels it. Other readers find it in the hub, by the id in its `run-start`.
   */
  ask(request: AskRequest, signal: AbortSignal): Promise<AsyncIterable<RunEvent>>;
}

/** Between the turns of a session; both wait for one that runs. */
export interface Conversations {
  /** What fills the model's window; undefined when the session has not begun. */
  describe(request: AskRequest, signal: AbortSignal): Promise<ContextReport | undefined>;
  /** Summarises the older part now. `keep`: what the person wants kept above all. */
  compact(request: AskRequest & { keep?: string }, signal: AbortSignal): Promise<CompactReport>;
  /** A title by the model, for a young conversation that nobody has named; undefined when there is nothing to improve. */
  title(request: AskRequest, signal: AbortSignal): Promise<MadeTitle | undefined>;
}

interface AcceptedRequest {
  request: Omit<AskRequest, 'provider'>;
  adapter: Adapter;
  provider: string;
}

export interface CreatedGateway extends Gateway {
  conversations: Conversations;
  /** Cancels the turns that run and resolves when they have ended. */
  close(): Promise<void>;
}

export function createGateway(dependencies: GatewayDependencies): CreatedGateway {
  const { providers, hub, person, onTurnStart, now, newId } = dependencies;
  const asked = createAskedTurns(hub);

  /** With its provider found, or refused. */
  async function accepted({ provider: named, ...given }: AskRequest): Promise<AcceptedRequest> {
    const { provider, model } = await providers.choose({ provider: named, model: given.model });
    // A profile is of the provider it was named with.
    const request = { ...given, model, profileId: provider === named ? given.profileId : undefined };
    const problem = sessionKeyProblem(request.sessionKey);
    if (problem)
      throw new RefusedRequest('INVALID_SESSION_KEY', `"${request.sessionKey}" cannot name a session: ${problem}`);
    const adapter = await providers.get(provider);
    if (adapter) return { request, adapter, provider };
    const names = await providers.names();
    const close = nearest(provider, names);
    const hint = close ? ` (did you mean "${close}"?)` : '';
    throw new RefusedRequest(
      'UNSUPPORTED_PROVIDER',
      `there is no provider "${provider}"${hint}; accepted: ${names.join(', ')}`,
    );
  }

  const ids = (): Pick<RunRequest, 'requestId' | 'turnId' | 'createdAt'> => ({
    requestId: newId('req'),
    turnId: newId('turn'),
    createdAt: new Date(now()).toISOString(),
  });
  const conversations: Conversations = {
    async describe(asking, signal) {
      const [{ request, adapter }, { describeContext }] = await Promise.all([
        accepted(asking),
        import('../pipeline/inspect-conversation.ts'),
      ]);
      await dependencies.toolbox.refresh(signal);
      return describeContext({ ...request, ...ids() }, { ...dependencies, adapter, ask: gateway.ask }, signal);
    },
    async compact({ keep, ...asking }, signal) {
      const [{ request, adapter }, { compactSession }] = await Promise.all([
        accepted(asking),
        import('../pipeline/inspect-conversation.ts'),
      ]);
      return compactSession({ ...request, ...ids(), keep }, { ...dependencies, adapter, ask: gateway.ask }, signal);
    },
    async title(asking, signal) {
      const [{ request, adapter }, { titleConversation }] = await Promise.all([
        accepted(asking),
        import('../pipeline/title-conversation.ts'),
      ]);
      return titleConversation({ ...request, ...ids() }, { ...dependencies, adapter }, signal);
    },
  };
  const gateway: Gateway = {
    async ask(asking, signal) {
      if (asking.input.trim() === '' && !asking.continues)
        throw new RefusedRequest('ASK_INPUT_REQUIRED', 'there is nothing to ask');
      const { request, adapter, provider } = await accepted(asking);
      onTurnStart();
      await dependencies.toolbox.refresh(signal);
      const { ask } = gateway;
      const { requestId, createdAt, ...made } = ids();
      const { turnId = made.turnId } = request;
      const { sessionKey, parentId, chat, origin } = request;
      const answering = request.answering ?? (person && {});
      const answerer = person && !request.answering ? person : undefined;
      const canFillForms = !answerer || answerer.askForm !== undefined;
      const events = asked.start({
        id: turnId,
        sessionKey,
        provider,
        ...(parentId !== undefined && { parentId }),
        ...(chat !== undefined && { chat }),
        ...(origin !== undefined && { origin }),
        questionMs: answering?.expiresMs,
        signal,
        run: (turn) => {
          const { permission, form } = turn.questions;
          const questions = answering && { permission, ...(canFillForms && { form }) };
          const own = { ...request, answering, requestId, turnId, createdAt };
          return run(own, { ...dependencies, adapter, ask, questions, steering: turn.steering }, turn.signal);
        },
      });
      if (answerer) void answerTurn(turnId, answerer);
      return events;
    },
  };

  /** Reads the turn beside the caller. */
  async function answerTurn(turnId: string, answerer: AnsweringOptions['person']): Promise<void> {
    const { createAnswering } = await import('./turns/answering.ts');
    const tell = createAnswering({ person: answerer, by: { place: 'program' }, answer: hub.answer });
    // The caller gets the failure of the turn.
    const reading = (async () => {
      for await (const item of hub.read(turnId)) if (item.kind === 'event') tell(item.event);
    })();
    await reading.catch(() => {});
  }

  return { ...gateway, conversations, close: asked.close };
}
