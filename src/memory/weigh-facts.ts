// The place of facts among what a search found. A fact says in one sentence what a conversation said in many, so it comes before the turns
// around it. A fact that was replaced is left out, unless the question is about the past: then it comes first, or, where the question names a time, the
// facts that were true then. Other documents that were replaced are still found, behind equally good current ones; a note that was replaced is before
// the current one where the question is about the past.
import type { ArchiveDocument } from '../storage/archive.ts';
import type { Ranked } from './rank.ts';

const SUPERSEDED_SHARE = 0.5;
const FACT_BONUS = 1.3;
const PAST_BONUS = 2.5;
/** Of a note that was replaced, where the question is about the past: before the one that replaced it. */
const PAST_NOTE_BONUS = 1.3;
/** Of a question about the past: what still holds. */
const PRESENT_SHARE = 0.6;

export interface AskedPast {
  /** The question is about what is no longer so. */
  isAboutPast: boolean;
  /** Whether a document was true at a time that the question names; undefined when it names none. */
  wasTrueThen?: (document: ArchiveDocument) => boolean;
}

/** Scores may be above one; the order of the list is the caller's. */
export function weighFacts(ranked: readonly Ranked[], asked: AskedPast): Ranked[] {
  return ranked.flatMap((entry) => {
    const { document } = entry.chunk;
    const weight = document.kind === undefined ? noteWeight(document, asked) : factWeight(document, asked);
    return weight === undefined ? [] : [{ ...entry, score: entry.score * weight }];
  });
}

function noteWeight({ supersededBy, session }: ArchiveDocument, { isAboutPast }: AskedPast): number {
  if (supersededBy === undefined) return 1;
  if (!isAboutPast) return SUPERSEDED_SHARE;
  return session === undefined ? PAST_NOTE_BONUS : 1;
}

function factWeight(document: ArchiveDocument, { isAboutPast, wasTrueThen }: AskedPast): number | undefined {
  if (wasTrueThen) return wasTrueThen(document) ? PAST_BONUS : undefinedIf(document.supersededBy !== undefined);
  if (document.supersededBy === undefined) return isAboutPast ? PRESENT_SHARE : FACT_BONUS;
  return isAboutPast ? PAST_BONUS : undefined;
}

function undefinedIf(isReplaced: boolean): number | undefined {
  return isReplaced ? undefined : PRESENT_SHARE;
}
