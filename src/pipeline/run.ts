// A turn: prepare → manual calls or the loop → commit. It always ends with exactly one `run-end`. A failing tool never
// fails the turn; only what could not be run or stored does.
import type { Adapter, ModelDescription } from '../adapters/adapter.ts';
import type { Effort } from '../config/effort.ts';
import type { SessionMessage } from '../sessions/lines.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Turn } from '../sessions/turn.ts';
import { type SessionNotes, StorageError } from '../storage/storage.ts';
import type { Executor } from '../tools/executor.ts';
import { createLater, type Later } from '../tools/later.ts';
import type { Approval } from '../tools/policy.ts';
import type { Registry } from '../tools/registry.ts';
import type { ToolSource } from '../tools/tool.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import type { Asker } from '../vocabulary/asker.ts';
import { answerWithModel } from './answer.ts';
import type { Attachment } from './attachments.ts';
import type { Caps } from './budget.ts';
import { CANCELLED, commit, failedResult, type Outcome, sourceMark } from './commit.ts';
import { compact } from './compact.ts';
import { NothingToContinue, turnToContinue } from './continue-turn.ts';
import type { DayBudget, Reservation } from './day-budget.ts';
import { createDelegation } from './delegate.ts';
import type { AskResult, RunEvent } from './events.ts';
import { createGrants, type Grants } from './grants.ts';
import { reserveFor } from './history.ts';
import { charactersToRead, historyBudget } from './history-budget.ts';
import { answerManually } from './manual.ts';
import { type ManualTrigger, parseManualTrigger } from './manual-trigger.ts';
import type { TurnQuestions } from './questions.ts';
import { createUsageLedger, type UsageLedger } from './usage.ts';

export interface RunRequest {
  requestId: string;
  /** Names the turn in the hub, in the transcript and for undo. */
  turnId: string;
  createdAt: string;
  input: string;
  attachments: readonly Attachment[];
  sessionKey: string;
  newSession: boolean;
  /** Nobody will continue its session: the index does not hold it. */
  unlisted?: boolean;
  profileId?: string;
  model?: string;
  /** How long the model thinks, where it can; the provider's own default when absent. */
  effort?: Effort;
  /** Absent: as the session has it. */
  memory?: boolean;
  /** Of a session that has decided nothing yet. */
  memoryDefault?: boolean;
  withTools: boolean;
  toolAllow?: readonly string[];
  toolMaxSteps: number;
  approval: Approval;
  /** Content from outside is in it from the start. */
  tainted?: boolean;
  /** The owner's own words to the model, beside its prompt. */
  system?: string;
  /** Told to the model beside its own prompt: what a sub-agent is. */
  instructions?: string;
  /** Who makes the model's calls, in the record; the model by default. */
  callSource?: ToolSource;
  /** Where background work that is started here answers unless it names a chat, as `channel:chatId`. */
  chat?: string;
  /** Who asks, which decides where that work may answer; nobody by default. */
  asker?: Asker;
  /** Of its session, only this many turns are told; all that fit by default. */
  historyTurns?: number;
  /** Turns that this one was started from. */
  depth?: number;
  /** The turn that waits for this one. */
  parentId?: string;
  /** Somebody who reads the turn answers its questions; without it, what needs a person's approval is refused. */
  answering?: { /** Without an answer for so long, the answer is no. */ expiresMs?: number };
  /** There is no input: the session's last turn is continued where it stopped. */
  continues?: boolean;
  caps: Caps;
  /** What this turn answers; journalled, so that after a restart the turn is found by it. */
  origin?: string;
}

/** Another turn, through the same door as every other. */
export type AskAgain = (
  request: Omit<RunRequest, 'requestId' | 'turnId' | 'createdAt'> & { provider: string },
  signal: AbortSignal,
) => Promise<AsyncIterable<RunEvent>>;

