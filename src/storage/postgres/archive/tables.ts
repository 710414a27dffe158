// The tables of an archive. There are two archives in a database: memory, and the index of past conversations.

export type ArchiveName = 'archive' | 'history';

export interface ArchiveTables {
  name: ArchiveName;
  documents: string;
  chunks: string;
  terms: string;
  postings: string;
  state: string;
  totals: string;
  models: string;
  vectors: string;
  factWaiting: string;
  factSources: string;
  factExtractions: string;
  factChanges: string;
  factProposals: string;
}

export function archiveTables(name: ArchiveName): ArchiveTables {
  const [own, fact] =
    name === 'archive' ? ['lainclaw.archive_', 'lainclaw.fact_'] : ['lainclaw.history_', 'lainclaw.history_fact_'];
  return {
    name,
    documents: `${own}documents`,
    chunks: `${own}chunks`,
    terms: `${own}terms`,
    postings: `${own}postings`,
    state: `${own}state`,
    totals: `${own}totals`,
    models: `${own}models`,
    vectors: `${own}vectors`,
    factWaiting: `${fact}waiting`,
    factSources: `${fact}sources`,
    factExtractions: `${fact}extractions`,
    factChanges: `${fact}changes`,
    factProposals: `${fact}proposals`,
  };
}

export interface ArchiveState {
  generation: number;
  building: number | null;
  /** Of the terms in the index that is being built. */
  building_version: string | null;
  built_to: number | null;
  version: string | null;
}

export interface VectorModel {
  key: number;
  dimension: number;
  /** Counts every change of its vectors. */
  changes: number;
}
