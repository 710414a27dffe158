// The lines of a transcript. `message` lines are the conversation; the others are the turn's journal, from which a
// turn that was cut short is closed with what is known.
import type { TranscriptLine } from '../storage/storage.ts';
import type { MemoryScope } from '../vocabulary/memory-scope.ts';
import type { RecalledItem } from '../vocabulary/recalled.ts';
import { EARLIER_TURN, type TaintSource, taintSource } from '../vocabulary/taint-source.ts';

export type MessageRole = 'user' | 'assistant' | 'system';

/** The `stage` of a user's message that joined a turn while it ran. */
export const STEERING = 'steering';

export interface SessionMessage {
  id: string;
  role: MessageRole;
  timestamp: string;
  content: string;
  route: string;
  stage: string;
  provider?: string;
  profileId?: string;
  /** Of an answer: the model that gave it, where its name is known. */
  model?: string;
  /** Of a message that joined a turn: what came with it, as the model was sent it behind the words. */
  attached?: readonly string[];
  /** The same: where its pictures are kept. */
  pictures?: unknown;
  /** The same: what its sender calls it. */
  origin?: string;
}

export type TurnOutcome = 'answered' | 'tool-limit' | 'stopped' | 'failed' | 'cancelled' | 'interrupted';

export interface JournalledCall {
  id: string;
  name: string;
  args: unknown;
  source: string;
}

/** A person allowed a call: who, where, for how long, and what they were shown. */
export interface JournalledPermission {
  scope: string;
  by: string;
  place: string;
  at: string;
  /** The rules that the answer was kept as; empty when it holds once. */
  rules: readonly string[];
  preview?: { summary: string; text: string; paths: readonly string[] };
}

/** The model sees `summary` in place of the messages of this range, which stay in the transcript. */
export type HistorySummaryLine = {
  type: 'history-summary';
  timestamp: string;
  /** Numbers of messages in the whole transcript, from one; what an earlier summary covered is in this one. */
  fromMessage: number;
  throughMessage: number;
  /** The first turn that is still sent as it was. */
  keptFrom?: string;
  summary: string;
  /** `extract`: sentences taken from the messages, where there is no model. */
  by: 'model' | 'extract';
  /** Content from outside is in the summary. */
  tainted?: true;
  /** Where it came from; absent in transcripts of earlier versions. */
  taintedBy?: readonly TaintSource[];
};

/** A summary of the older turns could not be used. Until the conversation has grown, it is not asked for again. */
export type SummaryRefusedLine = {
  type: 'summary-refused';
  timestamp: string;
  reason: string;
  /** The model that wrote it; another one is asked at once. */
  model?: string;
  /** The first turn that is sent meanwhile, and about the tokens of the history with it. */
  keptFrom: string;
  sentTokens: number;
};

/** How much of the model's window the conversation takes after an answer; the window is absent when nobody knows it. */
export interface JournalledContext {
  /** About. */
  tokens: number;
  window?: number;
}

