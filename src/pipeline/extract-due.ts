// Extracts the facts of conversations that rest, one question to the model at a time, until none is due, the caps leave no room, or no model answers.
// One process at a time does it. What is cut short is asked again by the next one: turns stop waiting only together with their facts.
import type { Adapter } from '../adapters/adapter.ts';
import { localDay } from '../lib/local-day.ts';
import type { Facts } from '../memory/facts.ts';
import { questionIn } from '../sessions/history.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { WaitingConversation } from '../storage/facts.ts';
import type { Locks } from '../storage/locks.ts';
import { FORGETTING_LOCK } from '../storage/redaction.ts';
import type { Caps } from './budget.ts';
import type { DayBudget } from './day-budget.ts';
import { type ExtractedTurn, extractFacts, tokensOfTurn } from './extract-facts.ts';

export interface ChosenModel {
  adapter: Adapter;
  model?: string;
  profileId?: string;
}

export interface ExtractDueDependencies {
  facts: Facts;
  sessions: Pick<Sessions, 'history'>;
  locks: Locks;
  /** The model for a conversation that this provider and model answered; `unavailable` says why there is none. */
  choose(answered: AnsweringModel): Promise<ChosenModel | { unavailable: string }>;
  budget: Pick<DayBudget, 'reserve'>;
  caps: Caps;
  /** The most tokens that extractions may use in a day. */
  dailyTokens: number;
  /** How long a conversation has to rest. */
  restMs: number;
  /** How often a text was forgotten everywhere. */
  forgettings(): Promise<number>;
  /** The day (`2026-11-16`) of a moment (ISO 8601) where the person is. */
  dayOf(moment: string): string;
  now(): number;
}

export interface AnsweringModel {
  provider?: string;
  model?: string;
  profileId?: string;
}

export interface ExtractDueOptions {
  signal: AbortSignal;
  /** Conversations need not rest, and what was given up is tried again. */
  everything?: boolean;
  /** Called with the model before it is asked. */
  onModel?(chosen: ChosenModel): void;
}

export interface ExtractReport {
  /** Conversations, or parts of long ones. */
  conversations: number;
  facts: number;
  proposals: number;
  /** Why it ended before everything was done; absent when it was. */
  stopped?: string;
}

const LOCK = 'memory-facts';
const MOST_TOKENS = 8_000;
const TRY_AGAIN_MS = 10 * 60_000;
const BUSY = 'another process extracts facts';

/** Rejects when the signal fires. */
export async function extractDue(
  dependencies: ExtractDueDependencies,
  options: ExtractDueOptions,
): Promise<ExtractReport> {
  const report: ExtractReport = { conversations: 0, facts: 0, proposals: 0 };
  const lock = await dependencies.locks.tryAcquire(LOCK);
  if (!lock) return { ...report, stopped: BUSY };
  try {
    // What was tried in this call is not tried again by it.
    const tried = new Set<string>();
    for (;;) {
      options.signal.throwIfAborted();
      const conversation = (await dueNow(dependencies, options)).find(({ turnIds }) => !tried.has(turnIds[0] ?? ''));
      if (!conversation) return report;
      tried.add(conversation.turnIds[0] ?? '');
      const stopped = await extractOne(conversation, dependencies, options, report);
      if (stopped !== undefined) return { ...report, stopped };
    }
  } finally {
    await lock.release();
  }
}

function dueNow(
  { facts, restMs, now }: ExtractDueDependencies,
  { everything = false }: ExtractDueOptions,
): Promise<WaitingConversation[]> {
  const when = everything ? { now: Number.MAX_SAFE_INTEGER, restMs: 0 } : { now: now(), restMs };
  return facts.due({ ...when, limit: 50, evenGivenUp: everything });
}

