// A document or a picture that a person attaches at a terminal.
import { DocumentProblem } from '../documents/document.ts';
import type { Attachment } from '../pipeline/attachments.ts';
import { documentAttachments as readAttachments } from '../pipeline/document-attachment.ts';
import { pictureAttachment } from '../pipeline/picture-attachment.ts';
import { UsageError } from './terminal.ts';

export const LARGEST_DOCUMENT = 32 * 1024 * 1024;

/** Rejects with a UsageError that says why it cannot be read. */
export function documentAttachments(bytes: Buffer, name: string): Promise<Attachment[]> {
  return readAttachments(bytes, name).catch(asUsageError(name));
}

/** Rejects with a UsageError that says why it cannot be read. */
export function attachedPicture(bytes: Buffer, name: string): Promise<Attachment> {
  return pictureAttachment(bytes, name).catch(asUsageError(name));
}

function asUsageError(name: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof DocumentProblem) throw new UsageError(`${name} cannot be read: ${error.message}`);
    throw error;
  };
}
