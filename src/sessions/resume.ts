// The conversation before a turn. It is read from the end of the transcript, and kept while the process runs: the next turn of
// the session takes it from there, with the turn that has ended in between, as long as nobody else has written to the
// transcript. What is kept is what would be read. It is bounded over all sessions. Where that is too little, any of the others goes, not the
// one used longest ago: of chats that take turns and do not all fit, that one is needed next, and every turn would be read again.
import type { Transcript, TranscriptLine } from '../storage/storage.ts';
import type { TaintSource } from '../vocabulary/taint-source.ts';
import { asRead } from './as-read.ts';
import { belongsToATurn, LEAST_MESSAGES, readRecent, turnsOf } from './conversation.ts';
import { type HistoryTurn, sentSize } from './history.ts';
import { asSessionLine, type HistorySummaryLine, type SessionLine, type SummaryRefusedLine, taintOf } from './lines.ts';
import { recoverTurn } from './recover.ts';

interface Conversation {
  /** What replaces everything before `turns`. */
  summary?: HistorySummaryLine;
  /** A later summary could not be used. */
  refusal?: SummaryRefusedLine;
  /** Oldest first. */
  turns: readonly HistoryTurn[];
  /** Older messages exist that are neither in `turns` nor in the summary: too many to be read. */
  hasOlder: boolean;
  /** Of the whole transcript. */
  messageCount: number;
  /** Where content from outside among them came from; sorted. */
  taintedBy: readonly TaintSource[];
}

interface ResumeOptions {
  sessionId: string;
  /** How far back the conversation is read. */
  characters: number;
  /** Nobody will continue it: it is not kept. */
  isLast: boolean;
  firstLine: TranscriptLine;
  timestamp: string;
  newId(prefix: string): string;
}

interface Resumed {
  conversation: Conversation;
  /** The same transcript for one turn. When it is closed, the conversation is kept with that turn. */
  transcript: Transcript;
}

interface Conversations {
  resume(transcript: Transcript, options: ResumeOptions): Promise<Resumed>;
  /** Drops what is kept of a session. */
  forget(sessionId: string): void;
}

/** With the sums of what its turns hold: a turn that is added must not cost more in a longer conversation. */
interface MeasuredConversation extends Conversation {
  messages: number;
  size: number;
  /** What providers want back with its answers; no part of `size`, since no model reads it as text. */
  nativeSize: number;
}

interface KeptConversation {
  revision: string;
  characters: number;
  conversation: MeasuredConversation;
}

const MOST_BYTES = 8_000_000;
const GOLDEN_RATIO = 0.618_033_988_749_895;
/** Of an object for a turn, besides its texts. */
const TURN_BYTES = 1_000;

export function createConversations(): Conversations {
  const kept = new Map<string, KeptConversation>();
  let bytes = 0;
  let dropped = 0;

  function take(sessionId: string): KeptConversation | undefined {
    const found = kept.get(sessionId);
    if (!found) return undefined;
    kept.delete(sessionId);
    bytes -= bytesOf(found);
    return found;
  }

  function keep(sessionId: string, known: KeptConversation): void {
    take(sessionId);
    // Too large alone.
    if (bytesOf(known) > MOST_BYTES) return;
    kept.set(sessionId, known);
    bytes += bytesOf(known);
    while (bytes > MOST_BYTES) take(anyOther());
  }

  /** Any but the one kept last. Spread evenly, and the same in every run. */
  function anyOther(): string {
    dropped += 1;
    const at = Math.floor(((dropped * GOLDEN_RATIO) % 1) * (kept.size - 1));
    return [...kept.keys()][at] as string;
  }

  async function resume(transcript: Transcript, options: ResumeOptions): Promise<Resumed> {
    const { sessionId, characters, isLast } = options;
    const found = take(sessionId);
    const isSame = found?.characters === characters && found.revision === transcript.revision();
    const conversation = isSame ? found.conversation : await readConversation(transcript, options);
    const own: TranscriptLine[] = [];
    return {
      conversation,
      transcript: {
        ...transcript,
        async append(lines, options) {
          await transcript.append(lines, options);
          // As they will be read: what is written may hold more than JSON can say, and its owner may change it.
          own.push(...lines.map((line) => asRead(line)));
        },
        async close() {
          const revision = transcript.revision();
          const next = own.length === 0 ? conversation : withTurn(conversation, own, characters);
          if (next && revision !== undefined && !isLast) keep(sessionId, { revision, characters, conversation: next });
          await transcript.close();
        },
      },
    };
  }

  return { resume, forget: (sessionId) => void take(sessionId) };
}

