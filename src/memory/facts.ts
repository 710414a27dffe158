// Facts as the rest of Lainclaw uses them: what waits to be extracted, what is known that bears on a conversation, keeping what was extracted.
import type { Archive, NewDocument, TermsOf } from '../storage/archive.ts';
import type { FactStore, KeptExtraction, KnownFact, WaitingConversation } from '../storage/facts.ts';
import { type MemoryReader, type MemoryScope, readerWithin } from '../vocabulary/memory-scope.ts';
import type { Usage } from '../vocabulary/usage.ts';
import { type DecideFact, decideFact, type ExtractedFact } from './decide-fact.ts';
import { MemoryError } from './memory-error.ts';
import type { Note } from './note.ts';
import type { SearchOptions, SearchResult } from './search.ts';

export const FACT_SOURCE = 'facts';
/** So many facts of a scope are all shown to the model; of more, the newest and those that searching finds. */
const ALL_KNOWN = 40;
const NEWEST_KNOWN = 15;
const FOUND_FOR_EACH = 8;
const LONGEST_QUERY = 600;

/** A fact of an answer: what it relates to is known already, or comes before it in the same answer. */
export type AnsweredFact = Omit<ExtractedFact, 'of'> & { of?: { known: string } | { earlier: number } };

export interface Facts
  extends Pick<
    FactStore,
    | 'wait'
    | 'hurry'
    | 'due'
    | 'nextDue'
    | 'waiting'
    | 'drop'
    | 'keepProblem'
    | 'postpone'
    | 'tokensSince'
    | 'log'
    | 'proposals'
    | 'counts'
    | 'valid'
    | 'saidIn'
  > {
  /** What is known in a scope that may bear on these texts. */
  related(scope: MemoryScope, texts: readonly string[], signal?: AbortSignal): Promise<KnownFact[]>;
  /** Undefined, and nothing is kept, when something has changed since the model was asked: ask again. */
  keep(answer: AnsweredFacts): Promise<KeptExtraction | undefined>;
  /** Rejects when there is no such extraction, or it was undone. */
  undo(reader: MemoryReader, number: number): Promise<{ removed: number }>;
  /** A person decided about a proposal. Rejects when there is none of that number. */
  settleProposal(reader: MemoryReader, number: number, decision: 'accept' | 'reject'): Promise<void>;
}

export interface AnsweredFacts {
  conversation: WaitingConversation;
  facts: readonly AnsweredFact[];
  /** What the model was shown as known. */
  known: readonly KnownFact[];
  model?: string;
  usage?: Usage;
}

export interface FactsDependencies {
  store: FactStore;
  archive(): Promise<Archive>;
  termsOf: TermsOf;
  documentOf(note: Note): NewDocument;
  search(reader: MemoryReader, query: string, options: SearchOptions): Promise<SearchResult>;
  /** The day of a moment (ISO 8601) where the person is. */
  dayOf(moment: string): string;
  now(): number;
}

export function createFacts(dependencies: FactsDependencies): Facts {
  const { store, archive, termsOf, documentOf, search, dayOf, now } = dependencies;
  /** The same words in another order say the same. */
  const wordsOf = (text: string): string => [...new Set(termsOf({ context: '', text, date: '' }))].sort().join(' ');

  const factDocument = (
    fact: Pick<ExtractedFact, 'text' | 'topic' | 'kind' | 'saidAt' | 'turnId'>,
    validFrom: string,
  ) => {
    const { text, topic: title, kind, saidAt, turnId } = fact;
    // Each time it is said again after something else was true, it is another fact.
    const identity = `${turnId}\n${text}`;
    return { ...documentOf({ content: text, title, source: FACT_SOURCE, date: saidAt, identity }), kind, validFrom };
  };

  return {
    ...store,
    async related(scope, texts, signal) {
      const reader = readerWithin(scope);
      const newest = await store.valid(reader, ALL_KNOWN + 1);
      if (newest.length <= ALL_KNOWN) return newest;
      const found = new Map(newest.slice(0, NEWEST_KNOWN).map((fact) => [fact.id, fact]));
      for (const text of texts) {
        const options = { topK: FOUND_FOR_EACH, onlyFacts: true, signal };
        for (const { id, text: said, kind, validFrom, date } of (
          await search(reader, text.slice(0, LONGEST_QUERY), options)
        ).results)
          if (kind) found.set(id, { id, text: said, kind, saidAt: date, validFrom: validFrom ?? date });
        if (found.size >= ALL_KNOWN) break;
      }
      return [...found.values()].slice(0, ALL_KNOWN);
    },

    async keep({ conversation, facts, known, model, usage }) {
      const { scope, tainted } = conversation;
      await archive();
      const byId = new Map(known.map((fact) => [fact.id, fact]));
      const byWords = new Map(
        (await store.valid(readerWithin(scope), ALL_KNOWN)).map((fact) => [wordsOf(fact.text), fact]),
      );
      for (const fact of known) byWords.set(wordsOf(fact.text), fact);
      const replaced = new Set<string>();
      const added: (KnownFact | undefined)[] = [];
      const context: DecideFact = {
        tainted,
        replaced,
        dayOf,
        sameAs: (text) => byWords.get(wordsOf(text)),
        document: factDocument,
      };
      const changes = facts.flatMap(({ of, ...fact }) => {
        const related = of && ('known' in of ? byId.get(of.known) : added[of.earlier]);
        const change = decideFact({ ...fact, of: related }, context);
        const isAdded = change !== undefined && 'document' in change;
        const own = isAdded
          ? {
              id: change.document.id,
              text: fact.text,
              kind: fact.kind,
              saidAt: fact.saidAt,
              validFrom: change.validFrom,
            }
          : undefined;
        added.push(own ?? related);
        if (own) byWords.set(wordsOf(own.text), own);
        if (isAdded && change.relation !== 'new' && !change.isOlder) {
          replaced.add(change.other);
          byWords.delete(wordsOf(related?.text ?? ''));
        }
        return change ? [change] : [];
      });
      return store.keep({ conversation, at: now(), model, usage, changes }, termsOf);
    },

    async undo(reader, number) {
      await archive();
      const undone = await store.undo(reader, number, now(), termsOf);
      if (undone) return undone;
      throw new MemoryError(
        'MEMORY_NOT_FOUND',
        `there is no extraction ${number} that could be undone: "lainclaw memory log" shows them`,
      );
    },

    async settleProposal(reader, number, decision) {
      const proposal = (await store.proposals(reader)).find((each) => each.number === number);
      if (!proposal)
        throw new MemoryError('MEMORY_NOT_FOUND', `there is no proposal ${number}: "lainclaw memory log" shows them`);
      await archive();
      const accepted = { document: factDocument(proposal, proposal.validFrom), at: now() };
      await store.settleProposal(reader, number, decision === 'accept' ? accepted : undefined, termsOf);
    },
  };
}
