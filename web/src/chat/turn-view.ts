// A turn as the chat shows it, made from its events: the same events that a live turn streams and that a replay of the transcript
// gives. Pure: a new view for each event, in which unchanged parts stay the same objects.
import type { RunEvent } from '../../../src/pipeline/events.ts';
import type { FormResolution, PermissionResolution } from '../../../src/pipeline/questions.ts';
import type { ToolCall, ToolResult } from '../../../src/tools/tool.ts';
import type { RecalledItem } from '../../../src/vocabulary/recalled.ts';
import type { Output } from '../api/operations.ts';

export type Question = Output<'turns.questions'>[number];
export type Usage = NonNullable<Extract<RunEvent, { type: 'model-end' }>['usage']>;
export type Resolution = PermissionResolution | FormResolution;

type Shown<Type extends RunEvent['type']> = Exclude<RunEvent, { type: Type }>;

/** An event as the API streams it: what the page has already, or what would only be large, is left out. */
export type TurnEvent =
  | Shown<'run-start' | 'tool-output' | 'permission-request' | 'form-request' | 'run-end'>
  | { type: 'run-start'; origin?: string }
  | { type: 'tool-output'; callId: string; text: string }
  | { type: 'permission-request' | 'form-request'; question: Question }
  | { type: 'run-end'; result: ShownResult };

type ShownResult = Omit<Extract<RunEvent, { type: 'run-end' }>['result'], 'toolCalls' | 'toolResults'> & {
  error?: { code: string; message: string };
};

export type Part =
  | { kind: 'text'; id: string; text: string }
  | { kind: 'thinking'; id: string; text: string }
  | { kind: 'notice'; id: string; text: string }
  | { kind: 'steered'; id: string; text: string }
  | { kind: 'recalled'; id: string; items: readonly RecalledItem[]; tokens: number }
  | { kind: 'tool'; id: string; call: ToolCall; output: string; result?: ToolResult; startedAt?: number }
  | { kind: 'question'; id: string; question: Question; resolution?: Resolution };

export interface TurnEnd {
  stage: string;
  error?: { code: string; message: string };
  usage?: Usage;
  model?: string;
  provider?: string;
}

/** It was written to the turn and has not joined it yet. */
export interface WaitingMessage {
  id: string;
  text: string;
  /** The gateway keeps it: it can be taken back, and is asked as the next question when the turn ends first. */
  canWithdraw?: true;
}

/** A file that was sent from this page. */
export interface SentFile {
  name: string;
  /** Of the upload, which is kept for a day. */
  id?: string;
  /** The address of a picture, while this page is open. */
  picture?: string;
}

export interface TurnView {
  id: string;
  /** Its place in the conversation; absent while it is not in the transcript. */
  number?: number;
  question: string;
  files?: readonly SentFile[];
  /** Addresses of those that came with the question. */
  pictures?: readonly string[];
  startedAt?: string;
  endedAt?: string;
  parts: readonly Part[];
  /** Ids of the messages that are its question, where an earlier turn did not take them up. */
  asks?: readonly string[];
  waiting: readonly WaitingMessage[];
  state: 'waiting' | 'running' | 'ended';
  end?: TurnEnd;
  usage?: Usage;
  context?: { tokens: number; window?: number };
  /** The number of the last live event in it. */
  lastNumber: number;
}

/** What live output of one call is kept of: the end. */
const MOST_OUTPUT = 20_000;

export function newTurn(id: string, question = ''): TurnView {
  return { id, question, parts: [], waiting: [], state: 'running', lastNumber: 0 };
}

export function withEvent(turn: TurnView, event: TurnEvent, now?: number): TurnView {
  switch (event.type) {
    case 'run-start':
      return { ...turn, state: 'running', ...(event.origin !== undefined && { asks: event.origin.split(' ') }) };
    case 'waiting':
      return { ...turn, state: 'waiting' };
    case 'notice':
      return added(turn, { kind: 'notice', id: partId(turn), text: event.text });
    case 'model-start':
      return turn.state === 'running' ? turn : { ...turn, state: 'running' };
    case 'thinking-delta':
      return withText(turn, 'thinking', event.text);
    case 'text-delta':
      return withText(turn, 'text', event.text);
    case 'text-restart':
      return added({ ...turn, parts: withoutLastWords(turn.parts) }, notice(turn, event.reason));
    case 'model-end':
      return {
        ...turn,
        usage: sum(turn.usage, event.usage),
        ...(event.context && { context: event.context }),
      };
    case 'tool-start':
      return added(turn, { kind: 'tool', id: event.call.id, call: event.call, output: '', startedAt: now });
    case 'tool-output':
      return withTool(turn, event.callId, (part) => ({
        ...part,
        output: (part.output + event.text).slice(-MOST_OUTPUT),
      }));
    case 'tool-end':
      return withTool(turn, event.call.id, (part) => ({ ...part, result: event.result }), event.call);
    case 'steer-waiting':
      return messageIds(turn).includes(event.message.id)
        ? turn
        : { ...turn, waiting: [...turn.waiting, event.message] };
    case 'steer-withdrawn':
      return withoutWaiting(turn, [event.messageId]);
    case 'steered': {
      const { id, text } = event.message;
      return added(withoutWaiting(turn, [id]), { kind: 'steered', id, text });
    }
    case 'permission-request':
    case 'form-request':
      return withQuestion(turn, event.question);
    case 'permission-resolved':
    case 'form-resolved':
      return { ...turn, parts: turn.parts.map((part) => resolved(part, event.questionId, event.resolution)) };
    case 'run-end':
      return ended(turn, event.result);
    case 'recalled':
      return added(turn, { kind: 'recalled', id: partId(turn), items: event.items, tokens: event.tokens });
    // An event of a newer gateway, or one that is not shown.
    default:
      return turn;
  }
}

