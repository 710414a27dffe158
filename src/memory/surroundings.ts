// A single turn is seldom meaningful alone: its score counts together with those of its neighbours and its session. A note
// outside any session counts as its own session, so all kinds stay comparable; a chunk of a longer text gains nothing from the
// chunks beside it, or long texts would rank above short ones that answer better.
import type { Around } from '../storage/archive.ts';
import type { Ranked } from './rank.ts';

const SHARES = [0.3, 0.2];
const SESSION_SHARE = 0.5;
const BEST_OF_SESSION = 3;
const LOOKED_AT = 60;

export type FindAround = (chunks: readonly { id: number; session: string }[], distance: number) => Promise<Around[]>;

export async function withSurroundings(ranked: readonly Ranked[], around: FindAround): Promise<Ranked[]> {
  const nearby = await nearbyInSessions(ranked, around);
  const sessions = sessionScores(ranked);
  const placed = ranked.map((entry) => {
    const { id, document } = entry.chunk;
    if (document.session === undefined) return entry;
    const own = entry.score;
    const near = nearby.get(id) ?? 0;
    const session = sessions.get(document.session) ?? own;
    return { ...entry, score: (own + near + SESSION_SHARE * session) / (1 + SESSION_SHARE) };
  });
  // The neighbours must not raise a score above one.
  const highest = placed.reduce((most, { score }) => Math.max(most, score), 1);
  return placed
    .map((entry) => ({ ...entry, score: entry.score / highest }))
    .sort((a, b) => b.score - a.score || b.chunk.id - a.chunk.id);
}

async function nearbyInSessions(ranked: readonly Ranked[], around: FindAround): Promise<Map<number, number>> {
  const turns = ranked
    .slice(0, LOOKED_AT)
    .flatMap(({ chunk: { id, document } }) =>
      document.session === undefined ? [] : [{ id, session: document.session }],
    );
  if (turns.length === 0) return new Map();
  const scores = new Map(ranked.map(({ chunk, score }) => [chunk.id, score]));
  const neighbours = await around(turns, SHARES.length);
  const scoreOf = (ids: readonly number[] = []): number =>
    ids.reduce((sum, id, index) => sum + (SHARES[index] ?? 0) * (scores.get(id) ?? 0), 0);
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
