// The files of a message. A photo comes in several sizes: the largest is taken.
import type { Message } from 'grammy/types';
import type { IncomingFile } from '../channel.ts';

/** What `download` needs. */
export interface FileReference {
  fileId: string;
}

interface Attached {
  file_id: string;
  file_size?: number;
  file_name?: string;
  mime_type?: string;
}

export function filesOf(message: Message): IncomingFile[] {
  const { photo, animation, document, voice, audio, video, video_note: videoNote, message_id: id } = message;
  const files: (IncomingFile | undefined)[] = [
    fileOf(largest(photo), 'image', `photo-${id}.jpg`),
    // An animation is sent as a document too.
    fileOf(animation ?? document, undefined, animation ? `animation-${id}.mp4` : `document-${id}`),
    asVoice(fileOf(voice, 'file', `voice-${id}.ogg`)),
    fileOf(audio, 'file', `audio-${id}.mp3`),
    fileOf(video, 'file', `video-${id}.mp4`),
    fileOf(videoNote, 'file', `video-${id}.mp4`),
  ];
  return files.filter((file) => file !== undefined);
}

export function isFileReference(reference: unknown): reference is FileReference {
  return (
    typeof reference === 'object' && reference !== null && 'fileId' in reference && typeof reference.fileId === 'string'
  );
}

function asVoice(file: IncomingFile | undefined): IncomingFile | undefined {
  return file && { ...file, isVoice: true };
}

function fileOf(
  file: Attached | undefined,
  kind: IncomingFile['kind'] | undefined,
  fallback: string,
): IncomingFile | undefined {
  if (!file) return undefined;
  return {
    kind: kind ?? (/^image\/(png|jpe?g|gif|webp)$/i.test(file.mime_type ?? '') ? 'image' : 'file'),
    name: plainName(file.file_name ?? '') || fallback,
    ...(file.file_size === undefined ? {} : { bytes: file.file_size }),
    reference: { fileId: file.file_id } satisfies FileReference,
  };
}

/** A name, and nothing that a path could be made of. */
function plainName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  return last
    .replace(/\p{Cc}/gu, '')
    .replace(/^\.+/, '')
    .trim();
}

function largest(sizes: Message['photo']): Attached | undefined {
  return sizes?.toSorted((a, b) => b.width * b.height - a.width * a.height)[0];
}
