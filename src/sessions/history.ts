// A transcript as it is told to a reader: turn by turn, oldest first, with one turn in memory at a time. A turn begins with
// its `turn-start` and ends with its `turn-end`; messages without a journal (written by hand, or around a damaged line)
// are told as turns of their own, one for each question. Lines that cannot be read are told in their place.
import type { ScannedLine } from '../storage/storage.ts';
import {
  asSessionLine,
  type JournalledCall,
  type JournalledPermission,
  type SessionLine,
  type SessionMessage,
  type TurnOutcome,
} from './lines.ts';

/** More messages than this are no turn of ours: told in parts, so that memory stays bounded. */
const MOST_MESSAGES = 1_000;

export interface HistoryError {
  code: string;
  message: string;
  reason?: string;
}

export interface HistoryResult {
  ok: boolean;
  /** What the model was told: the whole, or the part that the limit left. */
  text: string;
  error?: HistoryError;
  meta?: Record<string, unknown>;
}

export interface HistoryCall {
  call: JournalledCall;
  effect: string;
  timestamp: string;
  /** Set when a person allowed the call. */
  granted?: JournalledPermission;
  /** Absent when none is on record. */
  result?: HistoryResult;
}

export interface HistoryUsage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens?: number;
  costUsd?: number;
}

export interface HistoryTurn {
  /** Of its session, from one. */
  number: number;
  /** Absent when the transcript holds its messages only. */
  turnId?: string;
  startedAt?: string;
  endedAt?: string;
  /** `unfinished`: the transcript's last turn has no end: it is still running, or was cut short. */
  outcome?: TurnOutcome | 'unfinished';
  provider?: string;
  profileId?: string;
  /** The model that answered last, where its name is on record. */
  model?: string;
  memoryEnabled?: boolean;
  origin?: string;
  /** Content from outside was part of it. */
  marked?: true;
  messages: SessionMessage[];
  calls: HistoryCall[];
  error?: HistoryError;
  usage?: HistoryUsage;
}

export type HistoryItem =
  | { kind: 'turn'; turn: HistoryTurn }
  | { kind: 'compaction'; timestamp: string; compactedMessageCount: number }
  | { kind: 'repair'; timestamp: string; droppedBytes: number }
  | { kind: 'damaged'; line: number };

export async function* readHistory(lines: AsyncIterable<ScannedLine>): AsyncGenerator<HistoryItem> {
  let open: HistoryTurn | undefined;
  let number = 0;
  const begin = (facts: Partial<HistoryTurn> = {}): HistoryTurn => {
    number += 1;
    return { number, ...facts, messages: [], calls: [] };
  };

  for await (const scanned of lines) {
    const line = 'line' in scanned ? asSessionLine(scanned.line) : undefined;
    if (!line || !isWhole(line)) {
      if ('damaged' in scanned || line || scanned.line.type === 'message')
        yield { kind: 'damaged', line: scanned.number };
      continue;
    }
    switch (line.type) {
      case 'session':
        break;
      case 'repair':
        yield { kind: 'repair', timestamp: line.timestamp, droppedBytes: line.droppedBytes };
        break;
      case 'compaction':
        if (open) yield closed(open, 'interrupted');
        open = undefined;
        yield { kind: 'compaction', timestamp: line.timestamp, compactedMessageCount: line.compactedMessageCount };
        break;
      case 'turn-start':
        if (open) yield closed(open, 'interrupted');
        open = begin(startFacts(line));
        break;
      case 'message':
        if (open && isAnother(open, line.message)) {
          yield closed(open, 'interrupted');
          open = undefined;
        }
        open ??= begin();
        open.messages.push(line.message);
        break;
      case 'tool-call':
        open ??= begin();
        open.calls.push({ call: line.call, effect: line.effect, timestamp: line.timestamp });
        break;
      case 'permission':
        if (open) addPermission(open, line);
        break;
      case 'tool-result':
        if (open) addResult(open, line);
        break;
      case 'turn-end':
        if (!open) break;
        Object.assign(open, endFacts(line));
        yield { kind: 'turn', turn: open };
        open = undefined;
        break;
    }
  }
  if (open) yield closed(open, 'unfinished');
}

function closed(turn: HistoryTurn, outcome: 'interrupted' | 'unfinished'): HistoryItem {
  return { kind: 'turn', turn: turn.turnId === undefined ? turn : { ...turn, outcome } };
}

