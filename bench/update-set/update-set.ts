// Things about a person that change: what was said first, what was said later, the facts that a model would keep of both, and a question about now and about before. Written for
// this repository in three languages. `development` may be looked at while the search is improved; the figures that count are those of `held`.

export interface Update {
  /** What a question about it is probably about, as the model names it with the fact. */
  topic: string;
  /** What the person said first, and later. */
  then: string;
  now: string;
  /** The facts that are kept of these. */
  oldFact: string;
  newFact: string;
  askedNow: string;
  askedPast: string;
}

export interface UpdateSet {
  development: readonly Update[];
  held: readonly Update[];
  /** What else is talked about. */
  chatter: readonly string[];
}

export const update = (
  topic: string,
  [then, now]: readonly [string, string],
  [oldFact, newFact]: readonly [string, string],
  [askedNow, askedPast]: readonly [string, string],
): Update => ({ topic, then, now, oldFact, newFact, askedNow, askedPast });
