// What becomes of a fact that the model extracted, in view of what is known. The model says how it relates to a known fact; what that does is decided
// here: what was said later replaces what was said earlier, whatever the day it is true since; a fact that says the same merges; where a
// contradiction was said on the same day, a person is asked. Nothing of a tainted conversation becomes a fact without a person.
import type { NewDocument } from '../storage/archive.ts';
import type { FactChange, KnownFact } from '../storage/facts.ts';
import type { FactKind, FactRelation } from '../vocabulary/fact.ts';
import { hashOf } from './note.ts';

export interface ExtractedFact {
  text: string;
  /** A few general words that a question about it would use: "home, city". They are searched with the text. */
  topic?: string;
  kind: FactKind;
  relation: FactRelation;
  /** The known fact that it relates to. */
  of?: KnownFact;
  turnId: string;
  /** ISO 8601. */
  saidAt: string;
  /** ISO 8601: since when it is true, where the text tells. */
  since?: string;
  /** The id of the message that says it. */
  messageId?: string;
}

export interface DecideFact {
  tainted: boolean;
  /** The known fact that says the same in the same words, whatever their order. */
  sameAs(text: string): KnownFact | undefined;
  /** Facts that an earlier one of the same extraction has replaced. */
  replaced: ReadonlySet<string>;
  /** The day of a moment (ISO 8601) where the person is. */
  dayOf(moment: string): string;
  document(fact: ExtractedFact, validFrom: string): NewDocument;
}

/** Undefined: nothing is to be kept. */
export function decideFact(fact: ExtractedFact, context: DecideFact): FactChange | undefined {
  const { tainted, sameAs, replaced, dayOf, document } = context;
  const { text, kind, relation } = fact;
  const source = {
    turnId: fact.turnId,
    saidAt: fact.saidAt,
    ...(fact.messageId !== undefined && { message: hashOf(fact.messageId) }),
  };
  const validFrom = fact.since ?? fact.saidAt;
  const known = sameAs(text) ?? fact.of;
  const isSame = relation === 'same' || (known !== undefined && known === sameAs(text));
  if (isSame && known)
    return tainted || replaced.has(known.id) ? undefined : { relation: 'same', kind, source, other: known.id };
  const other = relation === 'new' || !known || replaced.has(known.id) ? undefined : known;
  const proposed = {
    relation: 'proposed' as const,
    kind,
    source,
    text,
    topic: fact.topic,
    validFrom,
    ...(other && { other: other.id }),
  };
  if (tainted) return { ...proposed, why: 'tainted' };
  if (!other) return { relation: 'new', kind, source, validFrom, document: document(fact, validFrom) };
  if (relation === 'contradicts' && dayOf(fact.saidAt) === dayOf(other.saidAt))
    return { ...proposed, why: 'contradicts' };
  return {
    relation: relation === 'contradicts' ? 'contradicts' : 'update',
    kind,
    source,
    validFrom,
    document: document(fact, validFrom),
    other: other.id,
    ...(fact.saidAt < other.saidAt && { isOlder: true as const }),
  };
}
