// What waits in the outbox: a message of ours as it will be sent, or put in the place of one about progress; or a picture
// by the path of its file.
import type { Button, Channel } from '../../channels/channel.ts';
import type { OutboxDraft } from '../../storage/mailbox.ts';
import type { KeptPicture } from '../../tools/pictures.ts';
import type { ChatKey } from '../../vocabulary/chat-name.ts';

export interface Outgoing {
  /** Of a picture: what lists and the audit log show in its place. */
  markdown: string;
  picture?: KeptPicture & {
    /** Its bytes in base64, where another machine may send it. */
    data?: string;
  };
  replyTo?: string;
  buttons?: readonly Button[];
  /** The message whose place it takes; sent as a new one where that is gone. */
  replaces?: string;
  /** Written for somebody who is not admitted, such as a pairing code. Everything else is for admitted people only. */
  isForStranger?: boolean;
}

export interface DraftOptions extends Omit<Outgoing, 'markdown' | 'picture'> {
  chat: ChatKey;
  channel: Pick<Channel, 'split'>;
  /** Part n has the key `<key>-<n>`: the same for the same answer, also in another process. */
  key: string;
  markdown: string;
}

/** A text as the messages it takes; the first answers or replaces, the buttons are under the last. */
export function draftsOf({
  chat,
  channel,
  key,
  markdown,
  replyTo,
  buttons,
  replaces,
  isForStranger,
}: DraftOptions): OutboxDraft[] {
  const parts = channel.split(markdown);
  return (parts.length > 0 ? parts : ['(nothing to say)']).map((part, index, all) => {
    const outgoing: Outgoing = {
      markdown: part,
      ...(index === 0 && { replyTo, replaces }),
      ...(index === all.length - 1 && { buttons }),
      isForStranger,
    };
    return { key: `${key}-${index}`, chat, body: JSON.stringify(outgoing) };
  });
}
