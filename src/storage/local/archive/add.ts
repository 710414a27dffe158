// Saving: documents, chunks and terms in one short transaction.
import type { DatabaseSync } from 'node:sqlite';
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import { lengthOf, type NewDocument, type TermsOf } from '../../archive.ts';
import { StorageError } from '../../storage.ts';
import { inTransaction } from '../open-database.ts';
import { indexName, readState } from './tables.ts';
import { visibleTo } from './visible.ts';

export interface Prepared {
  reader: MemoryReader;
  document: NewDocument;
  /** Of each chunk, computed before the transaction: writers wait for each other. */
  terms: readonly (readonly string[])[];
}

export function prepareDocuments(
  documents: readonly NewDocument[],
  reader: MemoryReader,
  termsOf: TermsOf,
): Prepared[] {
  return documents.map((document) => ({
    reader,
    document,
    terms: document.chunks.map((chunk) => termsOf({ ...chunk, ...document })),
  }));
}

export function addDocuments(db: DatabaseSync, prepared: readonly Prepared[]): { id: string; added: boolean }[] {
  return inTransaction(db, () => insertDocuments(db, prepared));
}

/** Within a transaction of the caller's. */
export function insertDocuments(db: DatabaseSync, prepared: readonly Prepared[]): { id: string; added: boolean }[] {
  const index = indexName(readState(db).generation);
  const insertDocument = db.prepare(
    'INSERT INTO archive_documents (id, scope, source, title, date, speaker, session, hash, kind, valid_from) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (source, hash, scope) DO NOTHING',
  );
  const insertChunk = db.prepare(
    'INSERT INTO archive_chunks (document, position, session, length, context, text) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const insertTerms = db.prepare(`INSERT INTO ${index} (rowid, terms) VALUES (?, ?)`);
  let chunks = 0;
  let length = 0;
  const results = prepared.map(({ reader, document, terms }) => {
    const { id, source, title, date, speaker, session, hash, kind, validFrom, supersedes } = document;
    const { changes, lastInsertRowid: key } = insertDocument.run(
      id,
      reader.scope,
      source,
      title ?? null,
      date,
      speaker ?? null,
      session ?? null,
      hash,
      kind ?? null,
      validFrom ?? null,
    );
    const known = changes === 0 ? sameText(db, reader, source, hash) : undefined;
    if (supersedes !== undefined) supersede(db, reader, supersedes, { by: known ?? id, from: validFrom ?? date });
    if (known !== undefined) return { id: known, added: false };
    for (const [position, { context, text }] of document.chunks.entries()) {
      const own = terms[position] ?? [];
      const { lastInsertRowid } = insertChunk.run(key, position, session ?? null, lengthOf(own), context, text);
      insertTerms.run(lastInsertRowid, own.join(' '));
      chunks += 1;
      length += lengthOf(own);
    }
    return { id, added: true };
  });
  db.prepare('UPDATE archive_state SET chunks = chunks + ?, length = length + ?').run(chunks, length);
  return results;
}

function sameText(db: DatabaseSync, { scope }: MemoryReader, source: string, hash: string): string {
  return db
    .prepare('SELECT id FROM archive_documents WHERE source = ? AND hash = ? AND scope = ?')
    .get(source, hash, scope)?.id as string;
}

function supersede(
  db: DatabaseSync,
  reader: MemoryReader,
  old: string,
  { by, from }: { by: string; from: string },
): void {
  const { sql, scopes } = visibleTo(reader);
  const { changes } = db
    .prepare(`UPDATE archive_documents AS d SET superseded_by = ?, valid_until = ? WHERE id = ? AND id <> ? AND ${sql}`)
    .run(by, from, old, by, ...scopes);
  if (changes === 0) {
    const reason = old === by ? 'the same text cannot replace itself' : `there is no memory "${old}"`;
    throw new StorageError('STORAGE_FAILED', `${reason}: "lainclaw memory list" shows what could be replaced`);
  }
  // It was saved again: it is valid now, whatever had replaced it.
  db.prepare('UPDATE archive_documents SET superseded_by = NULL, valid_until = NULL WHERE id = ?').run(by);
}
