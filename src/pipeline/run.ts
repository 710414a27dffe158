// A turn: prepare → manual calls or the loop → commit. It always ends with exactly one `run-end`. A failing tool never
// fails the turn; only what could not be run or stored does.
import type { ModelDescription } from '../adapters/adapter.ts';
import { type JoinedSignal, joinSignals } from '../lib/joined-signal.ts';
import type { Turn } from '../sessions/turn.ts';
import { StorageError } from '../storage/storage.ts';
import { createLater, type Later } from '../tools/later.ts';
import { asTurnMode } from '../tools/permissions/mode.ts';
import { createTaint, isTainted } from '../tools/taint.ts';
import { nameOfAsker, readerOf } from '../vocabulary/asker.ts';
import { answerWithModel } from './answer.ts';
import { CANCELLED, commit, failedResult, type Outcome, sourceMark } from './commit.ts';
import { compact } from './compact.ts';
import { NothingToContinue, turnToContinue } from './continue-turn.ts';
import type { Reservation } from './day-budget.ts';
import { createDelegation } from './delegate.ts';
import type { AskResult, RunEvent } from './events.ts';
import { createGrants } from './grants.ts';
import { reserveFor } from './history.ts';
import { charactersToRead, historyBudget } from './history-budget.ts';
import { answerManually } from './manual.ts';
import { type ManualTrigger, parseManualTrigger } from './manual-trigger.ts';
import { withWindow } from './model-window.ts';
import { createSearchWithModel } from './search-with-model.ts';
import type { RunDependencies, RunRequest, TurnContext } from './turn-context.ts';
import { createUsageLedger } from './usage.ts';

export async function* run(
  request: RunRequest,
  dependencies: RunDependencies,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  const { adapter, hooks } = dependencies;
  const { requestId, turnId, sessionKey, origin } = request;
  const { provider } = adapter;
  yield { type: 'run-start', requestId, turnId, sessionKey, provider, ...(origin !== undefined && { origin }) };
  let turn: Turn | undefined;
  let joined: JoinedSignal | undefined;
  let result: AskResult;
  const later = createLater();
  const problems = new Set<string>();
  try {
    const trigger = request.continues || request.history ? undefined : parseManualTrigger(request.input);
    let model = needsModel(trigger) ? await adapter.describe(request, signal) : {};
    signal.throwIfAborted();
    turn = yield* begin(request, dependencies, model, signal);
    if (request.isStillOurs && !(await request.isStillOurs())) throw takenOver();
    const continues = request.continues ? turnToContinue(turn.history.turns, sessionKey) : undefined;
    const isNew = turn.messageCount() === 0;
    const { scope } = readerOf(request.asker);
    await turn.start(request.input, { taintedBy: request.taintedBy, continues, scope });
    // The question is on record before anybody is asked about the model.
    if (needsModel(trigger)) model = await withWindow(model, request, dependencies, signal);
    // A turn whose lock is lost is cancelled, and its journal takes nothing more: another process may be writing there.
    joined = joinSignals(signal, turn.lock.lost);
    const { signal: running } = joined;
    const context: TurnContext = {
      ...dependencies,
      request,
      turn,
      model,
      ...turnTools(request, await notifying(request, dependencies, { later, problems }), turn, later),
      signal: running,
    };
    if (isNew && hooks) yield* (await turnHooks()).tellSessionStart(hooks, request, turn.entry.sessionId, running);
    if (dependencies.debugSource) yield { type: 'text-delta', text: sourceMark(adapter.provider, model.profileId) };
    const outcome = yield* orCancelled(answer(context, trigger), running);
    result = await commit(context, outcome);
    if (result.success && turn.entry.memoryEnabled) result = { ...result, ...(yield* remember(context)) };
  } catch (error) {
    result = failedResult(request, adapter, turn, explain(error, signal));
  } finally {
    await later.done();
    // Nobody could read, or end, a command that outlived its sub-agent.
    if (turn && request.callSource === 'subagent')
      await dependencies.toolbox.endProcesses(turn.entry.sessionId).catch(() => {});
    await turn?.close();
    joined?.release();
    if (turn) dependencies.onTurnEnd?.();
  }
  if (problems.size > 0) yield* (await turnHooks()).noticesOf(problems);
  if (hooks) yield* (await turnHooks()).tellTurnEnd(hooks, request, result);
  yield { type: 'run-end', result };
}

