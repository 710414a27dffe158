// Finding chunks by their terms, as the local archive does: the rarest terms first, each adds its weight to the chunks that hold it, and the highest sums are
// the candidates. The database counts, adds up and sorts; weights and limits are those of archive-candidates.ts.
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { Candidates } from '../../archive.ts';
import { POSTINGS_BUDGET, rarestFirst, TERMS_LIMIT, weightOf } from '../../archive-candidates.ts';
import type { Query } from '../database.ts';
import { PLANNED_EACH_TIME } from '../statement-names.ts';
import type { ArchiveTables } from './tables.ts';
import { readTotals } from './totals.ts';
import { isVisible, scopesOf } from './visible.ts';

const NO_LIMIT = 2 ** 31 - 1;

export interface FindOptions {
  limit: number;
  /** Only chunks with one of these terms. */
  among?: readonly string[];
}

interface UsedTerm {
  term: string;
  weight: number;
}

export async function findCandidates(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  terms: readonly string[],
  { limit, among }: FindOptions,
): Promise<Candidates> {
  const [{ chunks, length }, frequencies] = await Promise.all([
    readTotals(query, tables, reader),
    countTerms(query, tables, reader, terms, NO_LIMIT),
  ]);
  const found = { chunks, averageLength: chunks > 0 ? length / chunks : 1, frequencies };
  if (terms.length === 0) return { ...found, ids: among ? await newestAmong(query, tables, reader, among, limit) : [] };
  const { used, isCut } = usedTerms(frequencies, chunks, reader);
  if (used.length === 0) return { ...found, ids: [] };
  const ids = await highestSums(query, tables, reader, { used, limit, among, withAll: isCut });
  return { ...found, ids };
}

/** Counted no farther than `upTo`. */
export async function countTerms(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  terms: readonly string[],
  upTo: number,
): Promise<Map<string, number>> {
  if (terms.length === 0) return new Map();
  const rows = await query<{ term: string; count: number }>(
    `${PLANNED_EACH_TIME}SELECT wanted.term, (SELECT count(*) FROM (
         SELECT 1 FROM ${tables.postings} p WHERE p.generation = s.generation AND p.term = wanted.term AND ${isVisible('p', 2)} LIMIT $3) held) AS count
     FROM ${tables.state} s, unnest($1::text[]) AS wanted (term)`,
    [terms, scopesOf(reader), upTo],
  );
  const counts = new Map(rows.map(({ term, count }) => [term, count]));
  return new Map(terms.map((term) => [term, counts.get(term) ?? 0]));
}

/** `isCut`: so many chunks hold even the rarest words that not all of them are read. A reader of some scopes has few chunks: all are read. */
function usedTerms(
  frequencies: ReadonlyMap<string, number>,
  chunks: number,
  { sees }: MemoryReader,
): { used: UsedTerm[]; isCut: boolean } {
  const known = rarestFirst(frequencies);
  const used: UsedTerm[] = [];
  let budget = sees === 'everything' ? POSTINGS_BUDGET : Number.POSITIVE_INFINITY;
  for (const [term, count] of sees === 'everything' ? known.slice(0, TERMS_LIMIT) : known) {
    if (used.length > 0 && count > budget) break;
    used.push({ term, weight: weightOf(chunks, count) });
    budget -= count;
  }
  const isCut = sees === 'everything' && (budget < 0 || known.length > TERMS_LIMIT);
  return { used, isCut };
}

/** `withAll`: chunks that hold every term count as well, however old they are. */
async function highestSums(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  { used, limit, among, withAll }: FindOptions & { used: readonly UsedTerm[]; withAll: boolean },
): Promise<number[]> {
  // Among the chunks with the rarest term.
  const holdingAll = `UNION ALL SELECT whole.chunk, 1 FROM (
      SELECT p.chunk FROM ${tables.state} s JOIN ${tables.postings} p ON p.generation = s.generation
      WHERE p.term = ($1::text[])[1] AND ${isVisible('p', 3)} AND NOT EXISTS (
        SELECT 1 FROM unnest($1::text[]) AS other (term) WHERE NOT EXISTS (
          SELECT 1 FROM ${tables.postings} q
          WHERE q.generation = p.generation AND q.term = other.term AND q.scope = p.scope AND q.chunk = p.chunk))
      ORDER BY p.chunk DESC LIMIT $4) whole`;
  const rows = await query<{ chunk: number }>(
    `${PLANNED_EACH_TIME}SELECT found.chunk FROM (
       SELECT held.chunk, wanted.weight FROM ${tables.state} s, unnest($1::text[], $2::float8[]) AS wanted (term, weight),
         LATERAL (
           SELECT p.chunk FROM ${tables.postings} p
           WHERE p.generation = s.generation AND p.term = wanted.term AND ${isVisible('p', 3)}
           ${withAll ? `ORDER BY p.chunk DESC LIMIT ${POSTINGS_BUDGET}` : ''}) held
       ${withAll ? holdingAll : ''}
     ) found
     ${among ? `WHERE found.chunk IN (${CHUNKS_AMONG(tables, 5, 3)})` : ''}
     GROUP BY found.chunk ORDER BY sum(found.weight)::float4 DESC, found.chunk DESC LIMIT $4`,
    [
      used.map(({ term }) => term),
      used.map(({ weight }) => weight),
      scopesOf(reader),
      limit,
      ...(among ? [among] : []),
    ],
  );
  return rows.map(({ chunk }) => chunk);
}

/** The chunks that hold one of the terms in parameter `terms`, for the scopes in parameter `scopes`. */
const CHUNKS_AMONG = (tables: ArchiveTables, terms: number, scopes: number): string =>
  `SELECT a.chunk FROM ${tables.state} n JOIN ${tables.postings} a ON a.generation = n.generation
   WHERE a.term = ANY ($${terms}::text[]) AND ${isVisible('a', scopes)}`;

async function newestAmong(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  among: readonly string[],
  limit: number,
): Promise<number[]> {
  const rows = await query<{ chunk: number }>(
    `${PLANNED_EACH_TIME}SELECT DISTINCT chunk FROM (${CHUNKS_AMONG(tables, 1, 2)}) found ORDER BY chunk DESC LIMIT $3`,
    [among, scopesOf(reader), limit],
  );
  return rows.map(({ chunk }) => chunk);
}

/** Jumps from one term to the next, however many chunks hold each. */
export async function termsBeginning(
  query: Query,
  tables: ArchiveTables,
  head: string,
  limit: number,
): Promise<string[]> {
  const next = (condition: string): string =>
    `SELECT p.term FROM ${tables.postings} p WHERE p.generation = s.generation AND ${condition} AND starts_with(p.term, $1) ORDER BY p.term LIMIT 1`;
  const rows = await query<{ term: string }>(
    `WITH RECURSIVE s AS (SELECT generation FROM ${tables.state}), found (term) AS (
       (SELECT first.term FROM s, LATERAL (${next('p.term >= $1 AND p.term < $3')}) first)
       UNION ALL
       SELECT (SELECT following.term FROM s, LATERAL (${next('p.term > found.term AND p.term < $3')}) following)
       FROM found WHERE found.term IS NOT NULL
     )
     SELECT term FROM found WHERE term IS NOT NULL LIMIT $2`,
    [head, limit, `${head}\u{10ffff}`],
  );
  return rows.map(({ term }) => term);
}
