// What a fact is: the words that storage, memory and the pipeline share.

export const FACT_KINDS = ['fact', 'preference', 'decision', 'date'] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/** How an extracted fact relates to what was known. */
export const FACT_RELATIONS = ['new', 'update', 'contradicts', 'same'] as const;
export type FactRelation = (typeof FACT_RELATIONS)[number];

/**
 * Why an extracted fact waits for a person. `tainted`: content from outside was in the conversation. `contradicts`: which of two facts is right
 * cannot be seen from their dates.
 */
export type ProposalReason = 'tainted' | 'contradicts';

/** Why no facts are extracted. `unknown-provider`: there is no provider of the configured name. */
export const FACTS_OFF_CODES = ['no-model', 'switched-off', 'unknown-provider'] as const;
export type FactsOffCode = (typeof FACTS_OFF_CODES)[number];
