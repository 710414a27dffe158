// The turn hub: every turn of this process as data. A turn runs by itself, no matter who reads it: its events are numbered and kept,
// so that any number of readers can follow it, join late and come back after a lost connection. Its questions are answered by
// any reader who may. Turns that have ended are kept for a while, within limits; then only their transcript has them.
import { newestIds } from '../../lib/newest-ids.ts';
import type { RunEvent, Stage } from '../../pipeline/events.ts';
import type { TurnQuestion, TurnQuestions } from '../../pipeline/questions.ts';
import type { Steering, SteeringMessage } from '../../pipeline/steering.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import { createEventLog, type EventLog, type ReadOptions, type Stretch, type TurnItem } from './event-log.ts';
import { type AskingTurn, createQuestions, type Questions, type QuestionsDependencies } from './questions.ts';
import {
  createSteeringQueue,
  type RemoteSteering,
  type SteeringOutcome,
  type SteeringQueue,
} from './steering-queue.ts';

export interface HubLimits {
  /** Events of one turn, in bytes; beyond it the oldest are dropped. */
  turnBytes: number;
  /** Of the turns that have ended: how many, how much and how long they are kept. */
  endedTurns: number;
  endedBytes: number;
  endedMs: number;
}

const DEFAULT_LIMITS: HubLimits = {
  turnBytes: 16 * 1024 * 1024,
  endedTurns: 200,
  endedBytes: 32 * 1024 * 1024,
  endedMs: 10 * 60_000,
};

/** Ids of turns that are no longer kept, so that a late reader learns that and not that there was none. */
const FORGOTTEN_REMEMBERED = 2_000;

export type HubErrorCode = 'TURN_UNKNOWN' | 'TURN_FORGOTTEN' | 'EVENT_NUMBER_INVALID';

export class HubError extends CodedError<HubErrorCode> {}

export interface TurnFacts {
  id: string;
  sessionKey: string;
  provider: string;
  /** The turn that waits for this one: this is a sub-agent's. */
  parentId?: string;
  /** The chat that it answers in, as `chatName` writes it. */
  chat?: string;
  /** What it answers: the same where another gateway takes the question up. For watchers alone. */
  origin?: string;
}

/** `waiting`: for another turn of the session. `asking`: for a person's answer. */
export type TurnState = 'waiting' | 'running' | 'asking' | 'ended';

export interface TurnSummary extends TurnFacts {
  state: TurnState;
  startedAt: string;
  endedAt?: string;
  /** How it ended; absent while it runs, and where it ended with an error of ours. */
  stage?: Stage;
  /** The number of the newest event. */
  lastNumber: number;
  /** Another process of the owner runs it. */
  isRemote?: true;
  /** That process is another gateway on the same storage. */
  isElsewhere?: true;
}

/** What a turn that is started gets from the hub. */
export interface HubTurn {
  /** Fires when the caller cancels the turn, and when it is stopped by its id. */
  signal: AbortSignal;
  questions: Required<TurnQuestions>;
  /** What people write to it while it runs. */
  steering: Steering;
}

/** What is done in the process that runs a turn. */
export interface RemoteTurn extends RemoteSteering {
  /** Open ones, oldest first. */
  questions(): TurnQuestion[];
  answer: Questions['answer'];
  /** Hands over a message of the turn's chat. Resolves when the process that runs the turn will get it. */
  write(message: unknown): void | Promise<void>;
  /** Another gateway runs it, and counts it. */
  isElsewhere?: true;
  /** Somebody reads its events here. */
  onRead?(): void;
}

export interface StartOptions extends TurnFacts {
  /** A question without an answer is a no after so long; without it, it stays open as long as the turn. */
  questionMs?: number;
  /** Another process runs it. */
  remote?: RemoteTurn;
  signal: AbortSignal;
  run(turn: HubTurn): AsyncIterable<RunEvent>;
}