/** Returns why nothing more can be extracted now. */
async function extractOne(
  waiting: WaitingConversation,
  dependencies: ExtractDueDependencies,
  { signal, onModel }: ExtractDueOptions,
  report: ExtractReport,
): Promise<string | undefined> {
  const { facts, choose, budget, caps, dailyTokens, dayOf, now } = dependencies;
  const { sessionId, scope } = waiting;
  const forgettingsBefore = await dependencies.forgettings();
  const { turns, missing } = await readTurns(waiting, dependencies.sessions);
  if (missing.length > 0) await facts.drop(sessionId, missing);
  const last = turns.at(-1);
  if (!last) return undefined;
  const conversation = { ...waiting, turnIds: turns.map(({ turnId }) => turnId) };
  if ((await facts.tokensSince(startOfDay(now()))) >= dailyTokens)
    return `today's ${dailyTokens} tokens for facts are used up: raise "memoryFactsDailyTokens", or wait until tomorrow`;
  const { provider, model, profileId } = last;
  const chosen = await choose({ provider, model, profileId });
  if ('unavailable' in chosen) return chosen.unavailable;
  onModel?.(chosen);
  const known = await facts.related(
    scope,
    turns.map((turn) => questionIn(turn)?.content ?? ''),
    signal,
  );
  const extracted = await extractFacts({
    ...chosen,
    sessionId,
    turns,
    known,
    dayOf,
    reserve: (tokens) => budget.reserve(caps, () => tokens, signal),
    signal,
  });
  const { usage } = extracted;
  if (!extracted.ok) {
    const { problem, why } = extracted;
    if (why === 'bad-answer') {
      await facts.keepProblem({ conversation, at: now(), model: chosen.model, usage, problem });
      return undefined;
    }
    await facts.postpone(sessionId, conversation.turnIds, now() + TRY_AGAIN_MS);
    return problem;
  }
  const answer = { conversation, facts: extracted.facts, known, model: chosen.model, usage };
  const kept = await keepUnlessForgotten(() => facts.keep(answer), forgettingsBefore, dependencies, signal);
  // A text was forgotten, or a fact that the answer relates to was replaced, while the model answered.
  if (!kept) return void (await facts.postpone(sessionId, conversation.turnIds, now() + TRY_AGAIN_MS));
  report.conversations += 1;
  report.facts += kept.ids.length;
  report.proposals += kept.proposals;
  return undefined;
}

/** The model may answer with a text that was forgotten while it did: then nothing is kept, and the turns are read again. */
async function keepUnlessForgotten<T>(
  keep: () => Promise<T>,
  before: number,
  { locks, forgettings }: ExtractDueDependencies,
  signal: AbortSignal,
): Promise<T | undefined> {
  const lock = await locks.acquire(FORGETTING_LOCK, { signal });
  try {
    return (await forgettings()) === before ? await keep() : undefined;
  } finally {
    await lock.release();
  }
}

/** As many of the waiting turns as one question holds, and those that hold no words of a person, or are no longer there. */
async function readTurns(
  { sessionId, turnIds }: WaitingConversation,
  sessions: Pick<Sessions, 'history'>,
): Promise<{ turns: ExtractedTurn[]; missing: string[] }> {
  const wanted = new Set(turnIds);
  const found = new Set<string>();
  const turns: ExtractedTurn[] = [];
  let tokens = 0;
  for await (const item of sessions.history(sessionId)) {
    if (item.kind !== 'turn') continue;
    const { turnId } = item.turn;
    if (turnId === undefined || !wanted.has(turnId)) continue;
    const hasWords = item.turn.messages.some(({ role, content }) => role === 'user' && content.trim() !== '');
    if (!hasWords) continue;
    found.add(turnId);
    tokens += tokensOfTurn(item.turn);
    if (turns.length === 0 || tokens <= MOST_TOKENS) turns.push({ ...item.turn, turnId });
  }
  return { turns, missing: turnIds.filter((id) => !found.has(id)) };
}

function startOfDay(moment: number): number {
  return new Date(`${localDay(moment)}T00:00:00`).getTime();
}
