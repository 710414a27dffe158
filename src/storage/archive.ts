// The contract of the archive: texts cut into chunks that can be found by their terms and, where there is an embedding
// model, by their vectors. Storage keeps and finds; memory/ defines terms and ranks hits.

import type { FactKind } from '../vocabulary/fact.ts';
import type { MemoryScope } from '../vocabulary/memory-scope.ts';
import type { Redaction } from './redaction.ts';

/** What the terms of a chunk are made of. */
export interface IndexedChunk {
  context: string;
  text: string;
  /** Of its document. */
  date: string;
  speaker?: string;
}

/** A term that begins with it is found like any other and does not count for the length of a chunk: it is not a word. */
export const MARK = '§';

/** How long a chunk is: the number of its words. */
export function lengthOf(terms: readonly string[]): number {
  return terms.reduce((length, term) => (term.startsWith(MARK) ? length : length + 1), 0);
}

/** The terms of a chunk. It must give the same terms for the same chunk, or the chunk cannot be removed from the index. */
export type TermsOf = (chunk: IndexedChunk) => readonly string[];

export interface ArchiveDocument {
  id: string;
  /** Whose it is. */
  scope: MemoryScope;
  /** Where it came from: "manual", a file's path, "session:<key>". */
  source: string;
  title?: string;
  /** ISO 8601: when it was said or written; the day it was saved when nothing else is known. */
  date: string;
  speaker?: string;
  session?: string;
  /** Hash of the whole text: in a scope, the same text from the same source is kept once. */
  hash: string;
  /** The document that replaced this one. */
  supersededBy?: string;
  /** Set when it is a fact that was extracted from a conversation. */
  kind?: FactKind;
  /** ISO 8601: since when it is true; absent: since its date. */
  validFrom?: string;
  /** ISO 8601: when what replaced it became true. */
  validUntil?: string;
}

export interface NewDocument extends Omit<ArchiveDocument, 'supersededBy' | 'validUntil' | 'scope'> {
  chunks: readonly { context: string; text: string }[];
  /** The document this one replaces; ids that the reader cannot see are refused like unknown ones. */
  supersedes?: string;
}

export interface ArchiveChunk {
  id: number;
  document: ArchiveDocument;
  /** Position in the document, from 0. */
  position: number;
  /** The headings above the chunk. */
  context: string;
  text: string;
  /** Number of terms without marks. */
  length: number;
  /** How many chunks its document has. */
  chunksOfDocument: number;
}

export interface Candidates {
  /** Number of chunks that the reader sees. */
  chunks: number;
  averageLength: number;
  /** Number of chunks that contain each term of the query. */
  frequencies: ReadonlyMap<string, number>;
  /** The most promising first. */
  ids: number[];
}

/** What kind of source a document came from. */
export type DocumentKind = 'notes' | 'files' | 'conversations' | 'facts';

export interface ArchiveSummary {
  documents: number;
  chunks: number;
  /** ISO 8601: the earliest and the latest date of a document; absent when there is none. */
  oldest?: string;
  newest?: string;
  kinds: Partial<Record<DocumentKind, number>>;
  /** The largest first. */
  scopes: { scope: MemoryScope; documents: number }[];
}

export interface Listed extends ArchiveDocument {
  chunks: number;
  /** The beginning of the text. */
  head: string;
}

export interface IndexProgress {
  done: number;
  total: number;
}

export interface PendingChunk {
  id: number;
  context: string;
  text: string;
}

export interface Pending {
  chunks: PendingChunk[];
  /** The last chunk that was checked: the next call continues after it. Undefined at the end. */
  upTo: number | undefined;
}

export interface Around {
  before: number[];
  after: number[];
}

export interface VectorHit {
  id: number;
  similarity: number;
}

/**
 * The archive as one reader sees it. Documents that the reader may not see do not exist here: they are not found, counted in a
 * rank, listed, replaced or removed. What is added belongs to the reader's scope. Indexes and vectors are kept for all together.
 */