/** Closes a turn that was cut short, and begins a transcript that is empty. */
async function readConversation(
  transcript: Transcript,
  { characters, firstLine, timestamp, newId }: ResumeOptions,
): Promise<MeasuredConversation> {
  const found = await readRecent(transcript, characters);
  if (transcript.isEmpty) await transcript.append([firstLine]);
  if (transcript.repairedBytes > 0)
    await transcript.append([{ type: 'repair', timestamp, droppedBytes: transcript.repairedBytes }]);
  const ending = recoverTurn({ ...found, timestamp, newId }).lines;
  if (ending.length > 0) await transcript.append(ending as unknown as TranscriptLine[]);
  const recent = ending.length > 0 ? await readRecent(transcript, characters) : found;
  const { summary, refusal, lines, hasOlder, messageCount, taintedBy } = recent;
  return measured({
    ...(summary && { summary }),
    ...(refusal && { refusal }),
    turns: turnsOf(lines),
    hasOlder,
    messageCount,
    taintedBy,
  });
}

/** As it would be read after these lines; undefined where that is not known without reading. */
function withTurn(
  before: MeasuredConversation,
  lines: readonly TranscriptLine[],
  characters: number,
): MeasuredConversation | undefined {
  const written = lines.map(asSessionLine);
  const [start, end] = [written.at(0), written.at(-1)];
  if (start?.type !== 'turn-start' || end?.type !== 'turn-end' || !written.every(isOfATurn)) return undefined;
  const [turn, ...others] = turnsOf(written);
  if (!turn || others.length > 0) return undefined;

  const number = (before.turns.at(-1)?.number ?? 0) + 1;
  const after = {
    ...before,
    turns: [...before.turns, { ...turn, number }],
    messageCount: end.messageCount,
    taintedBy: [...new Set([...before.taintedBy, ...written.flatMap(taintOf)])].sort(),
    messages: before.messages + turn.messages.length,
    size: before.size + sizeOfTurn(turn),
    nativeSize: before.nativeSize + nativeSizeOf([turn]),
  };
  if (after.messages < LEAST_MESSAGES || after.size < characters) return after;
  // Reading would stop before the first turn: whether what is older is in a summary, only reading tells.
  if (after.summary || after.refusal) return undefined;
  const unneeded = turnsBeyond(after, characters);
  if (unneeded === 0) return after;
  const dropped = after.turns.slice(0, unneeded);
  // Whether anything else is tainted, only reading tells.
  if (dropped.some(bringsTaint)) return undefined;
  return {
    ...after,
    turns: after.turns.slice(unneeded),
    hasOlder: true,
    messages: after.messages - messagesIn(dropped),
    size: after.size - sizeOfTurns(dropped),
    nativeSize: after.nativeSize - nativeSizeOf(dropped),
  };
}

function isOfATurn(line: SessionLine | undefined): line is SessionLine {
  return line !== undefined && belongsToATurn(line);
}

/** How many of the oldest turns `readRecent` would not reach: it stops at the end of a turn. */
function turnsBeyond({ turns, ...sums }: MeasuredConversation, characters: number): number {
  let { messages, size } = sums;
  let beyond = 0;
  for (const [index, turn] of turns.entries()) {
    messages -= turn.messages.length;
    size -= sizeOfTurn(turn);
    if (messages < LEAST_MESSAGES || size < characters) break;
    if (turn.endedAt !== undefined) beyond = index + 1;
  }
  return beyond;
}

function measured(conversation: Conversation): MeasuredConversation {
  const { turns } = conversation;
  return {
    ...conversation,
    messages: messagesIn(turns),
    size: sizeOfTurns(turns),
    nativeSize: nativeSizeOf(turns),
  };
}

function messagesIn(turns: readonly HistoryTurn[]): number {
  return turns.reduce((sum, turn) => sum + turn.messages.length, 0);
}

function sizeOfTurns(turns: readonly HistoryTurn[]): number {
  return turns.reduce((sum, turn) => sum + sizeOfTurn(turn), 0);
}

function nativeSizeOf(turns: readonly HistoryTurn[]): number {
  let size = 0;
  for (const { steps } of turns)
    for (const { native } of steps) if (native !== undefined) size += JSON.stringify(native).length;
  return size;
}

function bytesOf({ conversation: { turns, size, nativeSize } }: KeptConversation): number {
  return size + nativeSize + turns.length * TURN_BYTES;
}

/** About the characters that a model would read of it. */
function sizeOfTurn({ messages, steps }: HistoryTurn): number {
  const said = messages.reduce((sum, message) => sum + sentSize(message), 0);
  return steps.reduce((sum, step) => {
    const called = step.calls.reduce(
      (all, { call, result }) => all + JSON.stringify(call.args ?? {}).length + (result?.text.length ?? 0),
      0,
    );
    return sum + step.text.length + called;
  }, said);
}

function bringsTaint({ tainted, calls }: HistoryTurn): boolean {
  return tainted === true || calls.some(({ result }) => result?.meta?.tainted === true);
}
