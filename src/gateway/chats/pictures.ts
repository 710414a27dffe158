// Pictures that tools made for the person (a screenshot, a chart) follow the answer of the turn as messages of their own. The
// outbox holds the path; the bytes are the file that the session keeps, and go with it where another machine may send them. A picture that a model only reads
// is not sent.
import { type Channel, ChannelError, type SentMessage } from '../../channels/channel.ts';
import { DocumentProblem } from '../../documents/document.ts';
import type { OutboxDraft, OutboxMessage } from '../../storage/mailbox.ts';
import { type KeptPicture, type OpenKept, readPictures } from '../../tools/pictures.ts';
import type { ChatKey } from '../../vocabulary/chat-name.ts';
import type { Outgoing } from './outgoing.ts';

/** A turn that works in a browser makes many: the last ones show where it arrived. */
const MOST_PICTURES = 5;

export function picturesForPerson(pictures: readonly KeptPicture[] = []): KeptPicture[] {
  return pictures.filter(({ isForPerson }) => isForPerson);
}

export interface PictureDraftOptions {
  chat: ChatKey;
  channel: Pick<Channel, 'sendPicture'>;
  /** Picture n has the key `<key>-picture-<n>`: the same for the same turn, also in another process. */
  key: string;
  pictures: readonly KeptPicture[];
  /** Another machine may send them, which does not have the files. */
  withBytes: boolean;
  /** Opens files of a turn that another machine ran. */
  openKept?: OpenKept;
}

/** None where the platform shows no pictures. */
export async function pictureDrafts(options: PictureDraftOptions): Promise<OutboxDraft[]> {
  const { chat, channel, key, pictures, withBytes, openKept } = options;
  if (!channel.sendPicture) return [];
  const drafts = pictures.slice(-MOST_PICTURES).map(async (picture, index) => {
    const [read] = withBytes ? await readPictures([picture], openKept) : [];
    const outgoing: Outgoing = {
      markdown: `[picture ${picture.mediaType} in ${picture.path}]`,
      picture: { ...picture, ...(read && { data: read.data }) },
    };
    return { key: `${key}-picture-${index}`, chat, body: JSON.stringify(outgoing) };
  });
  return Promise.all(drafts);
}

/** Tells the person when not every picture follows. */
export function withPicturesNote(markdown: string, pictures: readonly KeptPicture[]): string {
  if (pictures.length <= MOST_PICTURES) return markdown;
  return `${markdown}\n\n_${pictures.length} pictures were made; the last ${MOST_PICTURES} follow._`;
}

/** One that the platform refuses is tried once more in the size that models get. Throws ChannelError. */
export async function sendPicture(
  channel: Pick<Channel, 'sendPicture'>,
  { key, chat: { chatId, threadId } }: OutboxMessage,
  picture: NonNullable<Outgoing['picture']>,
  signal: AbortSignal,
): Promise<SentMessage> {
  const send = channel.sendPicture?.bind(channel);
  if (!send) throw new ChannelError('rejected', 'this platform shows no pictures');
  const { data, mediaType } = picture;
  const [read] = data === undefined ? await readPictures([picture]) : [{ data, mimeType: mediaType }];
  if (!read) throw new ChannelError('rejected', `the picture is not in ${picture.path} any more`);
  const bytes = Buffer.from(read.data, 'base64');
  const place = { key, chatId, threadId };
  try {
    return await send({ ...place, mediaType: read.mimeType, bytes }, signal);
  } catch (error) {
    if (!(error instanceof ChannelError) || error.code !== 'rejected') throw error;
    const smaller = await prepared(bytes);
    if (!smaller || smaller.bytes.equals(bytes)) throw error;
    return send({ ...place, mediaType: smaller.mediaType, bytes: smaller.bytes }, signal);
  }
}

/** Undefined when it cannot be made smaller. */
async function prepared(bytes: Buffer): Promise<{ mediaType: string; bytes: Buffer } | undefined> {
  const { preparePicture } = await import('../../documents/prepare-picture.ts');
  try {
    return await preparePicture(bytes);
  } catch (error) {
    if (error instanceof DocumentProblem) return undefined;
    throw error;
  }
}
