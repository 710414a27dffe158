// What a model is given of a file that a person sent: a picture, the text of a file, or the text and pages of a document.
import { DocumentProblem } from '../../documents/document.ts';
import { documentKind, isPicture, KIND_BYTES } from '../../documents/document-kind.ts';
import { charsetOf } from '../../documents/text-charset.ts';
import type { Attachment } from '../../pipeline/attachments.ts';
import { documentAttachments, isDocument } from '../../pipeline/document-attachment.ts';
import { pictureAttachment } from '../../pipeline/picture-attachment.ts';

const TEXT_BYTES = 1024 * 1024;
const IMAGE_BYTES = 10 * 1024 * 1024;

export type SentContent =
  | { kind: 'read'; attachments: Attachment[] }
  /** A document or a picture that its reader refuses, for example a damaged one. */
  | { kind: 'unreadable'; reason: string }
  /** Nothing here reads such files, or it is too large to be attached. */
  | { kind: 'not-attached'; reason: string };

/** `name` is what the model knows it by. Rejects only when `signal` is aborted, or with a defect. */
export async function readSentFile(name: string, bytes: Buffer, signal: AbortSignal): Promise<SentContent> {
  if (isPicture(bytes.subarray(0, KIND_BYTES))) return pictureContent(name, bytes);
  if (isDocument(bytes, name) || isLargeTable(name, bytes))
    return orUnreadable(documentAttachments(bytes, name, signal));
  const charset = charsetOf(bytes);
  const isText = charset.startsWith('utf-16') || !bytes.includes(0);
  if (!isText) return notAttached('neither a text, a picture nor a document');
  if (bytes.length > TEXT_BYTES) return notAttached(`a text of more than ${TEXT_BYTES / 1024 ** 2} MB`);
  try {
    const text = new TextDecoder(charset, { fatal: true }).decode(bytes);
    return { kind: 'read', attachments: [{ kind: 'text', name, text }] };
  } catch {
    return notAttached('neither text in a charset that is known here, a picture nor a document');
  }
}

async function pictureContent(name: string, bytes: Buffer): Promise<SentContent> {
  if (bytes.length > IMAGE_BYTES) return notAttached(`a picture of more than ${IMAGE_BYTES / 1024 ** 2} MB`);
  return orUnreadable(pictureAttachment(bytes, name).then((picture) => [picture]));
}

async function orUnreadable(reading: Promise<Attachment[]>): Promise<SentContent> {
  try {
    return { kind: 'read', attachments: await reading };
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
