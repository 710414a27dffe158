// A single turn is seldom meaningful alone: its score counts together with those of its neighbours and its session. So the
// turns beside the best candidates are ranked as well, also those without a word of the question: an answer often has none.
// A note outside any session counts as its own session, so all kinds stay comparable; a chunk of a longer text gains nothing
// from the chunks beside it, or long texts would rank above short ones that answer better.
import type { Around } from '../storage/archive.ts';
import type { Ranked } from './rank.ts';

/** What a turn gains from those one and two places away, */
const SHARES = [0.3, 0.2];
/** and from the one before it that ends with a question: it is the answer. */
const ANSWER_SHARE = 0.7;
/** What a turn gains when the question names who said it: the other speaker mentions that name as often, and the same things. */
const ASKED_SPEAKER_BONUS = 0.6;
const ENDS_WITH_QUESTION = /[?？؟]["'”’»)\s]*$/u;
const SESSION_SHARE = 0.5;
const BEST_OF_SESSION = 3;
const LOOKED_AT = 60;
/** The turns beside so many of the best become candidates. */
const JOINED = 30;
const NOTHING: Around = { before: [], after: [] };

export type FindAround = (chunks: readonly { id: number; session: string }[], distance: number) => Promise<Around[]>;

/** Turns beside the best candidates, by the id of the candidate. */
export type Neighbours = ReadonlyMap<number, Around>;

export async function findNeighbours(ranked: readonly Ranked[], around: FindAround): Promise<Neighbours> {
  const turns = ranked
    .slice(0, LOOKED_AT)
    .flatMap(({ chunk: { id, document } }) =>
      document.session === undefined ? [] : [{ id, session: document.session }],
    );
  if (turns.length === 0) return new Map();
  const found = await around(turns, SHARES.length);
  return new Map(turns.map(({ id }, index) => [id, found[index] ?? NOTHING]));
}

/** The chunks beside the best that are not candidates themselves. */
export function missingNeighbours(ranked: readonly Ranked[], neighbours: Neighbours): number[] {
  const known = new Set(ranked.map(({ chunk }) => chunk.id));
  const beside = ranked.slice(0, JOINED).flatMap(({ chunk }) => {
    const { before, after } = neighbours.get(chunk.id) ?? NOTHING;
    return [...before, ...after];
  });
  return [...new Set(beside)].filter((id) => !known.has(id));
}

export function withSurroundings(
  ranked: readonly Ranked[],
  neighbours: Neighbours,
  isOfAskedSpeaker: (entry: Ranked) => boolean,
): Ranked[] {
  const nearby = nearbyScores(ranked, neighbours);
  const sessions = sessionScores(ranked);
  const placed = ranked.map((entry) => {
    const { id, document } = entry.chunk;
    if (document.session === undefined) return entry;
    const own = entry.score;
    const near = nearby.get(id) ?? 0;
    const session = sessions.get(document.session) ?? own;
    const bonus = isOfAskedSpeaker(entry) ? 1 + ASKED_SPEAKER_BONUS : 1;
    return { ...entry, score: (bonus * (own + near + SESSION_SHARE * session)) / (1 + SESSION_SHARE) };
  });
  // The neighbours must not raise a score above one.
  const highest = placed.reduce((most, { score }) => Math.max(most, score), 1);
  return placed
    .map((entry) => ({ ...entry, score: entry.score / highest }))
    .sort((a, b) => b.score - a.score || b.chunk.id - a.chunk.id);
}

/** Being beside each other is mutual, so each of the best gives a share of its score to the turns beside it. */
function nearbyScores(ranked: readonly Ranked[], neighbours: Neighbours): Map<number, number> {
  const nearby = new Map<number, number>();
  const give = (id: number, score: number): void => {
    nearby.set(id, (nearby.get(id) ?? 0) + score);
  };
  for (const { chunk, score } of ranked) {
    const { before, after } = neighbours.get(chunk.id) ?? NOTHING;
    const isAsked = ENDS_WITH_QUESTION.test(chunk.text);
    for (const [place, id] of before.entries()) give(id, (SHARES[place] ?? 0) * score);
    for (const [place, id] of after.entries())
      give(id, (isAsked && place === 0 ? ANSWER_SHARE : (SHARES[place] ?? 0)) * score);
  }
  return nearby;
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
