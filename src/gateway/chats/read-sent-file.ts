// What a model is given of a file that a person sent: a picture, the text of a file, or the text and pages of a document.
import { DocumentProblem } from '../../documents/document.ts';
import { documentKind, KIND_BYTES } from '../../documents/document-kind.ts';
import { imageType } from '../../lib/image-type.ts';
import type { Attachment } from '../../pipeline/attachments.ts';
import { documentAttachments, isDocument } from '../../pipeline/document-attachment.ts';

const TEXT_BYTES = 1024 * 1024;
const IMAGE_BYTES = 10 * 1024 * 1024;

export type SentContent =
  | { kind: 'read'; attachments: Attachment[] }
  /** A document that its reader refuses, for example a damaged one. */
  | { kind: 'unreadable'; reason: string }
  /** Nothing here reads such files, or it is too large to be attached. */
  | { kind: 'not-attached'; reason: string };

/** `name` is what the model knows it by. Rejects only when `signal` is aborted, or with a defect. */
export async function readSentFile(name: string, bytes: Buffer, signal: AbortSignal): Promise<SentContent> {
  const mimeType = imageType(bytes);
  if (mimeType) return pictureContent({ name, bytes, mimeType });
  if (isDocument(bytes, name) || isLargeTable(name, bytes)) return documentContent(name, bytes, signal);
  if (bytes.includes(0)) return notAttached('neither a text, a picture nor a document');
  if (bytes.length > TEXT_BYTES) return notAttached(`a text of more than ${TEXT_BYTES / 1024 ** 2} MB`);
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return { kind: 'read', attachments: [{ kind: 'text', name, text }] };
  } catch {
    return notAttached('neither UTF-8 text, a picture nor a document');
  }
}

function pictureContent({ name, bytes, mimeType }: { name: string; bytes: Buffer; mimeType: string }): SentContent {
  if (bytes.length > IMAGE_BYTES) return notAttached(`a picture of more than ${IMAGE_BYTES / 1024 ** 2} MB`);
  return { kind: 'read', attachments: [{ kind: 'image', name, mimeType, data: bytes.toString('base64') }] };
}

async function documentContent(name: string, bytes: Buffer, signal: AbortSignal): Promise<SentContent> {
  try {
    return { kind: 'read', attachments: await documentAttachments(bytes, name, signal) };
  } catch (error) {
    if (!(error instanceof DocumentProblem)) throw error;
    return { kind: 'unreadable', reason: error.message };
  }
}

/** Its reader shows the beginning, where the whole text would be too much. */
function isLargeTable(name: string, bytes: Buffer): boolean {
  return bytes.length > TEXT_BYTES && documentKind(bytes.subarray(0, KIND_BYTES), name) === 'csv';
}

function notAttached(reason: string): SentContent {
  return { kind: 'not-attached', reason };
}