export type SessionLine =
  | { type: 'session'; version: number; sessionKey: string; sessionId: string; createdAt: string; unlisted?: true }
  | {
      type: 'turn-start';
      turnId: string;
      timestamp: string;
      entry: Record<string, unknown>;
      /** What the turn answers, where somebody outside keeps account of it. */
      origin?: string;
      /** What is asked came from outside. */
      tainted?: true;
      taintedBy?: readonly TaintSource[];
      /** Whose memory the turn had, where that is not the owner's. */
      scope?: MemoryScope;
      /** The turn that this one continues where it stopped; it has no question of its own. */
      continues?: string;
    }
  | { type: 'message'; message: SessionMessage }
  | {
      /** What was found in memory for the question and given to the model. */
      type: 'recall';
      turnId: string;
      timestamp: string;
      /** Where it is, never its text. */
      items: readonly RecalledItem[];
      /** About. */
      tokens: number;
    }
  | {
      /** Pictures that came with the question. */
      type: 'attached';
      turnId: string;
      /** Where they are kept: paths, never their content. */
      pictures: unknown;
    }
  | {
      /** An answer of the model that calls tools; the lines of its calls follow. The turn's last answer is its message. */
      type: 'model-step';
      turnId: string;
      timestamp: string;
      /** The words beside the calls, often none. */
      text: string;
      /** What the provider wants back unchanged. */
      native?: unknown;
      /** Absent in transcripts of earlier versions. */
      context?: JournalledContext;
    }
  | { type: 'tool-call'; turnId: string; timestamp: string; call: JournalledCall; effect: string }
  /** A person was asked about the call: until a permission follows, it has not started. */
  | { type: 'permission-asked'; turnId: string; timestamp: string; callId: string }
  | { type: 'permission'; turnId: string; timestamp: string; callId: string; granted: JournalledPermission }
  | {
      type: 'tool-result';
      turnId: string;
      callId: string;
      ok: boolean;
      text: string;
      error?: unknown;
      meta?: unknown;
      /** Where its pictures are kept. */
      pictures?: unknown;
    }
  | { type: 'repair'; timestamp: string; droppedBytes: number }
  | { type: 'compaction'; timestamp: string; compactedMessageCount: number }
  | HistorySummaryLine
  | SummaryRefusedLine
  | {
      type: 'turn-end';
      turnId: string;
      timestamp: string;
      outcome: TurnOutcome;
      /** Messages in the whole transcript after this turn, so that nobody has to count them. */
      messageCount: number;
      error?: { code: string; message: string };
      usage?: unknown;
      /** After the last answer of the model; absent where it gave none, and in transcripts of earlier versions. */
      context?: JournalledContext;
      /** The model that answered last, where its name is known. */
      model?: string;
      /** Content from outside became part of the conversation in this turn. */
      tainted?: true;
      taintedBy?: readonly TaintSource[];
    };

const KNOWN: ReadonlySet<string> = new Set<SessionLine['type']>([
  'session',
  'turn-start',
  'attached',
  'recall',
  'model-step',
  'tool-call',
  'permission-asked',
  'permission',
  'tool-result',
  'repair',
  'compaction',
  'history-summary',
  'summary-refused',
  'turn-end',
]);

/** A transcript line as one of ours; other types (written by a later version, or by hand) are passed over. */
export function asSessionLine(line: TranscriptLine): SessionLine | undefined {
  if (line.type === 'message') return isMessage(line.message) ? (line as SessionLine) : undefined;
  return KNOWN.has(line.type) ? (withTaint(line) as unknown as SessionLine) : undefined;
}

/** Earlier versions called a tainted turn `marked`, and what taints it `outside` in the meta of a result. */
function withTaint(line: TranscriptLine): TranscriptLine {
  if (line.marked === true) return { ...line, tainted: true };
  const meta = line.type === 'tool-result' ? (line.meta as Record<string, unknown> | null | undefined) : undefined;
  return meta?.outside === true ? { ...line, meta: { ...meta, tainted: true } } : line;
}

function isMessage(value: unknown): value is SessionMessage {
  const message = value as SessionMessage | undefined;
  return typeof message?.content === 'string' && ['user', 'assistant', 'system'].includes(message.role);
}

/** Where the content from outside came from that this line brings; empty when it brings none. */
export function taintOf(line: SessionLine): readonly TaintSource[] {
  switch (line.type) {
    case 'turn-start':
    case 'turn-end':
    case 'history-summary':
      return sourcesIn(line);
    case 'tool-result':
      return sourcesIn((line.meta ?? {}) as { tainted?: unknown; taintedBy?: unknown });
    case 'recall':
      return line.items.some(({ tainted }) => tainted) ? [taintSource('memory')] : [];
    default:
      return [];
  }
}

/** An earlier version named no source. */
export function sourcesIn({ tainted, taintedBy }: { tainted?: unknown; taintedBy?: unknown }): readonly TaintSource[] {
  if (tainted !== true) return [];
  const named = Array.isArray(taintedBy) ? taintedBy.filter((each) => typeof each === 'string') : [];
  return named.length > 0 ? named : [EARLIER_TURN];
}