/** Without a journal the next question, or an answer after the answer, begins another turn. */
function isAnother(turn: HistoryTurn, { role }: SessionMessage): boolean {
  if (turn.messages.length >= MOST_MESSAGES) return true;
  if (turn.turnId !== undefined) return false;
  const isAnswered = turn.messages.some((message) => message.role === 'assistant');
  return isAnswered || (role === 'user' && turn.messages.some((message) => message.role === 'user'));
}

function startFacts(line: Extract<SessionLine, { type: 'turn-start' }>): Partial<HistoryTurn> {
  const { provider, profileId, memoryEnabled } = line.entry ?? {};
  return {
    turnId: line.turnId,
    startedAt: line.timestamp,
    ...(typeof provider === 'string' && { provider }),
    ...(typeof profileId === 'string' && { profileId }),
    ...(typeof memoryEnabled === 'boolean' && { memoryEnabled }),
    ...(line.origin !== undefined && { origin: line.origin }),
    ...(line.marked && { marked: true as const }),
  };
}

function endFacts(line: Extract<SessionLine, { type: 'turn-end' }>): Partial<HistoryTurn> {
  const error = errorOf(line.error);
  const usage = usageOf(line.usage);
  return {
    endedAt: line.timestamp,
    outcome: line.outcome,
    ...(error && { error }),
    ...(usage && { usage }),
    ...(typeof line.model === 'string' && { model: line.model }),
    ...(line.marked && { marked: true as const }),
  };
}

/** Small servers give several calls one id: each permission is for the first that has no result yet. */
function addPermission(turn: HistoryTurn, line: Extract<SessionLine, { type: 'permission' }>): void {
  const permitted = turn.calls.find(({ call, result, granted }) => call.id === line.callId && !result && !granted);
  if (permitted) permitted.granted = line.granted;
}

/** Small servers give several calls one id: each result answers the first that has none. */
function addResult(turn: HistoryTurn, line: Extract<SessionLine, { type: 'tool-result' }>): void {
  const answered = turn.calls.find(({ call, result }) => call.id === line.callId && !result);
  if (!answered) return;
  const error = errorOf(line.error);
  const isObject = typeof line.meta === 'object' && line.meta !== null;
  answered.result = {
    ok: line.ok,
    text: line.text,
    ...(error && { error }),
    ...(isObject && { meta: line.meta as Record<string, unknown> }),
  };
}

function errorOf(value: unknown): HistoryError | undefined {
  const { code, message, reason } = (value ?? {}) as Partial<HistoryError>;
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { code, message, ...(typeof reason === 'string' && { reason }) };
}

function usageOf(value: unknown): HistoryUsage | undefined {
  const { inputTokens, outputTokens, cachedTokens, costUsd } = (value ?? {}) as Partial<HistoryUsage>;
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return undefined;
  return {
    inputTokens,
    outputTokens,
    ...(typeof cachedTokens === 'number' && { cachedTokens }),
    ...(typeof costUsd === 'number' && { costUsd }),
  };
}

/** Somebody may have edited the file: what lacks its parts, or has others in their place, counts as damaged. */
function isWhole(line: SessionLine): boolean {
  switch (line.type) {
    case 'session':
      return true;
    case 'message': {
      const { id, timestamp, route, stage, provider, profileId, model } = line.message;
      return [id, timestamp, route, stage, provider, profileId, model].every(isTextOrAbsent);
    }
    case 'turn-start':
      return isText(line.turnId) && isText(line.timestamp) && isTextOrAbsent(line.origin);
    case 'turn-end':
      return isText(line.outcome) && isText(line.timestamp);
    case 'tool-call':
      return [line.call?.id, line.call?.name, line.call?.source, line.effect, line.timestamp].every(isText);
    case 'permission':
      return isText(line.callId) && isPermission(line.granted);
    case 'tool-result':
      return isText(line.callId) && isText(line.text) && typeof line.ok === 'boolean';
    case 'compaction':
      return typeof line.compactedMessageCount === 'number' && isText(line.timestamp);
    case 'repair':
      return typeof line.droppedBytes === 'number' && isText(line.timestamp);
  }
}

function isPermission(value: unknown): boolean {
  const { scope, by, place, at, rules, preview } = (value ?? {}) as Partial<JournalledPermission>;
  const isPreview = preview === undefined || (isText(preview?.summary) && isText(preview.text));
  return [scope, by, place, at].every(isText) && Array.isArray(rules) && rules.every(isText) && isPreview;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || isText(value);
}
