// Background runs of sub-agents: taken from the queue, a few at a time, each run once. The process of a run holds a lock that
// the kernel frees when the process ends, so a run whose process ended is recognised: it is recorded as interrupted, reported,
// and never repeated. A process that cannot reach chats leaves delivery to the gateway.
import { setTimeout as pause } from 'node:timers/promises';
import { isSilentAnswer } from '../lib/silent-answer.ts';
import { wholeCharacters } from '../lib/whole-characters.ts';
import type { AgentRun, AgentRunEnd, AgentRuns, RunsTaken } from '../storage/agent-runs.ts';
import type { Lock, Locks } from '../storage/locks.ts';
import type { Deliver } from '../vocabulary/delivery.ts';
import { AgentError } from './agent-error.ts';

const CLAIMING = 'agent-runs';
const CANCEL_POLL_MS = 500;
const WAIT_FOR_ROOM_MS = 1_000;
/** Keeps the notice of an interruption in one message: its parts must not follow a result that was stored before a kill. */
const LONGEST_QUOTE = 500;

export interface BackgroundDependencies {
  runs: AgentRuns;
  locks: Locks;
  /** Runs one turn of the sub-agent's own conversation. */
  ask(run: AgentRun, signal: AbortSignal): Promise<AgentAnswer>;
  /** Resolves to `sent` once the text is stored for the chat; must send a key only once. Absent: this process reaches no chat. */
  deliver?: Deliver;
  /** Limit of concurrent runs, over all processes. */
  limit: number;
  now(): number;
  log(text: string): void;
}

export type AgentAnswer =
  | { ok: true; text: string; sessionId: string }
  | { ok: false; error: string; sessionId: string };

export interface Background {
  /**
   * Reports interrupted runs, then runs the queue. Resolves when nothing is left, or soon after the signal. A call meanwhile
   * makes it look at the queue again.
   */
  work(signal: AbortSignal): Promise<void>;
  /** Rejects when there is no such run, or when it has ended. */
  cancel(id: string): Promise<void>;
}

export function createBackground(dependencies: BackgroundDependencies): Background {
  const { runs, now, log } = dependencies;
  const running = new Set<Promise<void>>();
  let working: Promise<void> | undefined;
  let asked = Promise.withResolvers<void>();
  let isAsked = false;

  function work(signal: AbortSignal): Promise<void> {
    isAsked = true;
    asked.resolve();
    working ??= workOff(signal).finally(() => {
      working = undefined;
      return isAsked && !signal.aborted ? work(signal) : undefined;
    });
    return working;
  }

  async function workOff(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      isAsked = false;
      asked = Promise.withResolvers();
      await reportInterrupted(dependencies);
      await deliverUndelivered(dependencies);
      for (let taken = await take(dependencies); taken; taken = await take(dependencies)) start(taken, signal);
      if (running.size > 0) await Promise.race([...running, asked.promise]);
      else if (!(await runs.hasQueued(takenBy(dependencies)))) return;
      // Other runs use the whole limit: the queue waits for them to end.
      else await pause(WAIT_FOR_ROOM_MS, undefined, { signal }).catch(() => {});
    }
    await Promise.allSettled(running);
  }

  function start({ run, lock }: Taken, signal: AbortSignal): void {
    const ended = runOne(run, dependencies, AbortSignal.any([signal, lock.lost]))
      .catch((error: unknown) => log(`the run ${run.id} of ${run.name} could not be recorded: ${error}`))
      .finally(async () => {
        await lock.release();
        running.delete(ended);
      });
    running.add(ended);
  }

  return {
    work,
    async cancel(id) {
      if (await runs.cancel(id, now())) return;
      const run = await runs.get(id);
      throw run
        ? new AgentError('AGENT_RUN_ENDED', `the run ${id} has ended already: ${run.state}`)
        : new AgentError('AGENT_RUN_NOT_FOUND', `there is no run ${id}: "lainclaw agents status" lists them`);
    },
  };
}

interface Taken {
  run: AgentRun;
  lock: Lock;
}

/** Claims and locks a run under one lock, so that no process sees a running run without its lock. */
async function take(dependencies: BackgroundDependencies): Promise<Taken | undefined> {
  const { runs, locks, limit, now } = dependencies;
  const claiming = await locks.acquire(CLAIMING);
  try {
    for (;;) {
      const run = await runs.claim(limit, now(), takenBy(dependencies));
      if (!run) return undefined;
      const lock = await locks.acquire(lockName(run));
      if (await isStillRunning(run, lock, runs)) return { run, lock };
    }
  } finally {
    await claiming.release();
  }
}

