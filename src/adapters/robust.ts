// An adapter that does not give up at once: a silent stream is a lost one, a lost or limited one is asked again after a
// while, and all of it together has an end, in time and in characters.
//   attempt → finish: the calls, held back until now, then the finish
//           → failure: retryable, attempts left, and the wait fits the cap and the time left → restart, wait, again
//                      otherwise → failure
// Nothing is asked again after it was cancelled, or for a reason that would be the same the next time.
import { setTimeout as delay } from 'node:timers/promises';
import type { Usage } from '../vocabulary/usage.ts';
import { addUsage } from '../vocabulary/usage.ts';
import type { Adapter, ModelEvent, ModelFailure, ModelFailureCode, ModelRequest } from './adapter.ts';
import { cancelled, untilAborted } from './cancellation.ts';
import { inWords } from './duration.ts';
import { type Ending, untilEnding } from './until-ending.ts';

export interface RetryPolicy {
  /** Longest silence of a stream. */
  idleMs: number;
  /** Longest time for one answer, attempts and waits included. */
  totalMs: number;
  /** Characters of one answer, thinking included: a stream that brings more has no end. */
  longestAnswer: number;
  /** Attempts after the first. */
  retries: number;
  firstWaitMs: number;
  longestWaitMs: number;
  /** Longest wait a provider may ask for. */
  retryAfterCapMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  idleMs: 4 * 60_000,
  totalMs: 30 * 60_000,
  longestAnswer: 4_000_000,
  retries: 4,
  firstWaitMs: 500,
  longestWaitMs: 20_000,
  retryAfterCapMs: 60_000,
};

/** Where another model is ready: the person who waits is better served by it. */
export const RETRY_POLICY_BEFORE_FALLBACK: RetryPolicy = {
  ...DEFAULT_RETRY_POLICY,
  retries: 1,
  retryAfterCapMs: 5_000,
};

/** How long a service is to be left alone, as told by every gateway that uses the same account. */
export interface SharedWaits {
  leftMs(request: ModelRequest): Promise<number>;
  /** The service asked to wait so long. */
  hold(request: ModelRequest, ms: number): Promise<void>;
}