/** Told of every turn of the process, in order and at once: it must neither wait nor throw. */
export interface TurnWatcher {
  /** Also those that other gateways run. */
  seesElsewhere?: true;
  /** `number` is the event's own within its turn. */
  onEvent(turn: TurnFacts, number: number, event: RunEvent): void;
  /** After the last event. */
  onEnd(turn: TurnSummary): void;
}

export interface TurnHub {
  /** Returns what ends it. */
  watch(watcher: TurnWatcher): () => void;
  /** Runs a turn, whether anybody reads it or not. Resolves when it has ended; what it fails with goes to its readers. */
  start(options: StartOptions): Promise<void>;
  /** Throws HubError when there is nothing to read; ends with the turn. */
  read(turnId: string, options?: ReadOptions): AsyncGenerator<TurnItem, void>;
  turn(turnId: string): TurnSummary | undefined;
  /** Every turn that is running or kept, oldest first. */
  turns(): TurnSummary[];
  /** The events of a turn after this number as they were published; undefined when it is not kept. */
  stretches(turnId: string, after: number): Stretch[] | undefined;
  /** Somebody watches the turns of other gateways, too. */
  readonly isWatchedElsewhere: boolean;
  /** No turn runs here. */
  readonly isIdle: boolean;
  /** Every open question of every turn, oldest first. */
  questions(): TurnQuestion[];
  answer: Questions['answer'];
  /** Drops the turns of a session that have ended. */
  forgetSession(sessionKey: string): void;
  /** Writes to a turn that runs: the message joins it before its next model request. Resolves when that is durable, or when the turn has ended. The caller decides who may. */
  steer(turnId: string, message: SteeringMessage): Promise<SteeringOutcome | 'unknown'>;
  /** Takes back a message that waits to join a turn, where its sender allows that. Resolves with what became of it. */
  withdraw(turnId: string, messageId: string): Promise<SteeringOutcome | 'unknown'>;
  /** A message of the turn's chat arrived here and answers what the turn asks: the gateway that runs it gets the message. Resolves when that is certain. */
  write(turnId: string, message: unknown): Promise<void>;
  /** Called with such messages for turns of this gateway. Returns what ends it. */
  onWritten(listener: (message: unknown) => void): () => void;
  /** Cancels a turn, as its caller could. */
  stop(turnId: string): 'stopped' | 'ended' | 'unknown';
}

export interface TurnHubDependencies extends QuestionsDependencies {
  /** Called when a turn has started or ended. */
  onChange?: () => void;
  limits?: Partial<HubLimits>;
}

interface TurnRecord {
  facts: TurnFacts;
  log: EventLog;
  control: AbortController;
  parent: TurnRecord | undefined;
  questions: Required<TurnQuestions>;
  steering: SteeringQueue;
  startedAt: number;
  isWaiting: boolean;
  remote: RemoteTurn | undefined;
  ended?: { at: number; stage: Stage | undefined };
}