export interface RunDependencies {
  adapter: Adapter;
  sessions: Sessions;
  /** The root that turns work in; kept with each session that begins. */
  workspaceRoot?: string;
  toolbox: Toolbox;
  ask: AskAgain;
  /** Puts questions to the readers of the turn; absent when none of them answers. */
  questions?: TurnQuestions;
  budget: DayBudget;
  notes: SessionNotes;
  /** Makes a turn of a session that remembers findable later. */
  archiveTurn(
    session: { sessionKey: string; sessionId: string; tainted: boolean },
    messages: readonly SessionMessage[],
  ): Promise<void>;
  /** The most tokens of history that a request carries; the built-in number when absent. */
  historyTokens?: number;
  /** Core memory as a model is told it; empty when there is none. */
  coreMemory(): Promise<string>;
  /** What people wrote down for the assistant, and what to tell them about it. `system`: the request's own. */
  instructions(request: {
    isOwner: boolean;
    system?: string;
    signal: AbortSignal;
  }): Promise<{ text: string; notices: string[] }>;
  now(): number;
  newId(prefix: string): string;
  /** Put the provider and profile in front of the answer. */
  debugSource: boolean;
}

/** What the steps of one turn share. */
export interface TurnContext extends RunDependencies {
  request: RunRequest;
  turn: Turn;
  model: ModelDescription;
  /** The tools that exist for this turn. */
  registry: Registry;
  executor: Executor;
  ledger: UsageLedger;
  /** What a person allowed; absent when nobody can be asked. */
  grants: Grants | undefined;
  /** Whether content from outside is in the turn's context. */
  taint: { tainted: boolean };
  signal: AbortSignal;
}

export async function* run(
  request: RunRequest,
  dependencies: RunDependencies,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  const { adapter } = dependencies;
  const { requestId, turnId, sessionKey } = request;
  yield { type: 'run-start', requestId, turnId, sessionKey, provider: adapter.provider };
  let turn: Turn | undefined;
  let result: AskResult;
  const later = createLater();
  try {
    const trigger = request.continues ? undefined : parseManualTrigger(request.input);
    const model = needsModel(trigger) ? await adapter.describe(request, signal) : {};
    signal.throwIfAborted();
    turn = yield* begin(request, dependencies, model, signal);
    const continues = request.continues ? turnToContinue(turn.history.turns, sessionKey) : undefined;
    await turn.start(request.input, { tainted: request.tainted, continues });
    // A turn whose lock is lost is cancelled, and its journal takes nothing more: another process may be writing there.
    const running = AbortSignal.any([signal, turn.lock.lost]);
    const context: TurnContext = {
      ...dependencies,
      request,
      turn,
      model,
      ...turnTools(request, dependencies, turn, later),
      signal: running,
    };
    if (dependencies.debugSource) yield { type: 'text-delta', text: sourceMark(adapter.provider, model.profileId) };
    const outcome = yield* orCancelled(answer(context, trigger), running);
    result = await commit(context, outcome);
    if (result.success && turn.entry.memoryEnabled) result = { ...result, ...(yield* remember(context)) };
  } catch (error) {
    result = failedResult(request, adapter, turn, explain(error, signal));
  } finally {
    await later.done();
    await turn?.close();
  }
  yield { type: 'run-end', result };
}

function turnTools(
  request: RunRequest,
  { toolbox, adapter, ask, questions, now }: RunDependencies,
  turn: Turn,
  later: Later,
): Pick<TurnContext, 'registry' | 'executor' | 'taint' | 'ledger' | 'grants'> {
  const { toolAllow, approval } = request;
  const registry = toolbox.visible(toolAllow);
  const taint = { tainted: turn.tainted || (request.tainted ?? false) };
  const ledger = createUsageLedger();
  const delegation = createDelegation({ request, turn, registry, taint, ledger, provider: adapter.provider, ask });
  const { sessionId } = turn.entry;
  const grants = questions && createGrants({ questions, turn, now });
  const executor = toolbox.executor({
    registry,
    approval,
    askPerson: grants?.askPerson,
    askForm: questions?.form,
    sessionId,
    turnId: turn.id,
    taint,
    delegation,
    later,
  });
  return { registry, taint, ledger, grants, executor };
}