/** What is written in the transcript has no marks of a stream: `question` and times come from there. */
export function replayedTurn(
  played: NonNullable<Output<'sessions.replay'>['turns']>[number],
  { pictureAt, now }: { pictureAt?(path: string): string; now?: number } = {},
): TurnView {
  const id = played.turnId ?? `turn-${played.number}`;
  const turn = played.events.reduce<TurnView>(
    (view, { event }) => withEvent(view, event as TurnEvent, now),
    newTurn(id, played.input ?? ''),
  );
  const pictures = pictureAt && played.pictures?.map(({ path }) => pictureAt(path));
  const { number, startedAt, endedAt, context } = played;
  return { ...turn, number, startedAt, endedAt, ...(context && { context }), ...(pictures && { pictures }) };
}

function ended(turn: TurnView, result: ShownResult): TurnView {
  const { stage, usage, model, provider } = result;
  const end: TurnEnd = { stage, usage: usage ?? turn.usage, model, provider };
  // What the turn ends with is not always streamed, such as why it was ended.
  const isStreamed =
    result.result === '' || turn.parts.some((part) => part.kind === 'text' && part.text.includes(result.result));
  const unsaid = isStreamed ? '' : withoutStreamed(result.result, turn.parts);
  const parts: readonly Part[] =
    unsaid === '' ? turn.parts : [...turn.parts, { kind: 'text', id: partId(turn), text: unsaid }];
  // The others are left to the people who wrote them.
  const waiting = turn.waiting.filter(({ canWithdraw }) => canWithdraw);
  return { ...turn, parts, waiting, state: 'ended', end: result.error ? { ...end, error: result.error } : end };
}

/** The end of a text whose beginning was streamed. */
function withoutStreamed(text: string, parts: readonly Part[]): string {
  const streamed = parts.findLast((part) => part.kind === 'text')?.text.trim() ?? '';
  return streamed !== '' && text.startsWith(streamed) ? text.slice(streamed.length).trim() : text;
}

export function withQuestion(turn: TurnView, question: Question): TurnView {
  const isThere = turn.parts.some(({ kind, id }) => kind === 'question' && id === question.id);
  return isThere ? turn : added(turn, { kind: 'question', id: question.id, question });
}

function resolved(part: Part, id: string, resolution: Resolution): Part {
  return part.kind === 'question' && part.id === id ? { ...part, resolution } : part;
}

function withText(turn: TurnView, kind: 'text' | 'thinking', text: string): TurnView {
  const last = turn.parts.at(-1);
  if (last?.kind !== kind) return added({ ...turn, state: 'running' }, { kind, id: partId(turn), text });
  return { ...turn, parts: [...turn.parts.slice(0, -1), { ...last, text: last.text + text }] };
}

function withTool(
  turn: TurnView,
  id: string,
  change: (part: Extract<Part, { kind: 'tool' }>) => Part,
  call?: ToolCall,
): TurnView {
  const isThere = turn.parts.some((part) => part.kind === 'tool' && part.id === id);
  const before = !isThere && call ? added(turn, { kind: 'tool', id, call, output: '' }) : turn;
  return {
    ...before,
    parts: before.parts.map((part) => (part.kind === 'tool' && part.id === id ? change(part) : part)),
  };
}

/** Of those that wait, have joined the turn, or are its question. */
export function messageIds({ asks = [], waiting, parts }: TurnView): string[] {
  return [...asks, ...[...waiting, ...parts.filter(({ kind }) => kind === 'steered')].map(({ id }) => id)];
}

/** They have joined a turn, were taken back, or are a question of their own. */
export function withoutWaiting(turn: TurnView, ids: readonly string[]): TurnView {
  return { ...turn, waiting: turn.waiting.filter(({ id }) => !ids.includes(id)) };
}

/** The words since the last call are void. */
function withoutLastWords(parts: readonly Part[]): readonly Part[] {
  const from = parts.findLastIndex(({ kind }) => kind !== 'text' && kind !== 'thinking') + 1;
  return parts.slice(0, from);
}

function notice(turn: TurnView, text: string): Part {
  return { kind: 'notice', id: `${partId(turn)}-restart-${turn.lastNumber}`, text };
}

function added(turn: TurnView, part: Part): TurnView {
  return { ...turn, parts: [...turn.parts, part] };
}

function partId(turn: TurnView): string {
  return `${turn.id}-${turn.parts.length}`;
}

function sum(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
  if (!one || !other) return one ?? other;
  const cost = (one.costUsd ?? 0) + (other.costUsd ?? 0);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...((one.costUsd !== undefined || other.costUsd !== undefined) && { costUsd: cost }),
  };
}
