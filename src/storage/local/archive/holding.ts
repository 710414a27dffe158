// Documents that hold a text. All of them are read: the index knows words, and no phrases.
import type { DatabaseSync } from 'node:sqlite';
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { Listed } from '../../archive.ts';
import type { Redaction } from '../../redaction.ts';
import { documentOf } from './find.ts';
import { read } from './tables.ts';
import { visibleTo } from './visible.ts';

const HEAD_CHARACTERS = 200;

interface OpenDocument {
  row: Record<string, unknown>;
  text: string;
  contexts: Set<string>;
  chunks: number;
}

export function documentsHolding(db: DatabaseSync, reader: MemoryReader, redaction: Redaction): Listed[] {
  const { sql, scopes } = visibleTo(reader);
  return read(db, () => {
    const found: Listed[] = [];
    let open: OpenDocument | undefined;
    const close = (): void => {
      if (open && holds(open, redaction))
        found.push({ ...documentOf(open.row), chunks: open.chunks, head: open.text.slice(0, HEAD_CHARACTERS) });
      open = undefined;
    };
    const rows = db
      .prepare(
        `SELECT d.*, c.text AS chunk_text, c.context AS chunk_context FROM archive_documents d
         JOIN archive_chunks c ON c.document = d.key WHERE ${sql} ORDER BY d.key, c.position`,
      )
      .iterate(...scopes);
    // A text may be cut between two chunks: a document is looked at as a whole.
    for (const row of rows) {
      if (open?.row.key !== row.key) close();
      open ??= { row, text: '', contexts: new Set(), chunks: 0 };
      open.text += String(row.chunk_text);
      open.contexts.add(String(row.chunk_context));
      open.chunks += 1;
    }
    close();
    return found;
  });
}

function holds({ row, text, contexts }: OpenDocument, redaction: Redaction): boolean {
  const others = [row.title, row.source, row.speaker, ...contexts];
  return redaction.holds(text) || others.some((other) => typeof other === 'string' && redaction.holds(other));
}
