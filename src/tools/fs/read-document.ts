import { type DocumentKind, DocumentProblem, type DocumentText } from '../../documents/document.ts';
import { documentSummary } from '../../documents/document-summary.ts';
import { readDocument } from '../../documents/read-document.ts';
import type { OpenedFile } from '../../workspace/workspace.ts';
import { ToolFailure, type ToolOutput } from '../tool.ts';

/** Of one call, so that the answer is not cut once more on its way to the model. */
const MOST_CHARACTERS = 30_000;

interface DocumentArgs {
  startLine?: number;
  maxLines?: number;
  pages?: string;
  view?: 'text' | 'source' | 'picture';
}

export async function readDocumentFile(
  { handle, path, size }: OpenedFile,
  kind: DocumentKind,
  { startLine, maxLines, pages, view }: DocumentArgs,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const pictures = view === 'picture' ? 'all' : view === 'text' ? 'none' : 'without-text';
  const source = { fd: handle.fd, size };
  const request = { kind, source, pages, startLine, maxLines, maxCharacters: MOST_CHARACTERS, pictures } as const;
  const document = await readDocument(request, signal).catch((error: unknown) => {
    if (!(error instanceof DocumentProblem)) throw error;
    throw asFailure(path, error);
  });
  return documentOutput(document, { path, size });
}

/** `facts`: what programs get about the file beside its content. */
export function documentOutput(document: DocumentText, facts: Record<string, unknown>): ToolOutput {
  const { label, title, parts, text, next, pictures } = document;
  return {
    data: {
      ...facts,
      document: label,
      ...(title && { title }),
      ...(parts && { parts }),
      ...(next && { next }),
      content: text,
    },
    text: `${documentSummary(document)}\n${text}`,
    ...(pictures.length > 0 && {
      pictures: pictures.map(({ mediaType, bytes }) => ({ mediaType, data: Buffer.from(bytes).toString('base64') })),
    }),
  };
}

function asFailure(path: string, error: DocumentProblem): ToolFailure {
  if (error.code === 'no_such_part') return new ToolFailure(`${path}: ${error.message}`, { code: 'invalid_args' });
  const reason = error.code === 'too_large' ? 'limit' : undefined;
  return new ToolFailure(`${path} cannot be read: ${error.message}`, { reason, cause: error });
}
