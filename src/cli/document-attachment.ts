// A document that a person attaches: its text, and pictures of the pages that have none.
import { DocumentProblem } from '../documents/document.ts';
import { documentKind, KIND_BYTES } from '../documents/document-kind.ts';
import type { Attachment } from '../pipeline/attachments.ts';
import { UsageError } from './terminal.ts';

export const LARGEST_DOCUMENT = 32 * 1024 * 1024;
/** More of it is a matter of pages that the model asks for. */
const MOST_CHARACTERS = 200_000;
const PATIENCE_MS = 60_000;

/** Pages and tables that are text are attached as they are. */
export function isDocument(bytes: Buffer, name: string): boolean {
  const kind = documentKind(bytes.subarray(0, KIND_BYTES), name);
  return kind !== undefined && kind !== 'html' && kind !== 'csv';
}

/** Rejects with a UsageError that says why it cannot be read. */
export async function documentAttachments(bytes: Buffer, name: string): Promise<Attachment[]> {
  const kind = documentKind(bytes.subarray(0, KIND_BYTES), name);
  if (kind === undefined) return [];
  const [{ readDocument }, { documentSummary }] = await Promise.all([
    import('../documents/read-document.ts'),
    import('../documents/document-summary.ts'),
  ]);
  const request = { kind, source: { bytes }, maxCharacters: MOST_CHARACTERS, pictures: 'without-text' } as const;
  const document = await readDocument(request, AbortSignal.timeout(PATIENCE_MS)).catch((error: unknown) => {
    if (error instanceof DocumentProblem) throw new UsageError(`${name} cannot be read: ${error.message}`);
    throw error;
  });
  return [
    { kind: 'text', name, text: `${documentSummary(document)}\n${document.text}` },
    ...document.pictures.map(({ mediaType, bytes: picture }, index): Attachment => {
      const data = Buffer.from(picture).toString('base64');
      return { kind: 'image', name: `${name}, picture ${index + 1}`, mimeType: mediaType, data };
    }),
  ];
}
