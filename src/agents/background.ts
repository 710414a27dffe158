// Background runs of sub-agents: taken from the queue, a few at a time, each run once. Whoever runs one holds a lock that the
// kernel frees with the process, so a run whose process ended is told apart from one that is still running: it is recorded as
// interrupted, reported, and never repeated. A process that reaches no chats leaves what is to be answered into one to the
// gateway.
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
/** The news of an interruption is one message: parts of it must not stand behind a result that was stored before a kill. */
const MESSAGE_TOLD = 500;

export interface BackgroundDependencies {
  runs: AgentRuns;
  locks: Locks;
  /** One turn of the sub-agent's own conversation. */
  ask(run: AgentRun, signal: AbortSignal): Promise<AgentAnswer>;
  /** Sent once the text is stored for the chat; the same key again must not be sent twice. Absent: no chat is reached here. */
  deliver?: Deliver;
  /** Runs at the same time, over all processes. */
  limit: number;
  now(): number;
  log(text: string): void;
}

export type AgentAnswer =
  | { ok: true; text: string; sessionId: string }
  | { ok: false; error: string; sessionId: string };

export interface Background {
  /**
   * Reports what was cut short, then runs what is queued. Resolves when nothing is left, or soon after the signal. Called again
   * meanwhile, it looks again.
   */
  work(signal: AbortSignal): Promise<void>;
  /** Rejects when there is no such run, or it has ended. */
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
      await tellUntold(dependencies);
      for (let taken = await take(dependencies); taken; taken = await take(dependencies)) start(taken, signal);
      if (running.size > 0) await Promise.race([...running, asked.promise]);
      else if (!(await runs.hasQueued(takenBy(dependencies)))) return;
      // Others are at the limit: what is queued waits for them, or for their end.
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

/** A run is its owner's from the moment it is called running: nobody looks in between. */
async function take(dependencies: BackgroundDependencies): Promise<Taken | undefined> {
  const { runs, locks, limit, now } = dependencies;
  const claiming = await locks.acquire(CLAIMING);
  try {
    const run = await runs.claim(limit, now(), takenBy(dependencies));
    return run && { run, lock: await locks.acquire(lockName(run)) };
  } finally {
    await claiming.release();
  }
}

function takenBy({ deliver }: BackgroundDependencies): RunsTaken {
  return deliver ? 'all' : 'unanswered';
}

async function runOne(run: AgentRun, dependencies: BackgroundDependencies, signal: AbortSignal): Promise<void> {
  const { runs, ask } = dependencies;
  const cancel = new AbortController();
  const watch = setInterval(() => {
    // Storage that fails now is asked again.
    runs.isCancelRequested(run.id).then(
      (asked) => asked && cancel.abort('cancelled'),
      () => {},
    );
  }, CANCEL_POLL_MS);
  try {
    const answer = await ask(run, AbortSignal.any([signal, cancel.signal]));
    const end = endOf(answer, { stopped: signal.aborted, cancelled: cancel.signal.aborted });
    // First told, then ended: whoever finds it running after a kill tells again, and of one key one message is sent.
    await tellAndEnd(run, end, dependencies);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    await tellAndEnd(run, { state: 'failed', error: message }, dependencies);
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

async function tellAndEnd(run: AgentRun, end: AgentRunEnd, dependencies: BackgroundDependencies): Promise<void> {
  const isTold = await tell(run, end, dependencies);
  await dependencies.runs.end(run.id, { ...end, ...(!isTold && { isUntold: true }) }, dependencies.now());
}

/** False: somebody must try again. */
async function tell(run: AgentRun, end: AgentRunEnd, { deliver, log }: BackgroundDependencies): Promise<boolean> {
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
      return `The sub-agent **${name}** was interrupted (${error}) and was not repeated. What it had done until then is in "lainclaw agents logs ${id}". It was asked: ${beginningOf(message)}`;
  }
}

function beginningOf(message: string): string {
  return message.length > MESSAGE_TOLD ? `${wholeCharacters(message.slice(0, MESSAGE_TOLD))}…` : message;
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
        await tellAndEnd(run, end, dependencies);
      } finally {
        await lock.release();
      }
    }
  } finally {
    await claiming.release();
  }
}

/** What could not be told before: there was no way to the chat, or it failed. */
async function tellUntold(dependencies: BackgroundDependencies): Promise<void> {
  const { runs, deliver } = dependencies;
  if (!deliver) return;
  for (const run of await runs.untold(1_000)) {
    const { id, state, result, error } = run;
    if (state === 'queued' || state === 'running') continue;
    if (await tell(run, { state, result, error }, dependencies)) await runs.markTold(id);
  }
}

function lockName({ id }: AgentRun): string {
  return `agent-run:${id}`;
}