export interface Archive {
  /**
   * Resolves only after every document would survive a power cut; all of one call are kept, or none. A text that its
   * source has already is skipped. Returns for each document its id and whether it is new.
   */
  add(documents: readonly NewDocument[], termsOf: TermsOf): Promise<{ id: string; added: boolean }[]>;
  get(id: string): Promise<{ document: ArchiveDocument; chunks: ArchiveChunk[] } | undefined>;
  /** The newest first. */
  list(options: { limit: number; source?: string }): Promise<Listed[]>;
  /** How much there is. Reads every document once. */
  summary(): Promise<ArchiveSummary>;
  /** The newest documents that are not turns of conversations. */
  latest(limit: number): Promise<Listed[]>;
  /** Ids of every document of a source. */
  idsOf(source: string): Promise<string[]>;
  /** Documents that hold the text in their words, headings, title, source or speaker, with the beginning of each. */
  holding(redaction: Redaction): Promise<Listed[]>;
  /** Ids of every document of a session. */
  idsOfSession(session: string): Promise<string[]>;
  /** Every document whose source begins with `head`. */
  documentsBeginning(head: string): Promise<Pick<ArchiveDocument, 'id' | 'source' | 'hash'>[]>;
  /** Removes text, terms and vectors; nothing of them is left in the file afterwards. Returns the number of removed documents. */
  remove(ids: readonly string[], termsOf: TermsOf): Promise<number>;
  /**
   * Chunks that contain any of the terms, at most `limit`; the rarest terms decide. With `among`, only chunks that contain one
   * of those terms as well, and without any other term the newest of them.
   */
  candidates(terms: readonly string[], limit: number, options?: { among?: readonly string[] }): Promise<Candidates>;
  /** Number of chunks that contain each of the terms, counted no farther than `upTo`: common terms cost no more than rare ones. */
  frequencies(terms: readonly string[], options: { upTo: number }): Promise<ReadonlyMap<string, number>>;
  /** Terms of the index that begin with `head`, at most `limit`. Only for a reader who sees everything; others get none. */
  termsBeginning(head: string, limit: number): Promise<string[]>;
  /** Chunks in the order of the ids; missing ones are left out. */
  read(ids: readonly number[]): Promise<ArchiveChunk[]>;
  /** Of each document that was replaced, the first chunk of the one that holds now, by the id of the replaced one. */
  replacementsOf(ids: readonly string[]): Promise<Map<string, ArchiveChunk>>;
  /** The first chunk of each fact that one of these documents replaced. */
  replacedBy(ids: readonly string[]): Promise<ArchiveChunk[]>;
  /** The first chunk of each fact and note of the reader's own scope that was replaced, the last one first. What was said in conversations is neither. */
  lastReplaced(limit: number): Promise<ArchiveChunk[]>;
  /** For each chunk, those of its session at most `distance` places away, the nearest first. */
  around(chunks: readonly { id: number; session: string }[], distance: number): Promise<Around[]>;
  /** Builds a new index beside the old one and swaps them; a kill leaves the old one whole. */
  rebuild(termsOf: TermsOf, options: RebuildOptions): Promise<{ chunks: number }>;
  /** The version of the terms that the last rebuild made; undefined before the first one. */
  indexVersion(): Promise<string | undefined>;

  /**
   * Chunks after the given id that have no vector of this model yet. Checks a bounded number of chunks, so that it is fast
   * however large the archive is: an empty result does not mean that there is none after `upTo`.
   */
  pending(model: string, options: { after: number; limit: number }): Promise<Pending>;
  /** Vectors of one model have one dimension: another is refused. Chunks removed meanwhile are skipped. */
  putVectors(model: string, vectors: readonly { id: number; vector: Float32Array }[]): Promise<void>;
  /** Compares the bits of the vectors first, then rescores the best exactly. */
  nearest(model: string, vector: Float32Array, limit: number): Promise<VectorHit[]>;
  /** Why `nearest` finds nothing although there are vectors, where that is known. */
  whyNotNearest?(model: string): Promise<string | undefined>;
  /** The similarity of the given chunks, the nearest first; chunks without a vector of this model are left out. */
  similar(model: string, vector: Float32Array, ids: readonly number[]): Promise<VectorHit[]>;
  /** Of the chunks that the reader sees. */
  embedded(model: string): Promise<IndexProgress>;
  /** Records the model that was chosen last: a process with another model does not change vectors. */
  wantModel(model: string): Promise<void>;
  wantedModel(): Promise<string | undefined>;
  /** Removes the vectors of every other model (undefined: of all), in batches; an interrupted call can be repeated. */
  keepOnlyVectorsOf(model: string | undefined, options?: { signal?: AbortSignal }): Promise<void>;
}

export interface RebuildOptions {
  version: string;
  /** Keep an index that already has this version: another process was faster. */
  unlessCurrent?: boolean;
  /** Chunks of one transaction: few, where others wait meanwhile. */
  batch?: number;
  signal?: AbortSignal;
  onProgress?: (progress: IndexProgress) => void;
}
