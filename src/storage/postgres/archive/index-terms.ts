// Chunks in the index of one generation.
import type { Query } from '../database.ts';
import type { ArchiveTables } from './tables.ts';

export interface ChunkTerms {
  chunk: number;
  scope: string;
  terms: readonly string[];
}

/** Chunks of one statement. */
const AT_ONCE = 500;

export async function indexChunks(
  query: Query,
  tables: ArchiveTables,
  generation: number,
  chunks: readonly ChunkTerms[],
): Promise<void> {
  for (let from = 0; from < chunks.length; from += AT_ONCE) {
    const some = chunks.slice(from, from + AT_ONCE);
    await query(
      `WITH added AS MATERIALIZED (
         SELECT chunk, scope, string_to_array(terms, ' ') AS terms FROM unnest($2::bigint[], $3::text[], $4::text[]) AS a (chunk, scope, terms)
       ), named AS (
         INSERT INTO ${tables.terms} (generation, chunk, terms) SELECT $1, chunk, terms FROM added
       )
       INSERT INTO ${tables.postings} (generation, term, scope, chunk)
       SELECT $1, term, scope, chunk FROM added, unnest(terms) AS term`,
      [
        generation,
        some.map(({ chunk }) => chunk),
        some.map(({ scope }) => scope),
        some.map(({ terms }) => [...new Set(terms)].join(' ')),
      ],
    );
  }
}

/** From every generation. */
export async function unindexChunks(query: Query, tables: ArchiveTables, chunks: readonly number[]): Promise<void> {
  await query(
    `WITH gone AS (DELETE FROM ${tables.terms} WHERE chunk = ANY ($1::bigint[]) RETURNING generation, chunk, terms)
     DELETE FROM ${tables.postings} p USING gone, ${tables.chunks} c, unnest(gone.terms) AS named
     WHERE c.id = gone.chunk AND p.generation = gone.generation AND p.term = named AND p.scope = c.scope AND p.chunk = gone.chunk`,
    [chunks],
  );
}
