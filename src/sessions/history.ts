// A transcript read turn by turn, oldest first, with one turn in memory at a time. A turn begins with its `turn-start` and
// ends with its `turn-end`; messages without a journal (written by hand, or around a damaged line) are turns of their own,
// one for each question. A line that cannot be read is reported in its place.

import type { ScannedLine } from '../storage/storage.ts';
import { type MemoryScope, parseMemoryScope } from '../vocabulary/memory-scope.ts';
import type { RecalledItem } from '../vocabulary/recalled.ts';
import type { TaintSource } from '../vocabulary/taint-source.ts';
import { contextOf, errorOf, type HistoryError, type HistoryUsage, usageOf } from './line-parts.ts';
import {
  asSessionLine,
  type JournalledCall,
  type JournalledContext,
  type JournalledPermission,
  type SessionLine,
  type SessionMessage,
  STEERING,
  type TurnOutcome,
  taintOf,
} from './lines.ts';

/** A turn with more messages than this is read in parts, so that memory stays bounded. */
const MOST_MESSAGES = 1_000;

/** A picture that is kept in a file. */
export interface HistoryPicture {
  mediaType: string;
  path: string;
  /** A tool made it for the person who asked. */
  isForPerson?: true;
}

export interface HistoryResult {
  ok: boolean;
  /** What the model saw: the whole, or the part that the limit left. */
  text: string;
  error?: HistoryError;
  meta?: Record<string, unknown>;
  pictures?: HistoryPicture[];
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

/** One answer of the model that called tools, or calls that were made without one (by hand, or before steps were recorded). */
export interface HistoryStep {
  /** The words beside the calls. */
  text: string;
  calls: HistoryCall[];
  native?: unknown;
  /** What a person wrote to the turn meanwhile: the model saw it after the results. Also in the turn's `messages`. */
  steered?: SessionMessage[];
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
  tainted?: true;
  taintedBy?: readonly TaintSource[];
  /** Whose memory it had, where that is not the owner's. */
  scope?: MemoryScope;
  /** The turn that this one continues; it has no question of its own. */
  continues?: string;
  messages: SessionMessage[];
  /** Came with the question. */
  pictures?: HistoryPicture[];
  /** What was found in memory for the question and given to the model. */
  recalled?: { items: readonly RecalledItem[]; tokens: number };
  /** All calls in order; `steps` holds the same ones. */
  calls: HistoryCall[];
  steps: HistoryStep[];
  error?: HistoryError;
  usage?: HistoryUsage;
  /** The conversation after the last answer of the model, where its size is on record. */
  context?: JournalledContext;
}

export type HistoryItem =
  | { kind: 'turn'; turn: HistoryTurn }
  | { kind: 'compaction'; timestamp: string; compactedMessageCount: number }
  | { kind: 'summary'; timestamp: string; throughMessage: number; summary: string }
  | { kind: 'repair'; timestamp: string; droppedBytes: number }
  | { kind: 'damaged'; line: number };

export async function* readHistory(lines: AsyncIterable<ScannedLine>): AsyncGenerator<HistoryItem> {
  const reader = createHistoryReader();
  for await (const scanned of lines) yield* reader.read(scanned);
  yield* reader.end();
}

export interface HistoryReader {
  /** What is complete with this line. */
  read(scanned: ScannedLine): HistoryItem[];
  /** What is left when no line follows. */
  end(): HistoryItem[];
}

export function createHistoryReader(): HistoryReader {
  let open: HistoryTurn | undefined;
  /** Of the open turn, the step whose line was read last. */
  let step: HistoryStep | undefined;
  let number = 0;

  const begin = (facts: Partial<HistoryTurn> = {}): HistoryTurn => {
    number += 1;
    step = undefined;
    return { number, ...facts, messages: [], calls: [], steps: [] };
  };
  const interrupted = (): HistoryItem[] => {
    const items = open ? [closed(open, 'interrupted')] : [];
    open = undefined;
    return items;
  };

  function read(line: SessionLine): HistoryItem[] {
    switch (line.type) {
      case 'session':
      case 'summary-refused':
        return [];
      case 'repair':
        return [{ kind: 'repair', timestamp: line.timestamp, droppedBytes: line.droppedBytes }];
      case 'compaction': {
        const { timestamp, compactedMessageCount } = line;
        return [...interrupted(), { kind: 'compaction', timestamp, compactedMessageCount }];
      }
      case 'history-summary': {
        const { timestamp, throughMessage, summary } = line;
        return [{ kind: 'summary', timestamp, throughMessage, summary }];
      }
      case 'turn-start': {
        const items = interrupted();
        open = begin(startFacts(line));
        return items;
      }
      case 'message': {
        const items = open && isAnother(open, line.message) ? interrupted() : [];
        open ??= begin();
        open.messages.push(line.message);
        addSteering(open, line.message);
        return items;
      }
      case 'attached':
        if (open) open.pictures = picturesOf(line.pictures);
        return [];
      case 'recall':
        if (open) open.recalled = { items: line.items, tokens: line.tokens };
        return [];
      case 'model-step':
        open ??= begin();
        step = { text: line.text, calls: [], ...(line.native !== undefined && { native: line.native }) };
        open.steps.push(step);
        addContext(open, line);
        return [];
      case 'tool-call':
        open ??= begin();
        addCall(open, step, { call: line.call, effect: line.effect, timestamp: line.timestamp });
        return [];
      case 'permission-asked':
        return [];
      case 'permission':
        if (open) addPermission(open, line);
        return [];
      case 'tool-result':
        if (open) addResult(open, line);
        return [];
      case 'turn-end': {
        if (!open) return [];
        const turn = Object.assign(open, endFacts(line));
        open = undefined;
        return [{ kind: 'turn', turn }];
      }
    }
  }

  return {
    read(scanned) {
      const line = 'line' in scanned ? asSessionLine(scanned.line) : undefined;
      if (line && isWhole(line)) return read(line);
      const isDamaged = 'damaged' in scanned || line !== undefined || scanned.line.type === 'message';
      return isDamaged ? [{ kind: 'damaged', line: scanned.number }] : [];
    },
    end: () => (open ? [closed(open, 'unfinished')] : []),
  };
}

/**
 * Calls follow the line of their step. Without one, all calls made by hand are one step; of a model's calls, as many as
 * were made before the first result came.
 */
function addCall(turn: HistoryTurn, step: HistoryStep | undefined, call: HistoryCall): void {
  turn.calls.push(call);
  const last = step ?? turn.steps.at(-1);
  const isByHand = call.call.source === 'ask';
  const isSameRound = last?.calls.every(({ call: other, result }) => (isByHand ? other.source === 'ask' : !result));
  if (last && (step || isSameRound)) last.calls.push(call);
  else turn.steps.push({ text: '', calls: [call] });
}

/** Joins the step whose results were there by then. */
function addSteering({ steps }: HistoryTurn, message: SessionMessage): void {
  const last = steps.at(-1);
  if (message.stage === STEERING && last) last.steered = [...(last.steered ?? []), message];
}

/** A message that is in a step of its turn. */
export function wasSteered({ steps }: HistoryTurn, message: SessionMessage): boolean {
  return message.stage === STEERING && steps.some(({ steered }) => steered?.includes(message));
}

/** A message as the model was sent it: with what came with it. */
export function sentText({ content, attached = [] }: SessionMessage): string {
  return [content, ...attached].join('\n\n');
}

/** The characters of that, about. Somebody may have edited the file. */
export function sentSize({ content, attached }: SessionMessage): number {
  const texts: readonly unknown[] = Array.isArray(attached) ? attached : [];
  return texts.reduce((sum: number, text) => sum + (isText(text) ? text.length : 0), content.length);
}

/** What the turn was asked: its first message of a person that is not steering. */
export function questionIn({ messages }: Pick<HistoryTurn, 'messages'>): SessionMessage | undefined {
  return messages.find(({ role, stage }) => role === 'user' && stage !== STEERING);
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
  const scope = parseMemoryScope(line.scope);
  return {
    turnId: line.turnId,
    startedAt: line.timestamp,
    ...(typeof provider === 'string' && { provider }),
    ...(typeof profileId === 'string' && { profileId }),
    ...(typeof memoryEnabled === 'boolean' && { memoryEnabled }),
    ...(line.origin !== undefined && { origin: line.origin }),
    ...(line.tainted && { tainted: true as const, taintedBy: taintOf(line) }),
    ...(scope !== undefined && { scope }),
    ...(typeof line.continues === 'string' && { continues: line.continues }),
  };
}

function endFacts(line: Extract<SessionLine, { type: 'turn-end' }>): Partial<HistoryTurn> {
  const error = errorOf(line.error);
  const usage = usageOf(line.usage);
  const context = contextOf(line.context);
  return {
    endedAt: line.timestamp,
    outcome: line.outcome,
    ...(error && { error }),
    ...(usage && { usage }),
    ...(context && { context }),
    ...(typeof line.model === 'string' && { model: line.model }),
    ...(line.tainted && { tainted: true as const, taintedBy: taintOf(line) }),
  };
}

function addContext(turn: HistoryTurn, line: Extract<SessionLine, { type: 'model-step' }>): void {
  const context = contextOf(line.context);
  if (context) turn.context = context;
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
    ...(line.pictures !== undefined && { pictures: picturesOf(line.pictures) }),
  };
}