const turnHooks = (): Promise<typeof import('./turn-hooks.ts')> => import('./turn-hooks.ts');

/** With hooks, every question to a person also runs the hooks for it. */
async function notifying(
  request: RunRequest,
  dependencies: RunDependencies,
  turn: { later: Later; problems: Set<string> },
): Promise<RunDependencies> {
  const { hooks, questions } = dependencies;
  if (!hooks || !questions) return dependencies;
  return { ...dependencies, questions: (await turnHooks()).withNotifications(questions, request, { hooks, ...turn }) };
}

function turnTools(
  request: RunRequest,
  { toolbox, adapter, ask, questions, budget, now }: RunDependencies,
  turn: Turn,
  later: Later,
): Pick<TurnContext, 'registry' | 'executor' | 'taint' | 'mode' | 'ledger' | 'grants'> {
  const { toolAllow } = request;
  const mode = asTurnMode(request.mode);
  const visible = toolbox.visible(toolAllow);
  // Only a turn that plans ends with a plan.
  const registry = mode.current() === 'plan' ? visible : visible.outsidePlanMode();
  const taint = createTaint([...turn.taintedBy, ...(request.taintedBy ?? [])]);
  const ledger = createUsageLedger();
  const { sessionId } = turn.entry;
  const { provider } = adapter;
  const delegation = createDelegation({
    request: { ...request, mode },
    sessionId,
    registry,
    taint,
    ledger,
    provider,
    ask,
  });
  const grants = questions && createGrants({ questions, turn, now });
  const executor = toolbox.executor({
    registry,
    mode,
    who: nameOfAsker(request.asker),
    sessionKey: turn.entry.sessionKey,
    answeredFrom: grants?.answeredFrom,
    askPerson: grants?.askPerson,
    askForm: questions?.form,
    sessionId,
    turnId: turn.id,
    fence: turn.lock,
    taint,
    delegation,
    searchWithModel: createSearchWithModel({ adapter, request, sessionId, budget, ledger }),
    later,
    reader: readerOf(request.asker),
  });
  return { registry, taint, mode, ledger, grants, executor };
}

/** The answer is safe already: a notice says when memory could not be written, and the next turn tries again. */
async function* remember(
  context: TurnContext,
): AsyncGenerator<RunEvent, Pick<AskResult, 'memoryUpdated' | 'memoryFile' | 'usage'>> {
  const { request, turn, notes, archiveTurn, adapter, model, ledger, taint, now, signal } = context;
  let reservation: Reservation | undefined;
  let unrecorded: string | undefined;
  try {
    const reader = readerOf(request.asker);
    const isPersons = request.callSource === undefined && (request.depth ?? 0) === 0;
    const own = { id: turn.id, messages: turn.ownMessages(), isPersons };
    await archiveTurn({ ...turn.entry, tainted: isTainted(taint), reader }, own);
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
      tainted: isTainted(taint),
      now,
      signal,
    });
    if (unrecorded !== undefined) yield { type: 'notice', text: unrecorded };
    if (written !== undefined) await context.conversationCompacted(turn.entry.sessionId);
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

function takenOver(): StorageError {
  return new StorageError('STORAGE_LOCK_LOST', 'another process answers this question, so nothing was asked here');
}

function explain(error: unknown, signal: AbortSignal): { code: string; message: string; cause?: unknown } {
  if (error instanceof StorageError || error instanceof NothingToContinue)
    return { code: error.code, message: error.message };
  if (signal.aborted) return CANCELLED;
  throw error;
}
