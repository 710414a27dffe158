// A document that a person sent with a question: its text, and pictures of the pages that have none.
import { DocumentProblem } from '../documents/document.ts';
import { documentKind, KIND_BYTES } from '../documents/document-kind.ts';
import type { Attachment } from './attachments.ts';

/** More of it is a matter of pages that the model asks for. */
const MOST_CHARACTERS = 200_000;
const PATIENCE_MS = 60_000;

/** Web pages and tables are texts already: they are attached as they are. */
export function isDocument(bytes: Buffer, name: string): boolean {
  const kind = documentKind(bytes.subarray(0, KIND_BYTES), name);
  return kind !== undefined && kind !== 'html' && kind !== 'csv';
}

/** Rejects with a DocumentProblem that says why it cannot be read. */
export async function documentAttachments(bytes: Buffer, name: string, signal?: AbortSignal): Promise<Attachment[]> {
  const kind = documentKind(bytes.subarray(0, KIND_BYTES), name);
  if (kind === undefined) return [];
  const [{ readDocument }, { documentSummary }] = await Promise.all([
    import('../documents/read-document.ts'),
    import('../documents/document-summary.ts'),
  ]);
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const request = { kind, source: { bytes }, maxCharacters: MOST_CHARACTERS, pictures: 'without-text' } as const;
  const reading = readDocument(request, signal ? AbortSignal.any([signal, patience]) : patience);
  const document = await reading.catch((error: unknown) => {
    if (!patience.aborted || signal?.aborted) throw error;
    throw new DocumentProblem('stopped', `reading it took more than ${PATIENCE_MS / 1_000} seconds`, error);
  });
  return [
    { kind: 'text', name, text: `${documentSummary(document)}\n${document.text}` },
    ...document.pictures.map(({ mediaType, bytes: picture }, index): Attachment => {
      const data = Buffer.from(picture).toString('base64');
      return { kind: 'image', name: `${name}, picture ${index + 1}`, mimeType: mediaType, data };
    }),
  ];
}
