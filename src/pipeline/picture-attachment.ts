// A picture that a person sent with a question, in a kind that models take.
import { imageType } from '../lib/image-type.ts';
import type { Attachment } from './attachments.ts';

/** Rejects with a DocumentProblem where it is of a kind that is not read here (HEIC), or damaged. */
export async function pictureAttachment(bytes: Buffer, name: string): Promise<Attachment> {
  const mimeType = imageType(bytes);
  if (mimeType) return { kind: 'image', name, mimeType, data: bytes.toString('base64') };
  const { preparePicture } = await import('../documents/prepare-picture.ts');
  const prepared = await preparePicture(bytes);
  return { kind: 'image', name, mimeType: prepared.mediaType, data: prepared.bytes.toString('base64') };
}
