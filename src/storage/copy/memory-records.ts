// The memory archive, as a copy reads and adds it: texts by their ids, what replaced what, and vectors. Numbers of documents and chunks are given by the target,
// and the index of terms is made there. Both databases have the same tables, so that one way of reading them is enough.
import type { MemoryScope } from '../../vocabulary/memory-scope.ts';
import type { NewDocument, TermsOf } from '../archive.ts';
import type { SharedArchive } from '../shared-archive.ts';
import type { CopiedRecord, FieldValue, RecordSet } from './record-set.ts';

export interface MemoryTables {
  /** Runs a statement with `?` for each value. No row where there are no tables yet. */
  rows(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Before the name of a table. */
  schema: string;
  /** Only asked for when something is added. */
  archive(): Promise<SharedArchive>;
}

const PAGE = 100;
const VECTORS_PAGE = 500;
const COLUMNS = ['source', 'title', 'date', 'speaker', 'session', 'hash', 'kind', 'valid_from'] as const;

export function memoryRecords(tables: MemoryTables, termsOf: TermsOf): RecordSet[] {
  return [texts(tables, termsOf), replacements(tables), vectors(tables)];
}

type Row = Readonly<Record<string, unknown>>;

const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value.replaceAll('\0', '') : null);

async function countOf({ rows, schema }: MemoryTables, table: string, condition = 'TRUE'): Promise<number> {
  const [row] = await rows(`SELECT count(*) AS count FROM ${schema}${table} WHERE ${condition}`);
  return Number(row?.count ?? 0);
}

function texts(tables: MemoryTables, termsOf: TermsOf): RecordSet {
  const { rows, schema } = tables;
  const [documents, chunks] = [`${schema}archive_documents`, `${schema}archive_chunks`];

  async function withChunks(found: readonly Row[]): Promise<CopiedRecord[]> {
    if (found.length === 0) return [];
    const parts = await rows(
      `SELECT document, context, text FROM ${chunks} WHERE document IN (${marks(found.length)}) ORDER BY document, position`,
      found.map(({ key }) => key),
    );
    const byDocument = Map.groupBy(parts, ({ document }) => Number(document));
    return found.map((row) => {
      const own = byDocument.get(Number(row.key)) ?? [];
      const fields: Record<string, FieldValue> = { scope: String(row.scope) };
      for (const name of COLUMNS) fields[name] = textOf(row[name]);
      fields.chunks = JSON.stringify(own.map(({ context, text }) => [textOf(context), textOf(text)]));
      return { key: String(row.id), fields };
    });
  }

  return {
    kind: 'memory',
    count: () => countOf(tables, 'archive_documents'),
    async *pages() {
      for (let after = 0; ; ) {
        const page = await rows(`SELECT * FROM ${documents} WHERE key > ? ORDER BY key LIMIT ${PAGE}`, [after]);
        const last = page.at(-1);
        if (!last) return;
        yield await withChunks(page);
        after = Number(last.key);
      }
    },
    async find(records) {
      const byId = await rows(
        `SELECT * FROM ${documents} WHERE id IN (${marks(records.length)})`,
        records.map(({ key }) => key),
      );
      const byHash = await rows(
        `SELECT * FROM ${documents} WHERE hash IN (${marks(records.length)})`,
        records.map(({ fields }) => fields.hash),
      );
      const there = await withChunks([...new Map([...byId, ...byHash].map((row) => [row.id, row])).values()]);
      const found = new Map<string, CopiedRecord[]>();
      for (const { key, fields } of records) {
        const same = there.filter((other) => other.key === key || isSameText(other.fields, fields));
        if (same.length > 0) found.set(key, same);
      }
      return found;
    },
    async add(records) {
      const archive = await tables.archive();
      for (const [scope, own] of Map.groupBy(records, ({ fields }) => fields.scope as MemoryScope))
        await archive.as({ scope, sees: [scope] }).add(
          own.map(({ key, fields }) => documentOf(key, fields)),
          termsOf,
        );
    },
  };
}

/** In a scope, the same text from the same source is kept once. */
function isSameText(one: CopiedRecord['fields'], other: CopiedRecord['fields']): boolean {
  return (['hash', 'scope', 'source'] as const).every((name) => one[name] === other[name]);
}

