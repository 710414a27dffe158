// Reads the end of a transcript: the conversation as far back as a model may see it, and the journal of a last turn that
// never ended. It reads backwards and stops at the turn where the newest summary ends, or at the first turn beyond both the
// least number of messages and the size asked for, so the cost does not depend on the transcript's length.
import type { ScannedLine, Transcript, TranscriptLine } from '../storage/storage.ts';
import type { TaintSource } from '../vocabulary/taint-source.ts';
import { createHistoryReader, type HistoryTurn, questionIn, sentSize } from './history.ts';
import { asSessionLine, type HistorySummaryLine, type SessionLine, type SummaryRefusedLine, taintOf } from './lines.ts';

/** Always read, whatever their size. */
export const LEAST_MESSAGES = 12;

const BELONGS_TO_A_TURN: Record<SessionLine['type'], boolean> = {
  session: false,
  repair: false,
  compaction: false,
  'history-summary': false,
  'summary-refused': false,
  'turn-start': true,
  message: true,
  attached: true,
  recall: true,
  'model-step': true,
  'tool-call': true,
  'permission-asked': true,
  permission: true,
  'tool-result': true,
  'turn-end': true,
};

export function belongsToATurn({ type }: SessionLine): boolean {
  return BELONGS_TO_A_TURN[type];
}

export interface RecentLines {
  /** What replaces everything before `lines`. */
  summary?: HistorySummaryLine;
  /** The newest summary that could not be used, after `summary`. */
  refusal?: SummaryRefusedLine;
  /** Oldest first, whole turns only. */
  lines: SessionLine[];
  /** There are older messages, in no summary. */
  hasOlder: boolean;
  /** Of the whole transcript. */
  messageCount: number;
  /** Where content from outside among them came from; sorted. */
  taintedBy: readonly TaintSource[];
  /** The journal of a last turn without its end, oldest first; empty when every turn ended. */
  unfinished: SessionLine[];
}

/** Reads on until it has at least this many characters, and whole turns. */
export async function readRecent(transcript: Transcript, characters: number): Promise<RecentLines> {
  const lines: SessionLine[] = [];
  const unfinished: SessionLine[] = [];
  let summary: HistorySummaryLine | undefined;
  let refusal: SummaryRefusedLine | undefined;
  let size = 0;
  let messages = 0;
  let counted: number | undefined;
  let uncounted = 0;
  let ended = false;
  const taintedBy = new Set<TaintSource>();
  let hasOlder = false;
  const isSummarised = (): boolean =>
    summary !== undefined && counted !== undefined && counted + uncounted - messages <= summary.throughMessage;

  for await (const raw of transcript.newestFirst()) {
    const line = asSessionLine(raw);
    if (!line) continue;
    if (line.type === 'turn-end') {
      ended = true;
      counted ??= line.messageCount;
      if (messages >= LEAST_MESSAGES && size >= characters) {
        hasOlder = true;
        break;
      }
    }
    if (line.type === 'history-summary') {
      summary ??= line;
      if (line === summary) for (const source of taintOf(line)) taintedBy.add(source);
      continue;
    }
    if (line.type === 'summary-refused') {
      if (!summary) refusal ??= line;
      continue;
    }
    if (line.type === 'message' && isSummarised()) break;
    lines.push(line);
    // Also where the turn never came to its end.
    for (const source of taintOf(line)) taintedBy.add(source);
    if (!ended && belongsToATurn(line)) unfinished.push(line);
    if (line.type === 'turn-start') {
      ended = true;
      if (summary?.keptFrom !== undefined && line.turnId === summary.keptFrom) break;
    }
    size += sizeOf(line);
    if (line.type !== 'message') continue;
    messages += 1;
    if (counted === undefined) uncounted += 1;
  }
  return {
    ...(summary && { summary }),
    ...(refusal && { refusal }),
    lines: lines.reverse(),
    hasOlder,
    messageCount: (counted ?? 0) + uncounted,
    taintedBy: [...taintedBy].sort(),
    unfinished: unfinished.at(-1)?.type === 'turn-start' ? unfinished.reverse() : [],
  };
}

/** The turns of these lines, oldest first. */
export function turnsOf(lines: readonly SessionLine[]): HistoryTurn[] {
  const reader = createHistoryReader();
  const scanned = (line: SessionLine): ScannedLine => ({ number: 0, line: line as unknown as TranscriptLine });
  const items = [...lines.flatMap((line) => reader.read(scanned(line))), ...reader.end()];
  return items.flatMap((item) => (item.kind === 'turn' ? [item.turn] : []));
}

/** A turn of the same origin that came to no answer is asked again: its question is left out, so that nobody reads it twice. */
export function withoutQuestionOf(origin: string | undefined, turns: readonly HistoryTurn[]): readonly HistoryTurn[] {
  if (origin === undefined || !turns.some((turn) => turn.origin === origin)) return turns;
  return turns.flatMap((turn) => {
    const isAnswered = turn.outcome !== 'interrupted' && turn.outcome !== 'cancelled';
    if (turn.origin !== origin || isAnswered || turn.continues !== undefined) return [turn];
    const question = questionIn(turn);
    const messages = turn.messages.filter((message) => message !== question);
    return messages.length > 0 ? [{ ...turn, messages }] : [];
  });
}

/** About the characters that a model would read of it. */
function sizeOf(line: SessionLine): number {
  switch (line.type) {
    case 'message':
      return sentSize(line.message);
    case 'model-step':
      return line.text.length;
    case 'tool-call':
      return JSON.stringify(line.call?.args ?? {}).length;
    case 'tool-result':
      return line.text?.length ?? 0;
    default:
      return 0;
  }
}
