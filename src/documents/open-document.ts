// Finds the reader of a document. What it needs is loaded with it.
import { byteSource } from './byte-source.ts';
import { DocumentProblem, type DocumentRequest, type OpenDocument } from './document.ts';

export async function openDocument({ kind, source: given }: DocumentRequest): Promise<OpenDocument> {
  const source = byteSource(given);
  switch (kind) {
    case 'pdf':
      return (await import('./pdf.ts')).openPdfDocument(source);
    default:
      throw new DocumentProblem('unsupported', 'it cannot be read');
  }
}
