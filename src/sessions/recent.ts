// Reads the end of a transcript: the recent conversation, and the last turn's journal when that turn never ended.
// It stops at the first turn that starts beyond the window, so the cost does not depend on the transcript's length.
import type { Transcript } from '../storage/storage.ts';
import { asSessionLine, type SessionLine, type SessionMessage } from './lines.ts';

const WINDOW_MESSAGES = 24;
const WINDOW_CHARACTERS = 2_000_000;

const BELONGS_TO_A_TURN: Record<SessionLine['type'], boolean> = {
  session: false,
  repair: false,
  compaction: false,
  'turn-start': true,
  message: true,
  'tool-call': true,
  permission: true,
  'tool-result': true,
  'turn-end': true,
};

export interface Recent {
  /** Oldest first, whole turns only. */
  messages: SessionMessage[];
  /** Of the whole transcript. */
  messageCount: number;
  /** Content from outside is among them. */
  isMarked: boolean;
  /** The journal of a last turn without its end, oldest first; empty when every turn ended. */
  unfinished: SessionLine[];
}

/** Turns of the same origin that came to no answer are asked again: the question is left out, not told twice. */
export async function readRecent(transcript: Transcript, origin?: string): Promise<Recent> {
  const messages: SessionMessage[] = [];
  const unfinished: SessionLine[] = [];
  let characters = 0;
  let counted: number | undefined;
  let uncounted = 0;
  let ended = false;
  let isMarked = false;
  let ofThisTurn = 0;
  let isAnswered = false;

  for await (const raw of transcript.newestFirst()) {
    const line = asSessionLine(raw);
    if (!line) continue;
    if (line.type === 'turn-end') {
      ended = true;
      ofThisTurn = 0;
      isAnswered = line.outcome !== 'interrupted' && line.outcome !== 'cancelled';
      counted ??= line.messageCount;
      if (messages.length >= WINDOW_MESSAGES || characters >= WINDOW_CHARACTERS) break;
    }
    if (bringsOutside(line)) isMarked = true;
    if (!ended && BELONGS_TO_A_TURN[line.type]) unfinished.unshift(line);
    if (line.type === 'turn-start') {
      ended = true;
      if (origin !== undefined && line.origin === origin && !isAnswered) {
        const told = messages.splice(0, ofThisTurn).filter(({ role }) => role !== 'user');
        messages.unshift(...told);
      }
    }
    if (line.type !== 'message') continue;
    messages.unshift(line.message);
    ofThisTurn += 1;
    characters += line.message.content.length;
    if (counted === undefined) uncounted += 1;
  }
  const begun = unfinished[0]?.type === 'turn-start';
  return { messages, messageCount: (counted ?? 0) + uncounted, isMarked, unfinished: begun ? unfinished : [] };
}

/** Also where the turn never came to its end. */
function bringsOutside(line: SessionLine): boolean {
  if (line.type === 'turn-start' || line.type === 'turn-end') return line.marked === true;
  return line.type === 'tool-result' && (line.meta as { outside?: unknown } | undefined)?.outside === true;
}
