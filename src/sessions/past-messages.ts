// What people and the assistant said in a session, turn by turn, for the index of past conversations: whose it is, and whether somebody
// else had a part in it. Turns that were read before are passed over without being parsed; a turn that has not ended is left for the next time.
import type { Transcripts } from '../storage/storage.ts';
import type { MemoryScope } from '../vocabulary/memory-scope.ts';
import { type HistoryTurn, readHistory } from './history.ts';
import { FARTHEST_LINES, identityOf } from './kept.ts';

/** As this program writes it; elsewhere the line is read again, which does no harm. */
const TURN_END = '{"type":"turn-end"';

/** What is longer was pasted: its beginning tells what it is. */
const LONGEST_MESSAGE = 100_000;

export interface PastMessage {
  id: string;
  role: 'user' | 'assistant';
  content: string;
  /** ISO 8601. */
  timestamp: string;
}

export interface PastTurn {
  /** How many turns had ended when this one was read: where to continue. */
  turnEnds: number;
  messages: PastMessage[];
  scope: MemoryScope;
  tainted: boolean;
}

export interface ConversationIdentity {
  sessionKey: string;
  /** The session whose place it took under the same key, when the conversation was rewound. */
  replaces?: string;
  /** Nobody continues it: the conversation of a sub-agent. */
  isUnlisted: boolean;
}

export async function* pastTurns(
  transcripts: Transcripts,
  sessionId: string,
  afterTurnEnds: number,
): AsyncGenerator<PastTurn> {
  let turnEnds = 0;
  const isNew = (json: string): boolean => {
    const isAfter = turnEnds >= afterTurnEnds;
    if (json.startsWith(TURN_END)) turnEnds += 1;
    return isAfter;
  };
  for await (const item of readHistory(transcripts.scan(sessionId, isNew))) {
    if (item.kind !== 'turn' || item.turn.outcome === 'unfinished') continue;
    const { scope = 'owner', tainted = false } = item.turn;
    yield { turnEnds, messages: messagesOf(item.turn), scope, tainted };
  }
}

/** A transcript that does not say whose it is counts as one of its own. */
export async function conversationIdentity(transcripts: Transcripts, sessionId: string): Promise<ConversationIdentity> {
  for await (const scanned of transcripts.scan(sessionId)) {
    if (scanned.number > FARTHEST_LINES) break;
    const line = 'line' in scanned ? scanned.line : undefined;
    if (line?.type !== 'session' || typeof line.sessionKey !== 'string') continue;
    const { sessionKey, forkedFrom, unlisted } = line;
    const { sessionKey: from } = typeof forkedFrom === 'string' ? await identityOf(forkedFrom, transcripts) : {};
    return {
      sessionKey,
      isUnlisted: unlisted === true || sessionKey.startsWith('task:'),
      ...(from === sessionKey && { replaces: String(forkedFrom) }),
    };
  }
  return { sessionKey: sessionId, isUnlisted: false };
}

function messagesOf({ messages, startedAt }: HistoryTurn): PastMessage[] {
  return messages.flatMap(({ id, role, content, timestamp }) =>
    role === 'system' || content.trim() === ''
      ? []
      : [{ id, role, content: content.slice(0, LONGEST_MESSAGE), timestamp: momentOf(timestamp, startedAt) }],
  );
}

/** Somebody may have edited the file. */
function momentOf(...moments: (string | undefined)[]): string {
  const time = moments.map((moment) => Date.parse(moment ?? '')).find((each) => !Number.isNaN(each));
  return new Date(time ?? 0).toISOString();
}
