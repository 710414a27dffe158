// What came with a question. The transcript's user line holds what was typed; attached texts go to the model with the
// question and stay in the session as context, so that a later question can be about them.
import type { ModelImage } from '../adapters/adapter.ts';
import { attachedPicture, attachedText } from '../sessions/attached.ts';

export type Attachment =
  | { kind: 'text'; name: string; text: string }
  | { kind: 'image'; name: string; mimeType: string; data: string };

/** As later turns see it too: pictures are named in the text, whether or not they are sent beside it. */
export function questionWith(question: string, attachments: readonly Attachment[]): string {
  return [question, ...contextOf(attachments)].join('\n\n');
}

export function imagesOf(attachments: readonly Attachment[]): ModelImage[] {
  return attachments.flatMap((attachment) =>
    attachment.kind === 'image' ? [{ mimeType: attachment.mimeType, data: attachment.data }] : [],
  );
}

/** For a person. */
export function nameOf({ kind, name }: Pick<Attachment, 'kind' | 'name'>): string {
  return kind === 'image' ? `picture ${name}` : name;
}

/** What the session's context says of them: texts whole, pictures by name. */
export function contextOf(attachments: readonly Attachment[]): string[] {
  return attachments.map((attachment) =>
    attachment.kind === 'text' ? attachedText(attachment) : attachedPicture(attachment.name),
  );
}
