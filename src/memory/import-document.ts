// A document among the files that are imported: known by the hash of its bytes, and read only when that is new.
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { documentKind, KIND_BYTES } from '../documents/document-kind.ts';
import { LONGEST_NOTE, type Note } from './note.ts';

export const DOCUMENT_NAME = /\.(?:pdf|docx|pptx|xlsx|epub|ipynb|html?)$/i;
export const LARGEST_DOCUMENT = 64 * 1024 * 1024;
const PIECE = 1024 * 1024;
/** A line that a reader puts above a part, or in the place of its text. */
const HEADING_OR_NOTE = /^(?:--- .* ---|\([^()]*\))$/gm;

/** What the document is identified by when it is imported again. */
export async function documentIdentity(path: string): Promise<string> {
  const sum = process.getBuiltinModule('node:crypto').createHash('sha256');
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafe(PIECE);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, PIECE);
      if (bytesRead === 0) return `document ${sum.digest('hex')}`;
      sum.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

export interface ImportedDocument {
  path: string;
  identity: string;
  modified: Date;
}

/** Rejects with why it cannot be read; undefined where it has no text. */
export async function documentNote(
  { path, identity, modified }: ImportedDocument,
  signal: AbortSignal,
): Promise<Note | undefined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const head = Buffer.alloc(Math.min(KIND_BYTES, size));
    await file.read(head, 0, head.length, 0);
    const kind = documentKind(head, path);
    if (!kind) throw new Error('not what its name says');
    const { readDocument } = await import('../documents/read-document.ts');
    const source = { fd: file.fd, size };
    const request = { kind, source, maxCharacters: LONGEST_NOTE - 100_000, pictures: 'none' } as const;
    const { text, title, next } = await readDocument(request, signal);
    if (text.replace(HEADING_OR_NOTE, '').trim() === '') return undefined;
    const content = next ? `${text}\n\n(the document is longer than what is imported of one)` : text;
    return { content, source: path, title: title || basename(path), date: modified.toISOString(), identity };
  } finally {
    await file.close();
  }
}