export function picturesOf(value: unknown): HistoryPicture[] {
  const listed: unknown[] = Array.isArray(value) ? value : [];
  return listed.flatMap((one) => {
    const { mediaType, path, isForPerson } = (one ?? {}) as Partial<HistoryPicture>;
    if (!isText(mediaType) || !isText(path)) return [];
    return [{ mediaType, path, ...(isForPerson === true && { isForPerson }) }];
  });
}

/** Somebody may have edited the file: what lacks its parts, or has others in their place, counts as damaged. */
function isWhole(line: SessionLine): boolean {
  switch (line.type) {
    case 'session':
      return true;
    case 'message': {
      const { id, timestamp, route, stage, provider, profileId, model, attached = [] } = line.message;
      const texts = [id, timestamp, route, stage, provider, profileId, model];
      return texts.every(isTextOrAbsent) && Array.isArray(attached) && attached.every(isText);
    }
    case 'turn-start':
      return isText(line.turnId) && isText(line.timestamp) && isTextOrAbsent(line.origin);
    case 'turn-end':
      return isText(line.outcome) && isText(line.timestamp);
    case 'tool-call':
      return [line.call?.id, line.call?.name, line.call?.source, line.effect, line.timestamp].every(isText);
    case 'permission-asked':
      return isText(line.callId);
    case 'permission':
      return isText(line.callId) && isPermission(line.granted);
    case 'tool-result':
      return isText(line.callId) && isText(line.text) && typeof line.ok === 'boolean';
    case 'attached':
      return isText(line.turnId);
    case 'recall':
      return isText(line.turnId) && typeof line.tokens === 'number' && isRecalled(line.items);
    case 'model-step':
      return isText(line.turnId) && isText(line.text);
    case 'history-summary':
      return isText(line.timestamp) && isText(line.summary) && typeof line.throughMessage === 'number';
    case 'summary-refused':
      return isText(line.keptFrom) && isText(line.reason);
    case 'compaction':
      return typeof line.compactedMessageCount === 'number' && isText(line.timestamp);
    case 'repair':
      return typeof line.droppedBytes === 'number' && isText(line.timestamp);
  }
}

function isRecalled(value: unknown): boolean {
  const items: unknown[] | undefined = Array.isArray(value) ? value : undefined;
  return items?.every((item) => isText((item as Partial<RecalledItem> | null)?.source)) ?? false;
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
