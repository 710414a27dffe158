// Which documents hold a text. All of them are read: the index knows words, and no phrases.
import type { Listed } from './archive.ts';
import { documentOf, HEAD_CHARACTERS } from './archive-rows.ts';
import type { Redaction } from './redaction.ts';

/** Of documents `d` and their chunks `c`; to be read in the order of `d.key, c.position`. */
export const HOLDING_COLUMNS = 'd.*, c.text AS chunk_text, c.context AS chunk_context';

interface OpenDocument {
  row: Readonly<Record<string, unknown>>;
  text: string;
  contexts: Set<string>;
  chunks: number;
}

export interface HoldingDocuments {
  add(row: Readonly<Record<string, unknown>>): void;
  end(): Listed[];
}

/** A text may be cut between two chunks: a document is looked at as a whole. */
export function collectHolding(redaction: Redaction): HoldingDocuments {
  const found: Listed[] = [];
  let open: OpenDocument | undefined;
  const close = (): void => {
    if (open && holds(open, redaction))
      found.push({ ...documentOf(open.row), chunks: open.chunks, head: open.text.slice(0, HEAD_CHARACTERS) });
    open = undefined;
  };
  return {
    add(row) {
      if (open?.row.key !== row.key) close();
      open ??= { row, text: '', contexts: new Set(), chunks: 0 };
      open.text += String(row.chunk_text);
      open.contexts.add(String(row.chunk_context));
      open.chunks += 1;
    },
    end() {
      close();
      return found;
    },
  };
}

function holds({ row, text, contexts }: OpenDocument, redaction: Redaction): boolean {
  const others = [row.title, row.source, row.speaker, ...contexts];
  return redaction.holds(text) || others.some((other) => typeof other === 'string' && redaction.holds(other));
}
