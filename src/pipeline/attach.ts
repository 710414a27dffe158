// What came with a question, or with a message to a turn that runs, as the model is given it. What is too long is cut and kept; pictures
// are kept, so that later turns send them again and the model still sees what was asked about.
import type { ModelImage } from '../adapters/adapter.ts';
import type { HistoryPicture } from '../sessions/history.ts';
import { type Attachment, imagesOf } from './attachments.ts';
import type { TurnContext } from './turn-context.ts';

const ATTACHED_TEXT_LIMIT = 200_000;

export interface Attached {
  attachments: readonly Attachment[];
  /** As they are sent. */
  images: ModelImage[];
  /** Where they are kept. */
  pictures: readonly HistoryPicture[];
}

export type AttachContext = Pick<TurnContext, 'toolbox' | 'turn' | 'newId'>;

/** `name`: begins the names of the files that are kept. */
export async function attach(context: AttachContext, given: readonly Attachment[], name: string): Promise<Attached> {
  const attachments = await Promise.all(given.map((attachment) => bounded(context, attachment)));
  const images = await preparedImages(attachments);
  return { attachments, images, pictures: images.length > 0 ? await keepPictures(context, images, name) : [] };
}

async function bounded({ toolbox, turn, newId }: AttachContext, attachment: Attachment): Promise<Attachment> {
  if (attachment.kind !== 'text') return attachment;
  const kept = { sessionId: turn.entry.sessionId, name: newId('attachment'), limit: ATTACHED_TEXT_LIMIT };
  return { ...attachment, text: await toolbox.bound(attachment.text, kept) };
}

async function preparedImages(attachments: readonly Attachment[]): Promise<ModelImage[]> {
  const images = imagesOf(attachments);
  return images.length === 0 ? images : (await import('./prepare-images.ts')).prepareImages(images);
}

function keepPictures({ toolbox, turn }: AttachContext, images: readonly ModelImage[], name: string) {
  const pictures = images.map(({ mimeType, data }) => ({ mediaType: mimeType, data }));
  return toolbox.keepPictures(pictures, { sessionId: turn.entry.sessionId, name });
}
