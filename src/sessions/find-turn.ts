// Finds what became of a turn by its origin, reading the transcript backwards. It stops at the turn, or after a bounded
// distance: the caller asks right after a restart, when the turn is one of the last.
import type { Transcript, TranscriptLine, Transcripts } from '../storage/storage.ts';
import { type HistoryPicture, picturesOf } from './history.ts';
import { asSessionLine, type JournalledCall, type SessionLine, type TurnOutcome } from './lines.ts';
import { waitingCalls } from './recover.ts';

const FARTHEST_LINES = 5_000;

export interface FoundCall {
  call: JournalledCall;
  effect: string;
  /** Its result is known. */
  isEnded: boolean;
  /** It was waiting for a person, or was refused. */
  neverStarted?: true;
}

export interface FoundTurn {
  /** `interrupted` also for a turn that nobody has closed yet. */
  outcome: TurnOutcome;
  /** The answer, when there is one. */
  text?: string;
  error?: { code: string; message: string };
  /** In order. */
  calls: FoundCall[];
  /** Those that its tools made for the person, in order; absent when there are none. */
  pictures?: HistoryPicture[];
  /** The origins of messages that joined it; absent when there are none. */
  joined?: string[];
}

export async function findTurn(transcript: Transcript, origin: string): Promise<FoundTurn | undefined> {
  let lines: SessionLine[] = [];
  let read = 0;
  for await (const raw of transcript.newestFirst()) {
    read += 1;
    if (read > FARTHEST_LINES) return undefined;
    const line = asSessionLine(raw);
    if (!line) continue;
    lines.unshift(line);
    if (line.type !== 'turn-start') continue;
    if (line.origin === origin) return described(lines);
    lines = [];
  }
  return undefined;
}

/** The newest turn; undefined when there is none as far back as is looked. */
export async function findLastTurn(transcript: Transcript): Promise<FoundTurn | undefined> {
  const lines: SessionLine[] = [];
  let read = 0;
  for await (const raw of transcript.newestFirst()) {
    read += 1;
    if (read > FARTHEST_LINES) return undefined;
    const line = asSessionLine(raw);
    if (!line) continue;
    lines.unshift(line);
    if (line.type === 'turn-start') return described(lines);
  }
  return undefined;
}

/** Whether a message of this origin is part of the conversation: one that joined a turn, or the question of a turn, whose origin may name several. */
export async function hasOrigin(transcript: Transcript, origin: string): Promise<boolean> {
  let read = 0;
  for await (const raw of transcript.newestFirst()) {
    read += 1;
    if (read > FARTHEST_LINES) return false;
    if (isOfOrigin(raw, origin)) return true;
  }
  return false;
}

/** As `hasOrigin`, of a transcript that another may be writing. */
export async function hasOriginNow(sessionId: string, origin: string, transcripts: Transcripts): Promise<boolean> {
  const written = JSON.stringify(origin).slice(1, -1);
  for await (const scanned of transcripts.scan(sessionId, (json) => json.includes(written)))
    if ('line' in scanned && isOfOrigin(scanned.line, origin)) return true;
  return false;
}

function isOfOrigin(raw: TranscriptLine, origin: string): boolean {
  const line = asSessionLine(raw);
  if (line?.type === 'message') return line.message.origin === origin;
  return line?.type === 'turn-start' && (line.origin?.split(' ').includes(origin) ?? false);
}

function described(lines: readonly SessionLine[]): FoundTurn {
  const end = lines.find((line) => line.type === 'turn-end');
  const answer = lines.findLast((line) => line.type === 'message' && line.message.role === 'assistant');
  const results = lines.flatMap((line) =>
    line.type === 'tool-result' && !isInterrupted(line.error) ? [line.callId] : [],
  );
  const stopped = neverStartedCalls(lines);
  const calls = lines.flatMap((line): FoundCall[] => {
    if (line.type !== 'tool-call') return [];
    // Small servers give several calls one id: each result answers one of them.
    const at = results.indexOf(line.call.id);
    if (at >= 0) results.splice(at, 1);
    const { call, effect } = line;
    return [{ call, effect, isEnded: at >= 0, ...(stopped.has(call.id) && { neverStarted: true as const }) }];
  });
  const pictures = lines
    .flatMap((line) => (line.type === 'tool-result' && line.ok ? picturesOf(line.pictures) : []))
    .filter(({ isForPerson }) => isForPerson);
  const joined = lines.flatMap((line) => (line.type === 'message' ? (line.message.origin ?? []) : []));
  return {
    outcome: end?.outcome ?? 'interrupted',
    ...(answer?.type === 'message' && { text: answer.message.content }),
    ...(end?.error && { error: end.error }),
    calls,
    ...(pictures.length > 0 && { pictures }),
    ...(joined.length > 0 && { joined }),
  };
}

/** Only where no other call has the same id: another one may have run. */
function neverStartedCalls(lines: readonly SessionLine[]): ReadonlySet<string> {
  const ids = lines.flatMap((line) => (line.type === 'tool-call' ? [line.call.id] : []));
  const refused = lines.flatMap((line) =>
    line.type === 'tool-result' && reasonOf(line.error) === 'denied' ? [line.callId] : [],
  );
  const stopped = [...waitingCalls(lines), ...refused];
  return new Set(stopped.filter((stoppedId) => ids.filter((id) => id === stoppedId).length === 1));
}

/** What recovery wrote in place of a result. */
function isInterrupted(error: unknown): boolean {
  return reasonOf(error) === 'interrupted';
}

function reasonOf(error: unknown): string | undefined {
  return (error as { reason?: string } | undefined)?.reason;
}