function documentOf(id: string, fields: CopiedRecord['fields']): NewDocument {
  const optional = (name: string): string | undefined => (fields[name] as string | null) ?? undefined;
  const parts = JSON.parse(String(fields.chunks)) as [context: string, text: string][];
  return {
    id,
    source: String(fields.source),
    title: optional('title'),
    date: String(fields.date),
    speaker: optional('speaker'),
    session: optional('session'),
    hash: String(fields.hash),
    kind: optional('kind') as NewDocument['kind'],
    validFrom: optional('valid_from'),
    chunks: parts.map(([context, text]) => ({ context, text })),
  };
}

function replacements(tables: MemoryTables): RecordSet {
  const documents = `${tables.schema}archive_documents`;
  const select = `SELECT key, id, superseded_by, valid_until FROM ${documents} WHERE superseded_by IS NOT NULL`;
  const recordOf = ({ id, superseded_by, valid_until }: Row): CopiedRecord => ({
    key: String(id),
    fields: { superseded_by: textOf(superseded_by), valid_until: textOf(valid_until) },
  });
  return {
    kind: 'what replaced what in memory',
    count: () => countOf(tables, 'archive_documents', 'superseded_by IS NOT NULL'),
    async *pages() {
      for (let after = 0; ; ) {
        const page = await tables.rows(`${select} AND key > ? ORDER BY key LIMIT ${PAGE}`, [after]);
        const last = page.at(-1);
        if (!last) return;
        yield page.map(recordOf);
        after = Number(last.key);
      }
    },
    async find(records) {
      const found = await tables.rows(
        `${select} AND id IN (${marks(records.length)})`,
        records.map(({ key }) => key),
      );
      return new Map(found.map(recordOf).map((record) => [record.key, [record]]));
    },
    async add(records) {
      for (const { key, fields } of records)
        await tables.rows(
          `UPDATE ${documents} SET superseded_by = ?, valid_until = ? WHERE id = ? AND superseded_by IS NULL`,
          [fields.superseded_by, fields.valid_until, key],
        );
    },
  };
}

function vectors(tables: MemoryTables): RecordSet {
  const { rows, schema } = tables;
  const select = `SELECT v.model, v.chunk, v.vector, m.name, d.id, c.position FROM ${schema}archive_vectors v
    JOIN ${schema}archive_models m ON m.key = v.model JOIN ${schema}archive_chunks c ON c.id = v.chunk
    JOIN ${schema}archive_documents d ON d.key = c.document`;
  const recordOf = (row: Row): CopiedRecord => {
    const [document, model, position] = [String(row.id), String(row.name), Number(row.position)];
    const vector = Uint8Array.from(row.vector as Uint8Array);
    return { key: `${model} ${document} ${position}`, fields: { document, model, position, vector } };
  };
  return {
    kind: 'vectors of memory',
    count: () => countOf(tables, 'archive_vectors'),
    async *pages() {
      for (let after: [model: number, chunk: number] = [-1, 0]; ; ) {
        const page = await rows(
          `${select} WHERE (v.model, v.chunk) > (?, ?) ORDER BY v.model, v.chunk LIMIT ${VECTORS_PAGE}`,
          after,
        );
        const last = page.at(-1);
        if (!last) return;
        yield page.map(recordOf);
        after = [Number(last.model), Number(last.chunk)];
      }
    },
    async find(records) {
      const ids = [...new Set(records.map(({ fields }) => String(fields.document)))];
      const found = (await rows(`${select} WHERE d.id IN (${marks(ids.length)})`, ids)).map(recordOf);
      const wanted = new Set(records.map(({ key }) => key));
      return new Map(found.flatMap((record) => (wanted.has(record.key) ? [[record.key, [record]]] : [])));
    },
    async add(records) {
      const ids = [...new Set(records.map(({ fields }) => String(fields.document)))];
      const chunks = await rows(
        `SELECT d.id, c.position, c.id AS chunk FROM ${schema}archive_chunks c JOIN ${schema}archive_documents d ON d.key = c.document
         WHERE d.id IN (${marks(ids.length)})`,
        ids,
      );
      const byPlace = new Map(chunks.map(({ id, position, chunk }) => [`${id} ${position}`, Number(chunk)]));
      const archive = (await tables.archive()).as({ scope: 'owner', sees: 'everything' });
      for (const [model, own] of Map.groupBy(records, ({ fields }) => String(fields.model)))
        await archive.putVectors(
          model,
          own.flatMap(({ fields }) => {
            const chunk = byPlace.get(`${fields.document} ${fields.position}`);
            return chunk === undefined ? [] : [{ id: chunk, vector: numbersOf(fields.vector as Uint8Array) }];
          }),
        );
    },
  };
}

/** Vectors are kept as bytes; the same numbers become the same bytes. */
function numbersOf(bytes: Uint8Array): Float32Array {
  return Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
}
