// Finds sessions by what was said in them: the index of past conversations first, then titles. What the index does not find as words is looked
// for as it is written, in the transcripts themselves.
import type { PastConversations } from '../memory/past-conversations.ts';
import type { Found } from '../memory/search.ts';
import { type FoundSession, holdsAll, snippetOf } from '../sessions/search-sessions.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { StorageError } from '../storage/storage.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';
import type { OperationContext } from './operation.ts';

/** Of each session that is shown, so many messages are looked at. */
const MESSAGES_PER_SESSION = 10;

export interface ConversationQuery {
  words: readonly string[];
  limit: number;
  /** Only keys that begin with this: the sessions of somebody else than the owner, which are few. */
  prefix?: string;
}

/** The newest first. */
export async function findInConversations(
  { words, limit, prefix }: ConversationQuery,
  { runtime, signal, onProgress }: OperationContext,
): Promise<FoundSession[]> {
  const { sessions } = runtime;
  if (prefix !== undefined) return sessions.search({ words, limit, signal, prefix });
  const wanted = words.map((word) => word.toLowerCase());
  const said = await saidIn(await runtime.pastConversations()).catch(orNothing);
  const found = [...said, ...(await titled(sessions, wanted, new Set(said.map(({ sessionId }) => sessionId))))];
  if (found.length === 0) return sessions.search({ words, limit, signal });
  return found.toSorted((one, other) => (one.date < other.date ? 1 : -1)).slice(0, limit);

  async function saidIn(past: PastConversations): Promise<FoundSession[]> {
    await past.catchUp({ signal, onProgress });
    const { results } = await past.search(OWNER, words.join(' '), {
      topK: limit * MESSAGES_PER_SESSION,
      budget: Number.POSITIVE_INFINITY,
      signal,
    });
    const terms = [...past.termsOf(words.join(' '))];
    const complete = results.filter(({ why }) => terms.every((term) => why.terms.includes(term)));
    const bySession = Map.groupBy(complete, ({ session = '' }) => session);
    const shown = [...bySession].map(([sessionId, hits]) => sessionOf(sessionId, hits, sessions, wanted));
    return (await Promise.all(shown)).flatMap((each) => each ?? []);
  }
}

async function sessionOf(
  sessionId: string,
  hits: readonly Found[],
  sessions: Sessions,
  words: readonly string[],
): Promise<FoundSession | undefined> {
  const newest = hits.toSorted((one, other) => (one.date < other.date ? 1 : -1))[0];
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
    snippet: snippetOf(newest.text, words),
    matches: hits.length,
    isCurrent,
  };
}

async function titled(
  sessions: Sessions,
  words: readonly string[],
  known: ReadonlySet<string>,
): Promise<FoundSession[]> {
  const entries = await sessions.list();
  return entries.flatMap(({ sessionKey, sessionId, title, updatedAt }) =>
    title === undefined || known.has(sessionId) || !holdsAll(title, words)
      ? []
      : [{ sessionKey, sessionId, title, date: updatedAt, snippet: title, matches: 0, isCurrent: true }],
  );
}

/** Without an index the transcripts are searched. */
function orNothing(error: unknown): FoundSession[] {
  if (error instanceof StorageError) return [];
  throw error;
}
