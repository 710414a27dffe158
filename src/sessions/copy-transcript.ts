// The beginning of a transcript as another one. It is read twice, a line at a time: first for where the wanted turn ends (or begins), then to
// copy every line up to there as it is, so that ids, counts of messages, permissions and summaries stay true. Lines that belong to
// no turn (summaries) and follow the last turn go with it. A turn without its end is left out: it may still be running.
import type { Lock } from '../storage/locks.ts';
import type { TranscriptLine, Transcripts } from '../storage/storage.ts';
import { chooseTurn } from './choose-turn.ts';

const LINES_PER_WRITE = 200;

export interface CopyRequest {
  transcripts: Transcripts;
  from: string;
  to: string;
  /** By the beginning of its id. */
  turn: string | undefined;
  /** The copy ends before that turn, which need not have ended. */
  before?: boolean;
  /** The first line of the copy. */
  first: TranscriptLine;
  lock: Lock;
}

export interface Copied {
  /** In order. */
  turnIds: ReadonlySet<string>;
  compactedMessageCount: number | undefined;
}

export async function copyTranscript({
  transcripts,
  from,
  to,
  turn,
  before = false,
  first,
  lock,
}: CopyRequest): Promise<Copied> {
  const { lastLine, turnIds } = await findEnd(transcripts, from, { turn, before });
  let compactedMessageCount: number | undefined;
  const copy = await transcripts.open(to, lock);
  try {
    let lines: TranscriptLine[] = [first];
    for await (const scanned of transcripts.scan(from)) {
      if (scanned.number > lastLine) break;
      if (!('line' in scanned) || scanned.line.type === 'session') continue;
      const { line } = scanned;
      lines.push(line);
      if (line.type === 'compaction' && typeof line.compactedMessageCount === 'number')
        compactedMessageCount = line.compactedMessageCount;
      if (lines.length < LINES_PER_WRITE) continue;
      await copy.append(lines);
      lines = [];
    }
    await copy.append(lines);
    await copy.sync();
  } finally {
    await copy.close();
  }
  return { turnIds, compactedMessageCount };
}

async function findEnd(
  transcripts: Transcripts,
  sessionId: string,
  { turn, before }: { turn: string | undefined; before: boolean },
): Promise<{ lastLine: number; turnIds: Set<string> }> {
  /** The turns that have ended, and the last line that goes with each. */
  const ends: { turnId: string; lastLine: number }[] = [];
  /** The turns that have begun, and where the conversation was then. */
  const starts: { turnId: string; lastLine: number; ended: number }[] = [];
  let isOpen = false;
  let last = 0;
  for await (const scanned of transcripts.scan(sessionId)) {
    const type = 'line' in scanned ? scanned.line.type : undefined;
    if (type === 'turn-start' && 'line' in scanned) {
      isOpen = true;
      starts.push({ turnId: String(scanned.line.turnId), lastLine: ends.at(-1)?.lastLine ?? 0, ended: ends.length });
    }
    if (type === 'turn-end' && 'line' in scanned) {
      isOpen = false;
      ends.push({ turnId: String(scanned.line.turnId), lastLine: scanned.number });
    }
    if (isOpen) continue;
    last = scanned.number;
    const end = ends.at(-1);
    if (end) end.lastLine = scanned.number;
  }
  const idsOf = (turns: readonly { turnId: string }[]): string[] => turns.map(({ turnId }) => turnId);
  if (turn === undefined) return { lastLine: last, turnIds: new Set(idsOf(ends)) };
  if (before) {
    const { lastLine = 0, ended = 0 } = starts[chooseTurn(idsOf(starts), turn)] ?? {};
    return { lastLine, turnIds: new Set(idsOf(ends.slice(0, ended))) };
  }
  const at = chooseTurn(idsOf(ends), turn);
  return { lastLine: ends[at]?.lastLine ?? 0, turnIds: new Set(idsOf(ends.slice(0, at + 1))) };
}
