// Asks the model with what fits its window. Where the service finds the request too long all the same, its window is smaller than
// was known: the history is summarised for the smaller one, what still does not fit is left out, and it is asked again. It stops
// after three questions, or when there is nothing left to leave out. The smaller window holds for the rest of the turn. Each question
// has a reservation of its own in the day's budget, and none is held while something else is asked.
import type { Adapter, ModelMessage, ModelRequest } from '../adapters/adapter.ts';
import { sizeOf } from '../adapters/request-size.ts';
import { type Answer, askModel } from './ask-model.ts';
import type { ContextSize } from './context-size.ts';
import type { DayBudget, Reservation } from './day-budget.ts';
import type { RunEvent } from './events.ts';
import { fitContext, windowForHalf } from './fit-context.ts';
import type { SentHistory } from './history.ts';

export interface Conversation {
  messages: ModelMessage[];
  /** Index of this turn's question; everything before it is history. */
  questionAt: number;
  /** How many of the first messages are never left out. */
  pinned: number;
  /** Tokens that the model can take in; undefined while nobody knows. */
  window: number | undefined;
}

export interface WindowOptions {
  adapter: Adapter;
  request: ModelRequest;
  /** The history for a window of so many tokens, summarised where it has to be. */
  shorten?(window: number): AsyncGenerator<RunEvent, SentHistory>;
  /** Asked before each model call: whether the day has room for it. */
  reserveDay(questionTokens: () => number): ReturnType<DayBudget['reserve']>;
  signal: AbortSignal;
}

export type AskedWithinWindow =
  | { refused?: undefined; answer: Answer; sent: Conversation }
  /** The day's cap leaves no room. */
  | { refused: string };

const MOST_QUESTIONS = 3;

export async function* askWithinWindow(
  options: WindowOptions,
  conversation: Conversation,
): AsyncGenerator<RunEvent, AskedWithinWindow> {
  const { request, reserveDay } = options;
  let sent = conversation;
  for (let question = 1; ; question += 1) {
    const fitted = whatFits(sent, request);
    if (fitted.dropped > 0) yield { type: 'notice', text: leftOut(fitted.dropped), about: 'history' };
    sent = { ...sent, messages: fitted.messages, questionAt: fitted.questionAt };
    const reservation = await reserveDay(() => fitted.tokens);
    if (reservation.refused !== undefined) return reservation;
    const answer = yield* askReserved(reservation, options, sent, fitted.tokens);
    const { failure } = answer;
    if (failure?.code !== 'context_length' || question === MOST_QUESTIONS) return { answer, sent };

    const window = smallerWindow(failure.contextWindow, fitted.tokens) ?? windowForHalf(request, sent.messages);
    const shorter = yield* shortened({ ...sent, window }, options);
    if (sizeOf(request, whatFits(shorter, request).messages) >= fitted.tokens) return { answer, sent };
    sent = shorter;
    const reason = 'the conversation is too long for the model: older parts are left out';
    yield { type: 'text-restart', reason, waitMs: 0 };
  }
}

/** Whatever becomes of the call, its reservation is free afterwards and its cost on record. */
async function* askReserved(
  reservation: Reservation,
  { adapter, request, signal }: WindowOptions,
  { messages, window }: Conversation,
  tokens: number,
): AsyncGenerator<RunEvent, Answer> {
  const size: ContextSize = { tokens, ...(window !== undefined && { window }) };
  let answer: Answer | undefined;
  let unrecorded: string | undefined;
  try {
    answer = yield* askModel(adapter, { ...request, messages }, signal, size);
  } finally {
    unrecorded = await reservation.settle(answer?.usage);
  }
  if (unrecorded !== undefined) yield { type: 'notice', text: unrecorded };
  return answer;
}

function whatFits(sent: Conversation, request: ModelRequest) {
  const { messages, questionAt, window } = sent;
  if (window === undefined) return { messages, questionAt, dropped: 0, tokens: sizeOf(request, messages) };
  return fitContext({ ...sent, request, contextWindow: window });
}

/** What the service says, unless the request was within it as we count: then it counts more than we do. */
function smallerWindow(stated: number | undefined, sentTokens: number): number | undefined {
  return stated !== undefined && stated < sentTokens ? stated : undefined;
}

async function* shortened(
  sent: Conversation & { window: number },
  { shorten }: WindowOptions,
): AsyncGenerator<RunEvent, Conversation> {
  if (!shorten || sent.questionAt === 0) return sent;
  const history = yield* shorten(sent.window);
  const messages = [...history.messages, ...sent.messages.slice(sent.questionAt)];
  return { ...sent, messages, questionAt: history.messages.length, pinned: history.pinned };
}

function leftOut(count: number): string {
  return `${count} older messages and tool results of this conversation do not fit the model's context window and are left out of this turn`;
}
