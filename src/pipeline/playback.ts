// A recorded turn played again as the events it was made of. Nothing is asked, run or written. The transcript has the
// moments of messages and calls, and how long each call took; when the answer was streaming is not on record, so it is
// spread over the second half of the time it took. Results of tools are shown as the model saw them.

import { readAttached } from '../sessions/attached.ts';
import type { HistoryCall, HistoryPicture, HistoryStep, HistoryTurn } from '../sessions/history.ts';
import type { SessionMessage } from '../sessions/lines.ts';
import type { ToolCall, ToolErrorCode, ToolFailureReason, ToolResult } from '../tools/tool.ts';
import { nameOf } from './attachments.ts';
import type { ContextSize } from './context-size.ts';
import type { AskResult, RunEvent, Stage, ToolErrorReport } from './events.ts';
import type { GrantedPermission } from './questions.ts';

export interface PlaybackOptions {
  sessionKey: string;
  sessionId: string;
  /** No pause is longer. */
  longestPauseMs: number;
  /** In pieces, as it was; otherwise the answer is one. */
  streams: boolean;
}

export interface PlayedEvent {
  event: RunEvent;
  /** What passed before it. */
  waitMs: number;
}

/** A recorded turn and the events it was made of. */
export interface PlayedTurn {
  number: number;
  turnId?: string;
  startedAt?: string;
  endedAt?: string;
  outcome?: string;
  /** The question. */
  input?: string;
  /** Those that came with the question. */
  pictures?: HistoryPicture[];
  /** How much of the model's window the conversation took after it. */
  context?: ContextSize;
  events: PlayedEvent[];
}

const PIECES_AT_MOST = 200;
const STAGES: Stage[] = ['answered', 'tool-limit', 'stopped', 'failed', 'cancelled'];

export function* playTurn(turn: HistoryTurn, options: PlaybackOptions): Generator<PlayedEvent> {
  const answer = turn.messages.findLast(({ role }) => role === 'assistant');
  let clock = timeOf(turn.startedAt ?? turn.messages[0]?.timestamp);
  const until = (time: number | undefined): number => {
    const waited = time === undefined || clock === undefined ? 0 : time - clock;
    clock = time ?? clock;
    return Math.min(Math.max(0, waited), options.longestPauseMs);
  };

  const { sessionKey } = options;
  const { origin } = turn;
  const provider = answer?.provider ?? turn.provider ?? '';
  const start = { requestId: idOf(turn), turnId: idOf(turn), sessionKey, provider };
  yield { event: { type: 'run-start', ...start, ...(origin !== undefined && { origin }) }, waitMs: 0 };
  if (turn.recalled) yield { event: { type: 'recalled', ...turn.recalled }, waitMs: 0 };
  for (const { event, time } of steppedEvents(turn.steps)) yield { event, waitMs: until(time) };
  if (answer) {
    const waited = until(timeOf(answer.timestamp));
    const pieces = options.streams ? piecesOf(answer.content) : [answer.content];
    for (const [index, text] of pieces.entries()) {
      const waitMs = index === 0 ? waited / 2 : waited / 2 / pieces.length;
      if (text !== '') yield { event: { type: 'text-delta', text }, waitMs };
    }
  }
  yield { event: { type: 'run-end', result: asEnd(turn, answer, options) }, waitMs: 0 };
}

interface TimedEvent {
  event: RunEvent;
  time: number | undefined;
}

/** Words before the calls they came with. Calls that ran at the same time overlap here too. */
function steppedEvents(steps: readonly HistoryStep[]): TimedEvent[] {
  const events = steps.flatMap(({ text, calls, steered = [] }): TimedEvent[] => {
    const began = timeOf(calls[0]?.timestamp);
    const said: TimedEvent[] = text === '' ? [] : [{ event: { type: 'text-delta', text }, time: began }];
    return [...said, ...calls.flatMap(calledEvents), ...steered.map(steeredEvent)];
  });
  const isTimed = events.every(({ time }) => time !== undefined);
  return isTimed ? events.sort((a, b) => (a.time ?? 0) - (b.time ?? 0)) : events;
}

/** Under the id with which it was sent, where that is on record. */
function steeredEvent({ id, origin = id, content, timestamp, attached: kept = [] }: SessionMessage): TimedEvent {
  const attached = readAttached(kept.join('\n\n')).attachments.map(nameOf);
  const message = { id: origin, text: content, ...(attached.length > 0 && { attached }) };
  return { event: { type: 'steered', message }, time: timeOf(timestamp) };
}

