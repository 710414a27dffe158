// Turns of another process in the hub of the gateway: a chat at the terminal is seen in the console, and its questions are answered there. The
// process sends its events in batches and reads commands from a stream, one JSON object a line. The turn belongs to the process that
// runs it: when the stream is lost, the gateway's copy ends with an error, and the turn itself continues.
import { createEventQueue, type EventQueue } from '../../lib/event-queue.ts';
import type { RunEvent } from '../../pipeline/events.ts';
import type { TurnQuestion } from '../../pipeline/questions.ts';
import type { SteeringMessage } from '../../pipeline/steering.ts';
import { CodedError } from '../../vocabulary/coded-error.ts';
import type { Answerer } from './answerer.ts';
import type { Stretch } from './event-log.ts';
import type { AnswerOutcome, QuestionAnswer } from './questions.ts';
import type { RemoteTurn, TurnFacts, TurnHub } from './turn-hub.ts';

/** From the process that runs the turn. */
export type RelayedLine =
  | { kind: 'turn'; turn: TurnFacts }
  | { kind: 'event'; turnId: string; event: RunEvent }
  /** Events with the numbers that they have there, between gateways. Their questions come as `asked` and `resolved`, also where nobody reads events. */
  | { kind: 'stretch'; turnId: string; stretch: Stretch }
  | { kind: 'asked'; turnId: string; question: TurnQuestion }
  | { kind: 'resolved'; turnId: string; questionId: string }
  | { kind: 'end'; turnId: string }
  | { kind: 'answered'; id: number; outcome: AnswerOutcome };

/** To it. */
export type RelayCommand =
  | { kind: 'answer'; id: number; questionId: string; answer: QuestionAnswer; by: Answerer }
  | { kind: 'steer'; turnId: string; message: SteeringMessage }
  | { kind: 'withdraw'; turnId: string; messageId: string }
  | { kind: 'write'; turnId: string; message: unknown }
  | { kind: 'stop'; turnId: string };

const ANSWER_MS = 10_000;

interface Relayed {
  events: EventQueue<RunEvent>;
  /** The number of the newest event. */
  lastNumber: number;
  open: Map<string, TurnQuestion>;
  isEnded: boolean;
}

/** Resolves when the connection has ended. */
export async function receiveTurns(
  hub: Pick<TurnHub, 'start' | 'turn'>,
  lines: AsyncIterable<RelayedLine>,
  send: (command: RelayCommand) => void | Promise<void>,
  more: Pick<RemoteTurn, 'isElsewhere' | 'onRead'> = {},
): Promise<void> {
  const turns = new Map<string, Relayed>();
  const answers = new Map<number, (outcome: AnswerOutcome) => void>();
  let lastAnswer = 0;

  /** Who fails to send says so. */
  const quietly = (command: RelayCommand): void => void Promise.try(send, command).catch(() => {});

  function begin(facts: TurnFacts): void {
    // An id that is taken is a turn that is here already. The copy of one whose gateway was lost begins again when that gateway comes back.
    const known = hub.turn(facts.id);
    const isLeft = known?.isElsewhere && known.state === 'ended' && known.stage === undefined;
    if (known && !isLeft) return;
    const relayed: Relayed = { events: createEventQueue(), lastNumber: 0, open: new Map(), isEnded: false };
    turns.set(facts.id, relayed);
    void hub.start({
      ...facts,
      signal: new AbortController().signal,
      remote: {
        ...more,
        questions: () => [...relayed.open.values()],
        answer,
        steer: (message) => quietly({ kind: 'steer', turnId: facts.id, message }),
        withdraw: (messageId) => quietly({ kind: 'withdraw', turnId: facts.id, messageId }),
        write: (message) => send({ kind: 'write', turnId: facts.id, message }),
      },
      async *run({ signal }) {
        signal.addEventListener('abort', () => quietly({ kind: 'stop', turnId: facts.id }), { once: true });
        yield* relayed.events;
        if (!relayed.isEnded)
          throw new CodedError('TURN_ELSEWHERE', 'the connection to the process that runs this turn was lost');
      },
    });
  }

  /** The process that asks decides: somebody at its terminal may have been first. */
  function answer(questionId: string, given: QuestionAnswer, by: Answerer): Promise<AnswerOutcome> {
    lastAnswer += 1;
    const id = lastAnswer;
    const { promise, resolve } = Promise.withResolvers<AnswerOutcome>();
    const giveUp = setTimeout(
      () => settle(id, { kind: 'invalid', message: 'the process that asks does not answer: answer it there' }),
      ANSWER_MS,
    );
    answers.set(id, (outcome) => {
      clearTimeout(giveUp);
      resolve(outcome);
    });
    quietly({ kind: 'answer', id, questionId, answer: given, by });
    return promise;
  }

  function settle(id: number, outcome: AnswerOutcome): void {
    answers.get(id)?.(outcome);
    answers.delete(id);
  }

  function take(line: RelayedLine): void {
    if (line.kind === 'turn') begin(line.turn);
    else if (line.kind === 'answered') settle(line.id, line.outcome);
    else takeOfTurn(line);
  }

  function takeOfTurn(line: Extract<RelayedLine, { turnId: string }>): void {
    const relayed = turns.get(line.turnId);
    if (!relayed) return;
    if (line.kind === 'end') {
      relayed.isEnded = true;
      relayed.events.close();
      turns.delete(line.turnId);
      return;
    }
    if (line.kind === 'asked') relayed.open.set(line.question.id, line.question);
    else if (line.kind === 'resolved') relayed.open.delete(line.questionId);
    else if (line.kind === 'stretch') takeStretch(relayed, line.stretch);
    else takeEvent(relayed, line);
  }

  function takeEvent(relayed: Relayed, line: Extract<RelayedLine, { kind: 'event' }>): void {
    const { event } = line;
    // A turn that waits for a sub-agent tells its questions too; they are the sub-agent's.
    if ((event.type === 'permission-request' || event.type === 'form-request') && event.question.turnId === line.turnId)
      relayed.open.set(event.question.id, event.question);
    if (event.type === 'permission-resolved' || event.type === 'form-resolved') relayed.open.delete(event.questionId);
    relayed.events.push(event);
  }

  function takeStretch(relayed: Relayed, { first, event, pieces }: Stretch): void {
    // Repeated events begin before those that are known, and may reach further.
    const known = relayed.lastNumber + 1 - first;
    // What came before is not kept there any more: without it the numbers would differ.
    if (known < 0) relayed.events.close();
    if (known < 0 || known >= (pieces?.length ?? 1)) return;
    relayed.lastNumber = first + (pieces?.length ?? 1) - 1;
    if (!pieces) relayed.events.push(event);
    for (const text of pieces?.slice(known) ?? []) relayed.events.push({ ...event, text } as RunEvent);
  }

  try {
    for await (const line of lines) take(line);
  } finally {
    for (const { events, open } of turns.values()) {
      open.clear();
      events.close();
    }
    for (const id of [...answers.keys()]) settle(id, { kind: 'unknown' });
  }
}
