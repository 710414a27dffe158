// Finds sessions by what was said in them: the index of past conversations first, then titles. What the index does not find as words is looked
// for as it is written, in the transcripts themselves. Where the words name a time ("payments last week"), what was said then comes first.
import type { PastQuestion, SaidThen } from '../memory/past-question.ts';
import type { Found } from '../memory/search.ts';
import { type FoundSession, holdsAll, snippetOf } from '../sessions/search-sessions.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { StorageError } from '../storage/storage.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';
import type { OperationContext } from './operation.ts';

/** Of each session that is shown, so many messages are looked at. */
const MESSAGES_PER_SESSION = 10;

export interface ConversationQuery {
  /** Words, or a question. */
  words: string;
  limit: number;
  since?: string;
  until?: string;
  /** Only keys that begin with this: the sessions of somebody else than the owner, which are few. */
  prefix?: string;
}

/** Those of the time that the words name first, each time the newest first. */
export async function findInConversations(
  { words, limit, since, until, prefix }: ConversationQuery,
  { runtime, signal, onProgress }: OperationContext,
): Promise<FoundSession[]> {
  const { sessions } = runtime;
  const past = await runtime.pastConversations();
  const asked = past.read(words, { since, until });
  if (prefix !== undefined) return asWritten();
  const said = await saidIn().catch(orNothing);
  const found = [...said, ...(await titled(sessions, asked, new Set(said.map(({ sessionId }) => sessionId))))];
  return found.length === 0 ? asWritten() : inOrder(found, asked).slice(0, limit);

  async function asWritten(): Promise<FoundSession[]> {
    const found = await sessions.search({
      words: asked.words,
      limit,
      signal,
      isWanted: (each) => isWanted(each, asked),
      ...(prefix !== undefined && { prefix }),
    });
    return inOrder(found, asked);
  }

  async function saidIn(): Promise<FoundSession[]> {
    await past.catchUp({ signal, onProgress });
    const { results } = await past.search(OWNER, words, {
      topK: limit * MESSAGES_PER_SESSION,
      budget: Number.POSITIVE_INFINITY,
      since,
      until,
      signal,
    });
    const complete = results.filter(
      (found) => isWanted(found, asked) && asked.terms.isSubsetOf(new Set(found.why.terms)),
    );
    const bySession = Map.groupBy(complete, ({ session = '' }) => session);
    const shown = [...bySession].map(([sessionId, hits]) => sessionOf(sessionId, hits, sessions, asked));
    return (await Promise.all(shown)).flatMap((each) => each ?? []);
  }
}

/** A time without any other words asks for what was said then. */
function isWanted(said: SaidThen, { words, terms, isOfAskedTime, isAllowed }: PastQuestion): boolean {
  const asksForTimeAlone = terms.size === 0 || words.length === 0;
  return isAllowed(said) && (!asksForTimeAlone || isOfAskedTime === undefined || isOfAskedTime(said));
}

function inOrder(found: readonly FoundSession[], { isOfAskedTime }: PastQuestion): FoundSession[] {
  const isOfTime = ({ date, snippet }: FoundSession): number => (isOfAskedTime?.({ date, text: snippet }) ? 1 : 0);
  return found.toSorted(
    (one, other) => isOfTime(other) - isOfTime(one) || (one.date < other.date ? 1 : one.date > other.date ? -1 : 0),
  );
}

async function sessionOf(
  sessionId: string,
  hits: readonly Found[],
  sessions: Sessions,
  { words, isOfAskedTime }: PastQuestion,
): Promise<FoundSession | undefined> {
  const ofTime = hits.filter((hit) => isOfAskedTime?.(hit));
  const newest = (ofTime.length > 0 ? ofTime : hits).toSorted((one, other) => (one.date < other.date ? 1 : -1))[0];
  const entry = await sessions.find(sessionId);
  // Deleted a moment ago.
  if (!newest || !entry) return undefined;
  const current = await sessions.get(entry.sessionKey);
  const isCurrent = current?.sessionId === sessionId;
  return {
    sessionKey: entry.sessionKey,
    sessionId,
    ...(isCurrent && current.title !== undefined && { title: current.title }),
    date: newest.date,
    ...(newest.speaker !== undefined && { role: newest.speaker }),
    snippet: snippetOf(newest.text, words.map(inLowerCase)),
    matches: hits.length,
    isCurrent,
  };
}

async function titled(sessions: Sessions, asked: PastQuestion, known: ReadonlySet<string>): Promise<FoundSession[]> {
  const words = asked.words.map(inLowerCase);
  if (words.length === 0) return [];
  const entries = await sessions.list();
  return entries.flatMap(({ sessionKey, sessionId, title, updatedAt }) =>
    title === undefined ||
    known.has(sessionId) ||
    !holdsAll(title, words) ||
    !isWanted({ date: updatedAt, text: title }, asked)
      ? []
      : [{ sessionKey, sessionId, title, date: updatedAt, snippet: title, matches: 0, isCurrent: true }],
  );
}

function inLowerCase(word: string): string {
  return word.toLowerCase();
}

/** Without an index the transcripts are searched. */
function orNothing(error: unknown): FoundSession[] {
  if (error instanceof StorageError) return [];
  throw error;
}
