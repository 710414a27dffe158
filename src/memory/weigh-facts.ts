// The place of facts among what a search found. A fact says in one sentence what a conversation said in many, so it comes before the turns
// around it. A fact that was replaced is left out, unless the question is about the past: then it comes first. Other documents that were replaced are
// still found, behind equally good current ones.
import type { Ranked } from './rank.ts';

const SUPERSEDED_SHARE = 0.5;
const FACT_BONUS = 1.3;
/** Of a question about the past: a fact that still holds. */
const PRESENT_SHARE = 0.6;

/** Scores may be above one; the order of the list is the caller's. */
export function weighFacts(ranked: readonly Ranked[], { isAboutPast }: { isAboutPast: boolean }): Ranked[] {
  return ranked.flatMap((entry) => {
    const { kind, supersededBy } = entry.chunk.document;
    const weight = kind === undefined ? noteWeight(supersededBy) : factWeight(supersededBy, isAboutPast);
    return weight === undefined ? [] : [{ ...entry, score: entry.score * weight }];
  });
}

function noteWeight(supersededBy: string | undefined): number {
  return supersededBy === undefined ? 1 : SUPERSEDED_SHARE;
}

function factWeight(supersededBy: string | undefined, isAboutPast: boolean): number | undefined {
  if (supersededBy === undefined) return isAboutPast ? PRESENT_SHARE : FACT_BONUS;
  return isAboutPast ? FACT_BONUS : undefined;
}