/** False, and the lock is released: while this process was frozen before it had the lock, another one reported the run as interrupted. */
async function isStillRunning({ id }: AgentRun, lock: Lock, runs: AgentRuns): Promise<boolean> {
  let isRunning = false;
  try {
    isRunning = (await runs.get(id))?.state === 'running';
    return isRunning;
  } finally {
    if (!isRunning) await lock.release();
  }
}

function takenBy({ deliver }: BackgroundDependencies): RunsTaken {
  return deliver ? 'all' : 'unanswered';
}

async function runOne(run: AgentRun, dependencies: BackgroundDependencies, signal: AbortSignal): Promise<void> {
  const { runs, ask } = dependencies;
  const cancel = new AbortController();
  const watch = setInterval(() => {
    // A failing storage is asked again.
    runs.isCancelRequested(run.id).then(
      (asked) => asked && cancel.abort('cancelled'),
      () => {},
    );
  }, CANCEL_POLL_MS);
  try {
    const answer = await ask(run, AbortSignal.any([signal, cancel.signal]));
    const end = endOf(answer, { stopped: signal.aborted, cancelled: cancel.signal.aborted });
    // Deliver first, then record the end: after a kill in between the next process delivers again, and a key is sent only once.
    await deliverAndEnd(run, end, dependencies);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await deliverAndEnd(run, { state: 'failed', error: message }, dependencies);
  } finally {
    clearInterval(watch);
  }
}

function endOf(answer: AgentAnswer, { stopped, cancelled }: { stopped: boolean; cancelled: boolean }): AgentRunEnd {
  const { sessionId } = answer;
  if (answer.ok) return { state: 'done', result: answer.text, sessionId };
  if (cancelled) return { state: 'cancelled', error: 'it was cancelled', sessionId };
  if (stopped) return { state: 'interrupted', error: 'Lainclaw was stopped while it ran', sessionId };
  return { state: 'failed', error: answer.error, sessionId };
}

async function deliverAndEnd(run: AgentRun, end: AgentRunEnd, dependencies: BackgroundDependencies): Promise<void> {
  const isDelivered = await deliverResult(run, end, dependencies);
  await dependencies.runs.end(run.id, { ...end, ...(!isDelivered && { isUndelivered: true }) }, dependencies.now());
}

/** False when the delivery must be tried again. */
async function deliverResult(
  run: AgentRun,
  end: AgentRunEnd,
  { deliver, log }: BackgroundDependencies,
): Promise<boolean> {
  const { id, name, injectInto: chat, asker } = run;
  const text = messageFor(run, end);
  if (chat === undefined || text === undefined) return true;
  if (!deliver) return false;
  const fail = (reason: string): void => log(`the result of ${id} (${name}) did not reach ${chat}: ${reason}`);
  try {
    const outcome = await deliver({ key: `agent-${id}`, chat, text, asker });
    if (typeof outcome === 'object') fail(outcome.refused);
    return outcome !== 'later';
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error));
    return false;
  }
}

function messageFor({ name, id, message }: AgentRun, { state, result = '', error }: AgentRunEnd): string | undefined {
  switch (state) {
    case 'done':
      return isSilentAnswer(result) ? undefined : `**${name}**\n\n${result}`;
    case 'cancelled':
      return undefined;
    case 'failed':
      return `The sub-agent **${name}** failed: ${error}`;
    case 'interrupted':
      return `The sub-agent **${name}** was interrupted (${error}) and was not repeated. What it did until then is in "lainclaw agents logs ${id}". It was asked: ${beginningOf(message)}`;
  }
}

function beginningOf(message: string): string {
  return message.length > LONGEST_QUOTE ? `${wholeCharacters(message.slice(0, LONGEST_QUOTE))}…` : message;
}

async function reportInterrupted(dependencies: BackgroundDependencies): Promise<void> {
  const { runs, locks } = dependencies;
  const end = { state: 'interrupted' as const, error: 'its process ended' };
  const claiming = await locks.acquire(CLAIMING);
  try {
    for (const run of await runs.list({ state: 'running', limit: 1_000 })) {
      const lock = await locks.tryAcquire(lockName(run));
      if (!lock) continue;
      try {
        await deliverAndEnd(run, end, dependencies);
      } finally {
        await lock.release();
      }
    }
  } finally {
    await claiming.release();
  }
}

/** Delivers results that could not be delivered before. */
async function deliverUndelivered(dependencies: BackgroundDependencies): Promise<void> {
  const { runs, deliver } = dependencies;
  if (!deliver) return;
  for (const run of await runs.undelivered(1_000)) {
    const { id, state, result, error } = run;
    if (state === 'queued' || state === 'running') continue;
    if (await deliverResult(run, { state, result, error }, dependencies)) await runs.markDelivered(id);
  }
}

function lockName({ id }: AgentRun): string {
  return `agent-run:${id}`;
}