export function createTurnHub(dependencies: TurnHubDependencies): TurnHub {
  const { now } = dependencies;
  const limits = { ...DEFAULT_LIMITS, ...dependencies.limits };
  const questions = createQuestions(dependencies);
  const records = new Map<string, TurnRecord>();
  const running = new Set<TurnRecord>();
  /** In the order of ending. */
  const endedRecords: TurnRecord[] = [];
  let endedBytes = 0;
  const forgotten = newestIds(FORGOTTEN_REMEMBERED);
  const watchers = new Set<TurnWatcher>();
  const writtenListeners = new Set<(message: unknown) => void>();
  let sweep: NodeJS.Timeout | undefined;

  async function start({ signal, run, questionMs, remote, ...facts }: StartOptions): Promise<void> {
    const control = new AbortController();
    const cancel = (): void => control.abort(signal.reason);
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    const parent = facts.parentId === undefined ? undefined : records.get(facts.parentId);
    const record: TurnRecord = {
      facts,
      log: createEventLog({ maxBytes: limits.turnBytes }),
      control,
      parent,
      questions: questionsOf({ facts, parent, control, questionMs, publish: (event) => publishUp(record, event) }),
      steering: createSteeringQueue({ remote, publish: (event) => publish(record, event) }),
      startedAt: now(),
      isWaiting: false,
      remote,
    };
    // The copy of a turn whose gateway was lost, and came back.
    const before = records.get(facts.id);
    if (before?.ended) forget(before);
    records.set(facts.id, record);
    running.add(record);
    dependencies.onChange?.();
    await pump(record, run);
    dependencies.onChange?.();
    signal.removeEventListener('abort', cancel);
  }

  async function pump(record: TurnRecord, run: StartOptions['run']): Promise<void> {
    const { log, control, steering } = record;
    let stage: Stage | undefined;
    let failure: { error: unknown } | undefined;
    try {
      for await (const event of run({ signal: control.signal, questions: record.questions, steering })) {
        steering.see(event);
        if (event.type === 'run-end') {
          stage = event.result.stage;
          questions.endTurn(record.facts.id);
          steering.end();
        }
        record.isWaiting = event.type === 'waiting';
        publish(record, event);
      }
    } catch (error) {
      failure = { error };
    }
    questions.endTurn(record.facts.id);
    steering.end();
    log.close(failure);
    keepEnded(record, stage);
    if (watchers.size === 0) return;
    const summary = summaryOf(record);
    for (const { onEnd } of watchersOf(record)) onEnd(summary);
  }

  function publish(record: TurnRecord, event: RunEvent): void {
    const { facts, log } = record;
    log.publish(event);
    for (const { onEvent } of watchersOf(record)) onEvent(facts, log.lastNumber, event);
  }

  function watchersOf({ remote }: TurnRecord): Iterable<TurnWatcher> {
    return remote?.isElsewhere ? [...watchers].filter(({ seesElsewhere }) => seesElsewhere) : watchers;
  }

  /** A reader of a turn sees what its sub-agents ask. */
  function publishUp(record: TurnRecord, event: RunEvent): void {
    for (let each: TurnRecord | undefined = record; each; each = each.parent) publish(each, event);
  }

  /** A sub-agent's forms are asked by the turn at the top: a server's question goes to one person, no matter whose call is open. */
  function questionsOf(turn: {
    facts: TurnFacts;
    parent: TurnRecord | undefined;
    control: AbortController;
    questionMs: number | undefined;
    publish(event: RunEvent): void;
  }): Required<TurnQuestions> {
    const { facts, parent, control, questionMs, publish } = turn;
    const asking: AskingTurn = {
      id: facts.id,
      chat: facts.chat,
      publish,
      signal: control.signal,
      expiresMs: questionMs,
    };
    return {
      permission: (question, signal) => questions.askPermission(asking, question, signal),
      form: parent?.questions.form ?? ((request, signal) => questions.askForm(asking, request, signal)),
    };
  }

  function keepEnded(record: TurnRecord, stage: Stage | undefined): void {
    record.ended = { at: now(), stage };
    running.delete(record);
    endedRecords.push(record);
    endedBytes += record.log.bytes;
    forgetOld();
  }

  function forgetOld(): void {
    const isOver = ({ ended }: TurnRecord): boolean =>
      endedRecords.length > limits.endedTurns ||
      endedBytes > limits.endedBytes ||
      now() - (ended?.at ?? 0) >= limits.endedMs;
    for (let oldest = endedRecords[0]; oldest && isOver(oldest); oldest = endedRecords[0]) {
      endedRecords.shift();
      release(oldest);
    }
    if (endedRecords.length === 0 || sweep) return;
    // Nothing waits for it: a process may end before.
    sweep = setTimeout(() => {
      sweep = undefined;
      forgetOld();
    }, limits.endedMs);
    sweep.unref();
  }

  function forget(record: TurnRecord): void {
    endedRecords.splice(endedRecords.indexOf(record), 1);
    release(record);
  }

  function release({ log, facts }: TurnRecord): void {
    endedBytes -= log.bytes;
    log.release();
    records.delete(facts.id);
    forgotten.add(facts.id);
  }

  function found(turnId: string): TurnRecord {
    const record = records.get(turnId);
    if (record) return record;
    if (forgotten.has(turnId))
      throw new HubError(
        'TURN_FORGOTTEN',
        `the events of the turn ${turnId} are no longer kept: its transcript has what was said and done`,
      );
    throw new HubError('TURN_UNKNOWN', `no turn ${turnId} was started since this process began`);
  }

  const summaryOf = ({ facts, log, startedAt, isWaiting, ended, remote }: TurnRecord): TurnSummary => ({
    ...withoutOrigin(facts),
    state: ended ? 'ended' : isAsking({ facts, remote }) ? 'asking' : isWaiting ? 'waiting' : 'running',
    startedAt: new Date(startedAt).toISOString(),
    ...(ended && { endedAt: new Date(ended.at).toISOString() }),
    ...(ended?.stage && { stage: ended.stage }),
    lastNumber: log.lastNumber,
    ...(remote && { isRemote: true }),
    ...(remote?.isElsewhere && { isElsewhere: true }),
  });

  function isAsking({ facts, remote }: Pick<TurnRecord, 'facts' | 'remote'>): boolean {
    return questions.openOf(facts.id) > 0 || (remote?.questions().length ?? 0) > 0;
  }

  const remotes = (): RemoteTurn[] => [...records.values()].flatMap(({ remote }) => remote ?? []);

  return {
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    start,
    read(turnId, options = {}) {
      const { log, remote } = found(turnId);
      const { after = 0 } = options;
      remote?.onRead?.();
      // Another gateway may have published more than has arrived here.
      if (!Number.isInteger(after) || after < 0 || (after > log.lastNumber && !remote?.isElsewhere))
        throw new HubError(
          'EVENT_NUMBER_INVALID',
          `${after} is not a number of an event of ${turnId}: it has 1 to ${log.lastNumber}, and 0 reads from the beginning`,
        );
      return log.read(options);
    },
    turn(turnId) {
      const record = records.get(turnId);
      return record && summaryOf(record);
    },
    turns: () => [...records.values()].map(summaryOf),
    stretches: (turnId, after) => records.get(turnId)?.log.stretches(after),
    get isWatchedElsewhere() {
      return watchers.values().some(({ seesElsewhere }) => seesElsewhere);
    },
    get isIdle() {
      return running.values().every(({ remote }) => remote?.isElsewhere);
    },
    questions: () => [...questions.open(), ...remotes().flatMap((remote) => remote.questions())],
    answer(questionId, answer, by) {
      const remote = remotes().find((each) => each.questions().some(({ id }) => id === questionId));
      return (remote ?? questions).answer(questionId, answer, by);
    },
    forgetSession(sessionKey) {
      for (const record of endedRecords.filter(({ facts }) => facts.sessionKey === sessionKey)) forget(record);
    },
    async steer(turnId, message) {
      const record = records.get(turnId);
      if (record) return record.steering.add(message);
      return forgotten.has(turnId) ? 'ended' : 'unknown';
    },
    withdraw: async (turnId, messageId) => records.get(turnId)?.steering.withdraw(messageId) ?? 'unknown',
    async write(turnId, message) {
      const { remote } = records.get(turnId) ?? {};
      if (remote) await remote.write(message);
      else for (const listener of writtenListeners) listener(message);
    },
    onWritten(listener) {
      writtenListeners.add(listener);
      return () => writtenListeners.delete(listener);
    },
    stop(turnId) {
      const record = records.get(turnId);
      if (!record) return forgotten.has(turnId) ? 'ended' : 'unknown';
      if (record.ended) return 'ended';
      record.control.abort();
      return 'stopped';
    },
  };
}

function withoutOrigin({ origin: _origin, ...shown }: TurnFacts): TurnFacts {
  return shown;
}
