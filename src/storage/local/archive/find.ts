// Finding chunks by their terms. Each term's chunks are read from the index, the rarest term first, and add the term's
// weight to each of them; the highest sums are the candidates. It stops before a term whose chunks would go beyond the
// budget: so common a word hardly changes the order, and the caller rescores from the text anyway.
import type { DatabaseSync } from 'node:sqlite';
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { ArchiveChunk, Around, Candidates } from '../../archive.ts';
import { POSTINGS_BUDGET, rarestFirst, TERMS_LIMIT, weightOf } from '../../archive-candidates.ts';
import { chunkColumns, chunkOf } from '../../archive-rows.ts';
import { indexName, read, readState } from './tables.ts';
import { type Visible, visibleChunks, visibleTo } from './visible.ts';

const READ_AT_ONCE = 200;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export function findCandidates(
  db: DatabaseSync,
  reader: MemoryReader,
  terms: readonly string[],
  { limit, among }: Wanted,
): Candidates {
  return read(db, () => {
    const visible = visibleChunks(db, reader);
    const allowed = among && chunksWithAny(db, among);
    const wanted = { limit, allowed };
    return visible ? candidatesAmong(db, visible, terms, wanted) : candidatesOfAll(db, terms, wanted);
  });
}

export function frequenciesFor(
  db: DatabaseSync,
  reader: MemoryReader,
  terms: readonly string[],
  upTo: number,
): Map<string, number> {
  return read(db, () => {
    const index = indexName(readState(db).generation);
    const visible = visibleChunks(db, reader);
    const few = db.prepare(`SELECT count(*) AS count FROM (SELECT 1 FROM ${index} WHERE ${index} MATCH ? LIMIT ?)`);
    const count = (term: string): number => {
      if (!visible) return Number(few.get(`"${term}"`, upTo)?.count);
      const ids = chunksWith(db, index, `"${term}"`, NO_LIMIT);
      return Math.min(upTo, ids.filter((id) => visible.has(id)).length);
    };
    return new Map(terms.map((term) => [term, count(term)]));
  });
}

interface Wanted {
  limit: number;
  /** Only chunks with one of these terms. */
  among?: readonly string[];
}

interface Allowed {
  limit: number;
  /** The newest first; undefined: every chunk. */
  allowed: ReadonlySet<number> | undefined;
}

function chunksWithAny(db: DatabaseSync, terms: readonly string[]): Set<number> {
  const index = indexName(readState(db).generation);
  const any = terms.map((term) => `"${term}"`).join(' OR ');
  return new Set(terms.length > 0 ? chunksWith(db, index, any, POSTINGS_BUDGET) : []);
}

/** Every number comes from the given chunks alone: a rank must not tell what is written in others. */
function candidatesAmong(
  db: DatabaseSync,
  visible: ReadonlyMap<number, number>,
  terms: readonly string[],
  { limit, allowed }: Allowed,
): Candidates {
  const index = indexName(readState(db).generation);
  const chunks = visible.size;
  const length = [...visible.values()].reduce((sum, each) => sum + each, 0);
  const sums = new Map<number, number>();
  const frequencies = new Map<string, number>();
  for (const term of chunks > 0 ? terms : []) {
    const ids = chunksWith(db, index, `"${term}"`, NO_LIMIT).filter((id) => visible.has(id));
    const weight = weightOf(chunks, ids.length);
    frequencies.set(term, ids.length);
    for (const id of ids) if (!allowed || allowed.has(id)) sums.set(id, (sums.get(id) ?? 0) + weight);
  }
  if (terms.length === 0) for (const id of allowed ?? []) if (visible.has(id)) sums.set(id, 0);
  const ids = [...sums].sort((a, b) => b[1] - a[1] || b[0] - a[0]).map(([id]) => id);
  return { chunks, averageLength: chunks > 0 ? length / chunks : 1, frequencies, ids: ids.slice(0, limit) };
}

function candidatesOfAll(db: DatabaseSync, terms: readonly string[], { limit, allowed }: Allowed): Candidates {
  const state = readState(db);
  const index = indexName(state.generation);
  const frequencies = frequenciesOf(db, index, terms);
  const averageLength = state.chunks > 0 ? state.length / state.chunks : 1;
  if (terms.length === 0)
    return { chunks: state.chunks, averageLength, frequencies, ids: [...(allowed ?? [])].slice(0, limit) };
  const known = rarestFirst(frequencies);
  const used = known.slice(0, TERMS_LIMIT);
  const largest = Number(db.prepare('SELECT max(id) AS id FROM archive_chunks').get()?.id ?? 0);
  const sums = new Float32Array(largest + 1);
  const touched: number[] = [];
  let budget = POSTINGS_BUDGET;
  for (const [position, [term, count]] of used.entries()) {
    if (position > 0 && count > budget) break;
    const weight = weightOf(state.chunks, count);
    for (const id of chunksWith(db, index, `"${term}"`, budget))
      if (!allowed || allowed.has(id)) accumulate(sums, touched, id, weight);
    budget -= count;
  }
  if (budget < 0 || used.length < known.length || touched.length >= POSTINGS_BUDGET) {
    // So many chunks hold even the rarest words that only the newest were read: those with all words come as well.
    const all = used.map(([term]) => `"${term}"`).join(' AND ');
    for (const id of chunksWith(db, index, all, limit))
      if (!allowed || allowed.has(id)) accumulate(sums, touched, id, 1);
  }
  return { chunks: state.chunks, averageLength, frequencies, ids: best(touched, sums, limit) };
}

