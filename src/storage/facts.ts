// The contract of facts: what the model extracted from conversations, kept as documents of the archive. A fact belongs to a scope, knows
// the turns it was said in and the time it is valid. Turns wait here until somebody has time to extract their facts; the turns of an
// extraction stop waiting in the same transaction that keeps its facts, so that a turn is extracted once, whatever is killed.
import type { FactKind, FactRelation, ProposalReason } from '../vocabulary/fact.ts';
import type { MemoryReader, MemoryScope } from '../vocabulary/memory-scope.ts';
import type { Usage } from '../vocabulary/usage.ts';
import type { NewDocument, TermsOf } from './archive.ts';

export interface WaitingTurn {
  sessionId: string;
  sessionKey: string;
  turnId: string;
  /** Whose the facts will be. */
  scope: MemoryScope;
  /** Content from outside was in it. */
  tainted: boolean;
  /** Milliseconds since the epoch: when it ended. */
  endedAt: number;
}

/** The waiting turns of one conversation that are extracted together: of one scope, and either all tainted or none. */
export interface WaitingConversation extends Pick<WaitingTurn, 'sessionId' | 'sessionKey' | 'scope' | 'tainted'> {
  /** Oldest first. */
  turnIds: string[];
}

export interface WaitingCounts {
  turns: number;
  conversations: number;
  /** Turns that are left alone because the model's answers could not be used. */
  givenUp: number;
}

/** Where a fact was said. */
export interface FactSource {
  turnId: string;
  /** ISO 8601. */
  saidAt: string;
  /** The hash of the message in the archive that says it. */
  message?: string;
}

interface ChangeBase {
  kind: FactKind;
  source: FactSource;
}

export type FactChange =
  | (ChangeBase & { relation: 'new'; document: NewDocument; validFrom: string })
  /** The fact `other` stops being valid when this one begins to be. `isOlder`: the other way round, because this one was said before it. */
  | (ChangeBase & {
      relation: 'update' | 'contradicts';
      document: NewDocument;
      validFrom: string;
      /** May be a fact that an earlier change of the same extraction adds. */
      other: string;
      isOlder?: true;
    })
  | (ChangeBase & { relation: 'same'; other: string })
  /** Not a fact until a person accepts it. `why`: what keeps it from being one. */
  | (ChangeBase & {
      relation: 'proposed';
      text: string;
      topic?: string;
      validFrom: string;
      why: ProposalReason;
      /** The fact that it would replace. */
      other?: string;
    });

export interface NewExtraction {
  conversation: Pick<WaitingConversation, 'sessionId' | 'sessionKey' | 'scope' | 'turnIds'>;
  at: number;
  model?: string;
  usage?: Usage;
  changes: readonly FactChange[];
}

export interface LoggedChange {
  relation: FactRelation | 'proposed';
  /** The id of the fact, or of the fact that it is the same as. */
  id?: string;
  /** Undefined when the fact was forgotten. */
  text?: string;
  kind: FactKind;
  /** The fact that it replaced, and its text where it is still there. */
  other?: string;
  otherText?: string;
}

export interface Extraction {
  number: number;
  sessionId: string;
  sessionKey: string;
  scope: MemoryScope;
  /** The first and the last of its turns. */
  firstTurn: string;
  lastTurn: string;
  turns: number;
  at: number;
  model?: string;
  usage?: Usage;
  /** Why nothing could be extracted; absent when it was. */
  problem?: string;
  undoneAt?: number;
  changes: LoggedChange[];
}

export interface KnownFact {
  id: string;
  text: string;
  kind: FactKind;
  /** ISO 8601: when it was first said. */
  saidAt: string;
  /** ISO 8601: since when it is true. */
  validFrom: string;
}

export interface Proposal {
  number: number;
  scope: MemoryScope;
  sessionKey: string;
  text: string;
  topic?: string;
  kind: FactKind;
  why: ProposalReason;
  saidAt: string;
  validFrom: string;
  sessionId: string;
  turnId: string;
  extraction: number;
  other?: string;
  otherText?: string;
}

export interface KeptExtraction {
  number: number;
  /** Of the facts that were added or confirmed. */
  ids: string[];
  proposals: number;
}

export interface DueOptions {
  now: number;
  /** How long a conversation has to rest. */
  restMs: number;
  limit: number;
  /** Also what was given up. */
  evenGivenUp?: boolean;
}

export interface FactStore {
  /** Lets an ended turn wait. Durable with the next write to the archive that is. */
  wait(turn: WaitingTurn): Promise<void>;
  /** The waiting turns of a session need not rest any longer. */
  hurry(sessionId: string): Promise<void>;
  /** Conversations that have rested for so long, or need not rest; the one that waits longest first. */
  due(options: DueOptions): Promise<WaitingConversation[]>;
  /** When the next conversation will be due; undefined when none waits. */
  nextDue(restMs: number): Promise<number | undefined>;
  waiting(): Promise<WaitingCounts>;
  /** These turns have no facts: they no longer wait. */
  drop(sessionId: string, turnIds: readonly string[]): Promise<void>;
  /**
   * Keeps the facts, the journal of it, and that the turns no longer wait, all or nothing; durable when it resolves. Undefined, and
   * nothing is kept, when one of the turns no longer waits, or a fact to be replaced is no longer valid.
   */
  keep(extraction: NewExtraction, termsOf: TermsOf): Promise<KeptExtraction | undefined>;
  /** Journals that the model's answers could not be used. The turns are given up: they wait for a person who wants them tried again. */
  keepProblem(extraction: Omit<NewExtraction, 'changes'> & { problem: string }): Promise<void>;
  /** The turns are tried again after this moment. */
  postpone(sessionId: string, turnIds: readonly string[], until: number): Promise<void>;
  /** Tokens of the extractions since a moment. */
  tokensSince(moment: number): Promise<number>;
  /** The newest first. */
  log(reader: MemoryReader, limit: number): Promise<Extraction[]>;
  /**
   * Removes what the extraction added; facts that it replaced are valid again. Undefined when the reader sees no such extraction, or it was undone.
   * Facts that a later extraction confirmed stay.
   */
  undo(reader: MemoryReader, number: number, at: number, termsOf: TermsOf): Promise<{ removed: number } | undefined>;
  /** Oldest first. */
  proposals(reader: MemoryReader): Promise<Proposal[]>;
  /** A person decided: the proposal becomes this fact, or nothing. False when there is no such proposal. */
  settleProposal(
    reader: MemoryReader,
    number: number,
    accepted: { document: NewDocument; at: number } | undefined,
    termsOf: TermsOf,
  ): Promise<boolean>;
  /** The newest facts that are valid now, with their text. */
  valid(reader: MemoryReader, limit: number): Promise<KnownFact[]>;
  /** How many facts are valid now, by kind. */
  counts(reader: MemoryReader): Promise<Partial<Record<FactKind, number>>>;
  /** The ids of facts that were said in a session and nowhere else, and of those said in one of these turns. */
  saidIn(sessionId: string, turnIds?: readonly string[]): Promise<string[]>;
  /** Removes everything of a session that is not a fact: waiting turns, proposals, sources. The journal keeps its numbers. */
  forgetSession(sessionId: string): Promise<void>;
}
