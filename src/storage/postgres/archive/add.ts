// Saving: documents, chunks and terms in one short transaction.
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import { lengthOf, type NewDocument, type TermsOf } from '../../archive.ts';
import { StorageError } from '../../storage.ts';
import type { Query } from '../database.ts';
import { withoutZeros } from '../zero-bytes.ts';
import { shareIndex } from './index-lock.ts';
import { indexChunks } from './index-terms.ts';
import type { ArchiveTables } from './tables.ts';
import { addToTotals } from './totals.ts';
import { isVisible, scopesOf } from './visible.ts';

export interface Prepared {
  reader: MemoryReader;
  document: NewDocument;
  /** Of each chunk, computed before the transaction: it must be short. */
  terms: readonly (readonly string[])[];
}

export function prepareDocuments(
  documents: readonly NewDocument[],
  reader: MemoryReader,
  termsOf: TermsOf,
): Prepared[] {
  return documents.map((given) => {
    const document = storable(given);
    return { reader, document, terms: document.chunks.map((chunk) => termsOf({ ...chunk, ...document })) };
  });
}

/** Within a transaction of the caller's. */
export async function insertDocuments(
  query: Query,
  tables: ArchiveTables,
  prepared: readonly Prepared[],
): Promise<{ id: string; added: boolean }[]> {
  if (prepared.length === 0) return [];
  const { generation } = await shareIndex(query, tables);
  const keys = await insertRows(query, tables, prepared);
  const known = await findKnown(
    query,
    tables,
    prepared.filter(({ document }) => !keys.has(document.id)),
  );
  for (const { reader, document } of prepared) {
    const { id, supersedes, validFrom, date } = document;
    if (supersedes === undefined) continue;
    const by = known.get(id) ?? id;
    await supersede(query, tables, { reader, old: supersedes, by, from: validFrom ?? date });
  }
  const added = prepared.filter(({ document }) => keys.has(document.id));
  await insertChunks(query, tables, generation, { added, keys });
  return prepared.map(({ document: { id } }) => {
    const other = known.get(id);
    return other === undefined ? { id, added: true } : { id: other, added: false };
  });
}

/** The keys of those that are new, by id. */
async function insertRows(
  query: Query,
  tables: ArchiveTables,
  prepared: readonly Prepared[],
): Promise<Map<string, number>> {
  const column = (name: keyof NewDocument): unknown[] => prepared.map(({ document }) => document[name] ?? null);
  const rows = await query<{ id: string; key: number }>(
    `INSERT INTO ${tables.documents} (id, scope, source, title, date, speaker, session, hash, kind, valid_from)
     SELECT id, scope, source, title, date, speaker, session, hash, kind, valid_from
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
       WITH ORDINALITY AS d (id, scope, source, title, date, speaker, session, hash, kind, valid_from, ordinality)
     ORDER BY ordinality ON CONFLICT (hash, scope, md5(source)) DO NOTHING RETURNING id, key`,
    [
      column('id'),
      prepared.map(({ reader }) => reader.scope),
      ...(['source', 'title', 'date', 'speaker', 'session', 'hash', 'kind', 'validFrom'] as const).map(column),
    ],
  );
  return new Map(rows.map(({ id, key }) => [id, key]));
}

/** The ids of what has the same text, by the ids that were given. Locked until the end of the transaction: it cannot be forgotten while something comes to refer to it. */
async function findKnown(
  query: Query,
  tables: ArchiveTables,
  repeated: readonly Prepared[],
): Promise<Map<string, string>> {
  if (repeated.length === 0) return new Map();
  const rows = await query<{ given: string; id: string }>(
    `SELECT r.given, d.id FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS r (given, source, hash, scope)
     JOIN ${tables.documents} d ON d.hash = r.hash AND d.scope = r.scope AND md5(d.source) = md5(r.source)
     FOR KEY SHARE OF d`,
    [
      repeated.map(({ document }) => document.id),
      repeated.map(({ document }) => document.source),
      repeated.map(({ document }) => document.hash),
      repeated.map(({ reader }) => reader.scope),
    ],
  );
  if (rows.length >= repeated.length) return new Map(rows.map(({ given, id }) => [given, id]));
  throw new StorageError('STORAGE_BUSY', 'the same text was forgotten at this moment: save it again');
}

async function insertChunks(
  query: Query,
  tables: ArchiveTables,
  generation: number,
  { added, keys }: { added: readonly Prepared[]; keys: ReadonlyMap<string, number> },
): Promise<void> {
  const chunks = added.flatMap(({ reader, document, terms }) =>
    document.chunks.map(({ context, text }, position) => {
      const own = terms[position] ?? [];
      const { session = null } = document;
      const key = keys.get(document.id) ?? 0;
      return { key, position, session, scope: reader.scope, length: lengthOf(own), context, text, terms: own };
    }),
  );
  if (chunks.length === 0) return;
  const column = <Name extends keyof (typeof chunks)[number]>(name: Name) => chunks.map((chunk) => chunk[name]);
  const rows = await query<{ id: number; document: number; position: number }>(
    `INSERT INTO ${tables.chunks} (document, position, session, scope, length, context, text)
     SELECT document, position, session, scope, length, context, text
     FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::text[])
       WITH ORDINALITY AS c (document, position, session, scope, length, context, text, ordinality)
     ORDER BY ordinality RETURNING id, document, position`,
    [
      column('key'),
      column('position'),
      column('session'),
      column('scope'),
      column('length'),
      column('context'),
      column('text'),
    ],
  );
  const ids = new Map(rows.map(({ id, document, position }) => [`${document} ${position}`, id]));
  await indexChunks(
    query,
    tables,
    generation,
    chunks.map(({ key, position, scope, terms }) => ({ chunk: ids.get(`${key} ${position}`) ?? 0, scope, terms })),
  );
  await addToTotals(
    query,
    tables,
    chunks.map(({ scope, length }) => ({ scope, chunks: 1, length })),
  );
}

async function supersede(
  query: Query,
  tables: ArchiveTables,
  { reader, old, by, from }: { reader: MemoryReader; old: string; by: string; from: string },
): Promise<void> {
  const replaced = await query(
    `UPDATE ${tables.documents} d SET superseded_by = $1, valid_until = $2
     WHERE d.id = $3 AND d.id <> $1 AND ${isVisible('d', 4)} RETURNING 1`,
    [by, from, old, scopesOf(reader)],
  );
  if (replaced.length === 0) {
    const reason = old === by ? 'the same text cannot replace itself' : `there is no memory "${old}"`;
    throw new StorageError('STORAGE_FAILED', `${reason}: "lainclaw memory list" shows what could be replaced`);
  }
  // It was saved again: it is valid now, whatever had replaced it.
  await query(`UPDATE ${tables.documents} SET superseded_by = NULL, valid_until = NULL WHERE id = $1`, [by]);
}

/** PostgreSQL's text takes no zero character. */
function storable(document: NewDocument): NewDocument {
  const clean = <T>(value: T): T => (typeof value === 'string' ? (withoutZeros(value) as T) : value);
  const entries = Object.entries(document).map(([name, value]) => [name, clean(value)]);
  const chunks = document.chunks.map(({ context, text }) => ({ context: clean(context), text: clean(text) }));
  return { ...(Object.fromEntries(entries) as NewDocument), chunks };
}