function frequenciesOf(db: DatabaseSync, index: string, terms: readonly string[]): Map<string, number> {
  const count = db.prepare(`SELECT doc FROM ${index}_terms WHERE term = ?`);
  return new Map(terms.map((term) => [term, Number(count.get(term)?.doc ?? 0)]));
}

export function termsBeginning(db: DatabaseSync, head: string, limit: number): string[] {
  return read(db, () =>
    db
      .prepare(`SELECT term FROM ${indexName(readState(db).generation)}_terms WHERE term >= ? AND term <= ? LIMIT ?`)
      .all(head, `${head}\u{10ffff}`, limit)
      .map((row) => String(row.term)),
  );
}

/** The newest first, as one text: a row for each would cost ten times as much. */
function chunksWith(db: DatabaseSync, index: string, expression: string, limit: number): number[] {
  const row = db
    .prepare(
      `SELECT group_concat(rowid) AS ids FROM (SELECT rowid FROM ${index} WHERE ${index} MATCH ? ORDER BY rowid DESC LIMIT ?)`,
    )
    .get(expression, Math.max(1, limit));
  return parseIds((row?.ids as string | null) ?? '');
}

function parseIds(text: string): number[] {
  const ids: number[] = [];
  let id = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x2c) {
      ids.push(id);
      id = 0;
    } else id = id * 10 + code - 0x30;
  }
  if (text !== '') ids.push(id);
  return ids;
}

function accumulate(sums: Float32Array, touched: number[], id: number, weight: number): void {
  // Written after the largest id was read: not part of this view.
  if (id >= sums.length) return;
  if (sums[id] === 0) touched.push(id);
  sums[id] = (sums[id] ?? 0) + weight;
}

/** The highest sums without sorting them all: a threshold from a histogram, then a sort of what is above. */
function best(touched: readonly number[], sums: Float32Array, limit: number): number[] {
  let kept: readonly number[] = touched;
  if (touched.length > limit * 4) {
    const sample = Float32Array.from(touched, (id) => sums[id] ?? 0).sort();
    const threshold = sample[sample.length - limit] ?? 0;
    kept = touched.filter((id) => (sums[id] ?? 0) >= threshold);
  }
  return [...kept].sort((a, b) => (sums[b] ?? 0) - (sums[a] ?? 0) || b - a).slice(0, limit);
}

const CHUNKS = `${chunkColumns('archive_chunks')} FROM archive_chunks c JOIN archive_documents d ON d.key = c.document`;

export function readChunks(db: DatabaseSync, reader: MemoryReader, ids: readonly number[]): ArchiveChunk[] {
  const { sql, scopes } = visibleTo(reader);
  const found = new Map<number, ArchiveChunk>();
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    const some = ids.slice(from, from + READ_AT_ONCE);
    const places = some.map(() => '?').join(',');
    const rows = db.prepare(`SELECT ${CHUNKS} WHERE c.id IN (${places}) AND ${sql}`).all(...some, ...scopes);
    for (const row of rows) found.set(Number(row.id), chunkOf(row));
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

export function chunksOfDocument(db: DatabaseSync, id: string): ArchiveChunk[] {
  return db.prepare(`SELECT ${CHUNKS} WHERE d.id = ? ORDER BY c.position`).all(id).map(chunkOf);
}

export function chunksAround(
  db: DatabaseSync,
  reader: MemoryReader,
  chunks: readonly { id: number; session: string }[],
  distance: number,
): Around[] {
  const visible = visibleTo(reader);
  const before = db.prepare(neighbours('c.id < ? ORDER BY c.id DESC', visible));
  const after = db.prepare(neighbours('c.id > ? ORDER BY c.id', visible));
  return chunks.map(({ id, session }) => ({
    before: before.all(session, ...visible.scopes, id, distance).map((row) => Number(row.id)),
    after: after.all(session, ...visible.scopes, id, distance).map((row) => Number(row.id)),
  }));
}

function neighbours(direction: string, { sql }: Visible): string {
  return `SELECT c.id FROM archive_chunks c JOIN archive_documents d ON d.key = c.document
    WHERE c.session = ? AND ${sql} AND ${direction} LIMIT ?`;
}
