// A piece of a longer text gains a little from its neighbours in the text. A turn of a conversation is seldom about
// something by itself: its score counts together with its neighbours' and its session's. A note outside of any session is
// a session of its own, so all kinds stay comparable.
import type { Around } from '../storage/archive.ts';
import type { Ranked } from './rank.ts';

const SHARES_IN_TEXT = [0.06, 0.04];
const SHARES_IN_TALK = [0.3, 0.2];
const SESSION_SHARE = 0.5;
const BEST_OF_SESSION = 3;
const LOOKED_AT = 60;

export type FindAround = (chunks: readonly { id: number; session: string }[], distance: number) => Promise<Around[]>;

export async function withSurroundings(ranked: readonly Ranked[], around: FindAround): Promise<Ranked[]> {
  const nearby = new Map([...nearbyInTexts(ranked), ...(await nearbyInSessions(ranked, around))]);
  const sessions = sessionScores(ranked);
  return ranked
    .map((entry) => {
      const { id, document } = entry.chunk;
      const own = entry.score;
      const near = nearby.get(id) ?? 0;
      if (document.session === undefined) return { ...entry, score: own + near };
      const session = sessions.get(document.session) ?? own;
      return { ...entry, score: (own + near + SESSION_SHARE * session) / (1 + SESSION_SHARE) };
    })
    .sort((a, b) => b.score - a.score || b.chunk.id - a.chunk.id);
}

function nearbyInTexts(ranked: readonly Ranked[]): Map<number, number> {
  const scores = new Map(ranked.map(({ chunk, score }) => [`${chunk.document.id} ${chunk.position}`, score]));
  const at = ({ chunk }: Ranked, offset: number): number =>
    scores.get(`${chunk.document.id} ${chunk.position + offset}`) ?? 0;
  const near = (entry: Ranked): number =>
    SHARES_IN_TEXT.reduce((sum, share, index) => sum + share * (at(entry, index + 1) + at(entry, -index - 1)), 0);
  return new Map(ranked.map((entry) => [entry.chunk.id, near(entry)]));
}

async function nearbyInSessions(ranked: readonly Ranked[], around: FindAround): Promise<Map<number, number>> {
  const turns = ranked
    .slice(0, LOOKED_AT)
    .flatMap(({ chunk: { id, document } }) =>
      document.session === undefined ? [] : [{ id, session: document.session }],
    );
  if (turns.length === 0) return new Map();
  const scores = new Map(ranked.map(({ chunk, score }) => [chunk.id, score]));
  const neighbours = await around(turns, SHARES_IN_TALK.length);
  const scoreOf = (ids: readonly number[] = []): number =>
    ids.reduce((sum, id, index) => sum + (SHARES_IN_TALK[index] ?? 0) * (scores.get(id) ?? 0), 0);
  return new Map(
    turns.map(({ id }, index) => [id, scoreOf(neighbours[index]?.before) + scoreOf(neighbours[index]?.after)]),
  );
}

/** The mean of a session's best turns; the list is in order, so the first ones seen are the best. */
function sessionScores(ranked: readonly Ranked[]): Map<string, number> {
  const best = new Map<string, number[]>();
  for (const { chunk, score } of ranked) {
    const { session } = chunk.document;
    if (session === undefined) continue;
    const scores = best.get(session) ?? [];
    if (scores.length < BEST_OF_SESSION) scores.push(score);
    best.set(session, scores);
  }
  return new Map([...best].map(([session, scores]) => [session, scores.reduce((a, b) => a + b, 0) / scores.length]));
}