/** The answer is safe already: a memory that cannot be written is told, and tried again after the next turn. */
async function* remember(
  context: TurnContext,
): AsyncGenerator<RunEvent, Pick<AskResult, 'memoryUpdated' | 'memoryFile' | 'usage'>> {
  const { turn, notes, archiveTurn, adapter, model, ledger, taint, now, signal } = context;
  let reservation: Reservation | undefined;
  let unrecorded: string | undefined;
  try {
    await archiveTurn({ ...turn.entry, tainted: taint.tainted }, turn.ownMessages());
    const written = await compact({
      turn,
      notes,
      adapter,
      model: model.model,
      async hasRoom(tokens) {
        const reserved = await reserveFor(context, tokens);
        if (reserved.refused !== undefined) return false;
        reservation = reserved;
        return true;
      },
      async spent(more) {
        ledger.add(more);
        unrecorded = await reservation?.settle(more);
      },
      tainted: taint.tainted,
      now,
      signal,
    });
    if (unrecorded !== undefined) yield { type: 'notice', text: unrecorded };
    const memoryFile = written ?? ((await notes.read(turn.entry.sessionKey)) && notes.path(turn.entry.sessionKey));
    return { memoryUpdated: written !== undefined, usage: ledger.total(), ...(memoryFile && { memoryFile }) };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    yield { type: 'notice', text: `the session's memory was not updated: ${error.message}` };
    return { memoryUpdated: false, usage: ledger.total() };
  } finally {
    await reservation?.settle(undefined);
  }
}

/** Takes the session's turn, telling once when another one is in the way. */
async function* begin(
  request: RunRequest,
  { adapter, sessions, workspaceRoot, historyTokens }: RunDependencies,
  { profileId, contextWindow }: ModelDescription,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, Turn> {
  const { promise: waiting, resolve: onWait } = Promise.withResolvers<'waiting'>();
  const { sessionKey, newSession, unlisted, memory, origin } = request;
  const state = { provider: adapter.provider, profileId, route: adapter.route, memoryEnabled: memory };
  const begun = sessions.begin({
    defaults: { memoryEnabled: request.memoryDefault, workspace: workspaceRoot },
    sessionKey,
    newSession,
    unlisted,
    state,
    turnId: request.turnId,
    origin,
    historyCharacters: charactersToRead(historyBudget(contextWindow, historyTokens)),
    signal,
    onWait: () => onWait('waiting'),
  });
  if ((await Promise.race([begun, waiting])) === 'waiting') yield { type: 'waiting' };
  return begun;
}

/** Tools called by hand without a question are answered by their results alone. */
function needsModel(trigger: ManualTrigger | undefined): boolean {
  return trigger === undefined || (trigger.kind === 'calls' && trigger.question !== '');
}

function answer(context: TurnContext, trigger: ManualTrigger | undefined): AsyncGenerator<RunEvent, Outcome> {
  return trigger
    ? answerManually(context, trigger)
    : answerWithModel(context, { question: context.request.input, before: [] });
}

/** A turn cancelled in the middle still has an outcome: its journal is closed like any other. */
async function* orCancelled(
  answering: AsyncGenerator<RunEvent, Outcome>,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, Outcome> {
  try {
    return yield* answering;
  } catch (error) {
    if (!signal.aborted) throw error;
    return {
      stage: 'cancelled',
      text: undefined,
      called: [],
      failure: CANCELLED,
    };
  }
}

function explain(error: unknown, signal: AbortSignal): { code: string; message: string; cause?: unknown } {
  if (error instanceof StorageError || error instanceof NothingToContinue)
    return { code: error.code, message: error.message };
  if (signal.aborted) return CANCELLED;
  throw error;
}
