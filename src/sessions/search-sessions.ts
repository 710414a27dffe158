// Finds conversations by words in their titles and messages, the newest first. Transcripts are read a line at a time; a line
// without the words is not even parsed, so that a search costs about as much as reading the files. It stops when it has enough.
import type { SessionEntry, Transcripts } from '../storage/storage.ts';
import { identityOf } from './kept.ts';
import { asSessionLine, type SessionMessage } from './lines.ts';

const SNIPPET_BEFORE = 40;
const SNIPPET_CHARACTERS = 160;

export interface FoundSession {
  sessionKey: string;
  sessionId: string;
  title?: string;
  /** When the message was said; of a title alone, when the session was last used. */
  date: string;
  /** Who said it; absent where only the title has the words. */
  role?: string;
  snippet: string;
  /** How many of its messages have all the words. */
  matches: number;
  isCurrent: boolean;
}

export interface SearchRequest {
  /** All of them must be in one message, or in the title. */
  words: readonly string[];
  limit: number;
  /** Only current sessions whose keys begin with it. */
  prefix?: string;
  /** Only messages, and titles of sessions that were last used then, for which it holds. */
  isWanted?: (said: { date: string; text: string }) => boolean;
  signal: AbortSignal;
}

export async function searchSessions(
  { words, limit, prefix, isWanted = () => true, signal }: SearchRequest,
  { transcripts, entries }: { transcripts: Transcripts; entries: readonly SessionEntry[] },
): Promise<FoundSession[]> {
  const wanted = words.map((word) => word.toLowerCase());
  const found: FoundSession[] = [];
  for (const candidate of await newestFirst(transcripts, entries, prefix)) {
    if (found.length >= limit) break;
    signal.throwIfAborted();
    const hit = await searchOne(candidate, { words: wanted, isWanted }, transcripts, signal);
    if (hit) found.push(hit);
  }
  return found;
}

interface Candidate {
  sessionId: string;
  entry?: SessionEntry;
}

/** The current session of each key as it was used last; those that another one has followed as they were begun. */
async function newestFirst(
  transcripts: Transcripts,
  entries: readonly SessionEntry[],
  prefix: string | undefined,
): Promise<Candidate[]> {
  const current = new Set(entries.map(({ sessionId }) => sessionId));
  const others = prefix === undefined ? (await transcripts.list()).filter((sessionId) => !current.has(sessionId)) : [];
  const dated = [
    ...entries.map((entry) => ({
      at: entry.updatedAt.replace(/\D/g, '').slice(0, 14),
      sessionId: entry.sessionId,
      entry,
    })),
    // The id begins with the time.
    ...others.map((sessionId) => ({ at: sessionId.replace(/\D/g, '').slice(0, 14), sessionId })),
  ];
  return dated.toSorted((one, other) => (one.at < other.at ? 1 : -1));
}

async function searchOne(
  { sessionId, entry }: Candidate,
  { words, isWanted }: Required<Pick<SearchRequest, 'words' | 'isWanted'>>,
  transcripts: Transcripts,
  signal: AbortSignal,
): Promise<FoundSession | undefined> {
  let newest: SessionMessage | undefined;
  let matches = 0;
  for await (const scanned of transcripts.scan(sessionId, mayHold(words))) {
    signal.throwIfAborted();
    const line = 'line' in scanned ? asSessionLine(scanned.line) : undefined;
    if (line?.type !== 'message' || line.message.role === 'system' || !holdsAll(line.message.content, words)) continue;
    if (!isWanted({ date: line.message.timestamp, text: line.message.content })) continue;
    newest = line.message;
    matches += 1;
  }
  const hasTitle =
    entry?.title !== undefined &&
    holdsAll(entry.title, words) &&
    isWanted({ date: entry.updatedAt, text: entry.title });
  if (!newest && !hasTitle) return undefined;
  const sessionKey = entry?.sessionKey ?? (await identityOf(sessionId, transcripts)).sessionKey;
  // A sub-agent's conversation is nobody's to continue.
  if (sessionKey === undefined || sessionKey.startsWith('task:')) return undefined;
  return {
    sessionKey,
    sessionId,
    ...(entry?.title !== undefined && { title: entry.title }),
    date: newest?.timestamp ?? entry?.updatedAt ?? '',
    ...(newest && { role: newest.role }),
    snippet: newest ? snippetOf(newest.content, words) : (entry?.title ?? ''),
    matches,
    isCurrent: entry !== undefined,
  };
}

export function holdsAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/** On the line as it is written: only words that JSON writes as they are can be looked for there. */
function mayHold(words: readonly string[]): (line: string) => boolean {
  const plain = words.filter((word) => JSON.stringify(word) === `"${word}"`);
  return (line) => line.includes('"type":"message"') && holdsAll(line, plain);
}

export function snippetOf(content: string, words: readonly string[]): string {
  const at = content.toLowerCase().indexOf(words[0] ?? '');
  const start = Math.max(0, at - SNIPPET_BEFORE);
  const text = content
    .slice(start, start + SNIPPET_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim();
  const isCut = start + SNIPPET_CHARACTERS < content.length;
  return `${start > 0 ? '…' : ''}${text.toWellFormed()}${isCut ? '…' : ''}`;
}
