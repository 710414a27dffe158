// A picture on Telegram is a photo: at most 10 MB, width and height together at most 10,000 pixels, one side at most 20 times the
// other. One that Telegram does not accept as a photo, such as a long screenshot, is sent as a file, in full size.
import type { Message, Opts } from 'grammy/types';
import type { OutgoingPicture } from '../channel.ts';
import { type BotApi, refusalOf } from './bot-api.ts';

/** An upload takes longer than a text. */
const DEADLINE_MS = 90_000;
/** Such as PHOTO_INVALID_DIMENSIONS and IMAGE_PROCESS_FAILED. */
const NOT_A_PHOTO = /\b(PHOTO|IMAGE)_[A-Z_]+/;

export async function sendPhoto(
  api: BotApi,
  { mediaType, bytes }: Pick<OutgoingPicture, 'mediaType' | 'bytes'>,
  place: Pick<Opts<'sendMessage'>, 'chat_id' | 'message_thread_id' | 'reply_parameters'>,
  signal: AbortSignal,
): Promise<Message> {
  const { InputFile } = await import('grammy/web');
  const call = { signal, deadlineMs: DEADLINE_MS };
  const file = () => new InputFile(bytes, `picture.${mediaType.slice('image/'.length)}`);
  try {
    return await api.call((raw, abort) => raw.sendPhoto({ ...place, photo: file() }, abort), call);
  } catch (error) {
    if (!NOT_A_PHOTO.test(refusalOf(error)?.description ?? '')) throw error;
    return api.call((raw, abort) => raw.sendDocument({ ...place, document: file() }, abort), call);
  }
}