export interface RetryDependencies {
  now(): number;
  /** Between 0 and 1: spreads out clients that failed together. */
  random(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** The longest wait that a service can ask of other gateways. */
const LONGEST_HOLD_MS = 10 * 60_000;

const DEFAULT_DEPENDENCIES: RetryDependencies = {
  now: () => performance.now(),
  random: Math.random,
  sleep: (ms, signal) => delay(ms, undefined, { signal }),
};

const RETRYABLE: ReadonlySet<ModelFailureCode> = new Set(['rate_limit', 'overloaded', 'network', 'protocol']);

export function withRetries(
  adapter: Adapter,
  policy: RetryPolicy = DEFAULT_RETRY_POLICY,
  { now, random, sleep }: RetryDependencies = DEFAULT_DEPENDENCIES,
  waits?: SharedWaits,
): Adapter {
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const deadline = now() + policy.totalMs;
    let spent: Usage | undefined;
    // Of waits for others, as many as of attempts.
    const counts = { asked: 0, held: 0 };
    for (;;) {
      const heldMs = (await waits?.leftMs(request)) ?? 0;
      const limits = { idleMs: policy.idleMs, totalMs: deadline - now(), policy };
      const ending = heldMs > 0 ? heldBack(adapter, heldMs) : yield* once(adapter, request, signal, limits);
      spent = addUsage(spent, ending.usage);
      const usage = spent ? { usage: spent } : {};
      if (ending.type === 'finish') {
        yield { ...ending, ...usage };
        return;
      }
      if (heldMs === 0) await share(request, ending.failure);
      const kind = heldMs > 0 ? 'held' : 'asked';
      const next = decide(ending.failure, counts[kind], deadline - now());
      counts[kind] += 1;
      if ('stop' in next) {
        yield { type: 'failure', failure: next.stop, ...usage };
        return;
      }
      yield { type: 'restart', failure: ending.failure, waitMs: next.waitMs };
      try {
        await sleep(next.waitMs, signal);
      } catch {
        yield { type: 'failure', failure: cancelled(), ...usage };
        return;
      }
    }
  }

  async function share(request: ModelRequest, { code, retryAfterMs = 0 }: ModelFailure): Promise<void> {
    if (code === 'rate_limit' && retryAfterMs > 0) await waits?.hold(request, Math.min(retryAfterMs, LONGEST_HOLD_MS));
  }

  function decide(
    failure: ModelFailure,
    attempt: number,
    timeLeftMs: number,
  ): { waitMs: number } | { stop: ModelFailure } {
    const { code, message, retryAfterMs } = failure;
    if (!RETRYABLE.has(code) || failure.isFinal) return { stop: failure };
    if (retryAfterMs !== undefined && retryAfterMs > policy.retryAfterCapMs) {
      const asked = `It asks to wait ${inWords(retryAfterMs)}, longer than the ${inWords(policy.retryAfterCapMs)} we wait by ourselves.`;
      return { stop: { ...failure, message: `${message} ${asked}` } };
    }
    if (attempt >= policy.retries) {
      const tried = attempt === 0 ? '' : ` (asked ${attempt + 1} times)`;
      return { stop: { ...failure, message: `${message}${tried}` } };
    }
    const backOff = Math.min(policy.longestWaitMs, policy.firstWaitMs * 2 ** attempt) * (0.5 + random() / 2);
    const waitMs = Math.round(Math.max(retryAfterMs ?? 0, backOff));
    return waitMs < timeLeftMs ? { waitMs } : { stop: failure };
  }

  return {
    provider: adapter.provider,
    route: adapter.route,
    callsTools: adapter.callsTools,
    searchesWeb: adapter.searchesWeb,
    describe: (request, signal) => adapter.describe(request, signal),
    lookUpWindow: async (request, signal) => adapter.lookUpWindow?.(request, signal),
    stream,
  };
}

interface Limits {
  idleMs: number;
  totalMs: number;
  policy: RetryPolicy;
}

/** One attempt: yields text as it comes, and the calls once it is finished; returns how it ended. */
async function* once(
  adapter: Adapter,
  request: ModelRequest,
  signal: AbortSignal,
  { idleMs, totalMs, policy }: Limits,
): AsyncGenerator<ModelEvent, Ending> {
  const lifeline = new AbortController();
  const end = (failure: ModelFailure): void => lifeline.abort(failure);
  const idle = setTimeout(() => end(silent(adapter, idleMs)), idleMs);
  const total = setTimeout(() => end(tooSlow(adapter, policy.totalMs)), Math.max(0, totalMs));
  const onAbort = (): void => end(cancelled());
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();

  const onActivity = (): void => {
    idle.refresh();
    request.onActivity?.();
  };
  try {
    const events = untilAborted(adapter.stream({ ...request, onActivity }, lifeline.signal), lifeline.signal);
    let characters = 0;
    const ending = yield* untilEnding(events, (event) => {
      idle.refresh();
      if (event.type === 'text-delta' || event.type === 'thinking-delta') characters += event.text.length;
      if (characters > policy.longestAnswer) end(endless(adapter));
    });
    return ending ?? { type: 'failure', failure: unended(adapter) };
  } catch (error) {
    if (lifeline.signal.aborted) return { type: 'failure', failure: lifeline.signal.reason as ModelFailure };
    return { type: 'failure', failure: unended(adapter, error) };
  } finally {
    clearTimeout(idle);
    clearTimeout(total);
    signal.removeEventListener('abort', onAbort);
    lifeline.abort(cancelled());
  }
}

function heldBack({ provider }: Adapter, ms: number): Ending {
  const retryAfterMs = Math.ceil(ms);
  const message = `${provider} has asked this account to wait: too many requests, or the plan is used up. Wait ${inWords(retryAfterMs)} and ask again, or choose another model.`;
  return { type: 'failure', failure: { code: 'rate_limit', message, brief: 'too many requests', retryAfterMs } };
}

function silent({ provider }: Adapter, ms: number): ModelFailure {
  return {
    code: 'network',
    message: `${provider} has been silent for ${inWords(ms)}. Check the network and ask again.`,
  };
}

function tooSlow({ provider }: Adapter, ms: number): ModelFailure {
  return {
    code: 'network',
    message: `${provider} gave no complete answer within ${inWords(ms)}. Ask for less at once, or ask again.`,
  };
}

function endless({ provider }: Adapter): ModelFailure {
  return {
    code: 'protocol',
    message: `${provider} did not stop answering, so its answer was ended. Word the question otherwise, or choose another model.`,
    isFinal: true,
  };
}

function unended({ provider }: Adapter, error?: unknown): ModelFailure {
  const reason = error instanceof Error ? ` (${error.name})` : '';
  return { code: 'protocol', message: `The answer of ${provider} ended before it was complete${reason}. Ask again.` };
}
