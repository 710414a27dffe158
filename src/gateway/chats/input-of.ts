// What the model reads of the messages that a turn answers.
import type { ChatMessage } from './chat.ts';
import { askedText } from './continuing.ts';

/** In a group it matters who says what. */
export function inputOf(messages: readonly ChatMessage[]): string {
  return messages
    .map(({ message: { text: written, chatKind, sender } }) => ({ text: askedText(written), chatKind, sender }))
    .map(({ text, chatKind, sender }) =>
      chatKind === 'group' && text !== '' ? `${oneLine(sender.name ?? sender.id)}: ${text}` : text,
    )
    .filter((text) => text !== '')
    .join('\n');
}

/** A name must not look like another person's line. */
function oneLine(name: string): string {
  return name
    .replace(/[\s:]+/g, ' ')
    .trim()
    .slice(0, 60);
}