function calledEvents(told: HistoryCall): TimedEvent[] {
  const call = asCall(told);
  const began = timeOf(told.timestamp);
  const start: TimedEvent = { event: { type: 'tool-start', call }, time: began };
  if (!told.result) return [start];
  const result = recordedResult(told);
  const time = began === undefined ? undefined : began + result.meta.durationMs;
  const granted = told.granted as GrantedPermission | undefined;
  return [start, { event: { type: 'tool-end', call, result, ...(granted && { granted }) }, time }];
}

/** By words, or by characters where nothing separates words. */
function piecesOf(text: string): string[] {
  const words = text.match(/\s*[^\s\p{sc=Han}]+|\s*\p{sc=Han}|\s+/gu) ?? [];
  const together = Math.ceil(words.length / PIECES_AT_MOST) || 1;
  return Array.from({ length: Math.ceil(words.length / together) }, (_, index) =>
    words.slice(index * together, (index + 1) * together).join(''),
  );
}

function timeOf(timestamp: string | undefined): number | undefined {
  const time = Date.parse(timestamp ?? '');
  return Number.isNaN(time) ? undefined : time;
}

function idOf(turn: HistoryTurn): string {
  return turn.turnId ?? `turn-${turn.number}`;
}

function asCall({ call }: HistoryCall): ToolCall {
  return { ...call, args: call.args ?? {} } as ToolCall;
}

/** The record holds what the model saw, not what a program got. */
export function recordedResult({ result }: HistoryCall): ToolResult {
  const took = Number(result?.meta?.durationMs);
  const meta = { ...result?.meta, durationMs: Number.isFinite(took) ? Math.max(0, took) : 0 };
  if (!result || result.ok) return { ok: true, data: result?.text, meta };
  const { code = 'execution_error', message = result.text, reason } = result.error ?? {};
  const error = { code: code as ToolErrorCode, message, ...(reason && { reason: reason as ToolFailureReason }) };
  return { ok: false, error, data: result.text, meta };
}

function asEnd(turn: HistoryTurn, answer: SessionMessage | undefined, options: PlaybackOptions): AskResult {
  const stage = STAGES.find((one) => one === turn.outcome) ?? (answer ? 'answered' : 'cancelled');
  const done = turn.calls.filter(({ result }) => result);
  const error = errorOf(turn, answer);
  const facts = {
    requestId: idOf(turn),
    createdAt: turn.startedAt ?? turn.messages[0]?.timestamp ?? '',
    route: answer?.route ?? '',
    stage,
    result: answer?.content ?? '',
    sessionKey: options.sessionKey,
    sessionId: options.sessionId,
    provider: answer?.provider ?? turn.provider,
    profileId: answer?.profileId ?? turn.profileId,
    model: answer?.model ?? turn.model,
    memoryEnabled: turn.memoryEnabled ?? false,
    memoryUpdated: false,
    toolCalls: turn.calls.map(asCall),
    toolResults: done.map((told) => ({ call: asCall(told), result: recordedResult(told) })),
    toolError: toolErrorOf(turn),
    sessionContextUpdated: turn.messages.some(({ role }) => role === 'system'),
    usage: turn.usage,
  };
  return error ? { success: false, ...facts, error } : { success: true, ...facts };
}

function errorOf(turn: HistoryTurn, answer: SessionMessage | undefined): { code: string; message: string } | undefined {
  if (turn.error) return { code: turn.error.code, message: turn.error.message };
  if (turn.outcome === 'interrupted') return { code: 'INTERRUPTED', message: 'this turn was cut short' };
  if (turn.outcome === 'unfinished')
    return { code: 'UNFINISHED', message: 'this turn has no end: it is still running, or was cut short' };
  return answer ? undefined : { code: 'NO_ANSWER', message: 'no answer is on record' };
}

function toolErrorOf({ outcome, calls }: HistoryTurn): ToolErrorReport | undefined {
  const failed = calls.find(({ result }) => result && !result.ok);
  const code = 'execution_error' as const;
  if (outcome === 'tool-limit')
    return { tool: calls.at(-1)?.call.name ?? '', code, message: 'tool call loop exceeded max steps' };
  const result = failed && recordedResult(failed);
  if (!failed || !result || result.ok) return undefined;
  return { tool: failed.call.name, code: result.error.code, message: result.error.message };
}
