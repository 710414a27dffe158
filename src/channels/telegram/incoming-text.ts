// The text of a message as it was meant: without the mention of the bot, commands without its name, and with what
// Telegram keeps beside the text (code, addresses behind words) written into it again.
import type { Message, MessageEntity } from 'grammy/types';
import type { Bot } from './bot.ts';

interface Edit {
  at: number;
  /** How much is taken out there. */
  length: number;
  insert: string;
}

export function readText(message: Message, bot: Bot): { text: string; isMentioned: boolean } {
  const written = message.text ?? message.caption;
  if (written === undefined) return { text: insteadOfText(message), isMentioned: false };
  const edits: Edit[] = [];
  let isMentioned = false;
  for (const entity of message.entities ?? message.caption_entities ?? []) {
    const mark = markOf(entity, written, bot);
    if (!mark) continue;
    edits.push(...mark.edits);
    isMentioned ||= mark.isMention;
  }
  return { text: applied(written, edits).trim(), isMentioned };
}

function markOf(entity: MessageEntity, written: string, bot: Bot): { edits: Edit[]; isMention: boolean } | undefined {
  const { offset, length } = entity;
  const words = written.slice(offset, offset + length);
  const name = `@${bot.username}`.toLowerCase();
  const around = (before: string, after: string): { edits: Edit[]; isMention: false } => ({
    edits: [
      { at: offset, length: 0, insert: before },
      { at: offset + length, length: 0, insert: after },
    ],
    isMention: false,
  });
  switch (entity.type) {
    case 'mention':
      return words.toLowerCase() === name ? { edits: [removal(written, offset, length)], isMention: true } : undefined;
    case 'text_mention':
      return entity.user.id === bot.id ? { edits: [removal(written, offset, length)], isMention: true } : undefined;
    case 'bot_command': {
      if (!words.toLowerCase().endsWith(name)) return undefined;
      return {
        edits: [{ at: offset + length - name.length, length: name.length, insert: '' }],
        isMention: true,
      };
    }
    case 'text_link':
      return around('[', `](${entity.url})`);
    case 'code':
      return around('`', '`');
    case 'pre':
      return around(`\`\`\`${entity.language ?? ''}\n`, '\n```');
    default:
      return undefined;
  }
}

/** With the blank after it, or before it at the end, so that no gap stays. */
function removal(written: string, offset: number, length: number): Edit {
  if (written[offset + length] === ' ') return { at: offset, length: length + 1, insert: '' };
  if (offset > 0 && written[offset - 1] === ' ') return { at: offset - 1, length: length + 1, insert: '' };
  return { at: offset, length, insert: '' };
}

function applied(written: string, edits: readonly Edit[]): string {
  let text = '';
  let from = 0;
  for (const { at, length, insert } of edits.toSorted((a, b) => a.at - b.at)) {
    text += written.slice(from, Math.max(from, at)) + insert;
    from = Math.max(from, at + length);
  }
  return text + written.slice(from);
}

/** Small things people send instead of words, marked as what they are. */
function insteadOfText({ sticker, location, venue, contact, poll, dice }: Message): string {
  if (sticker) return sticker.emoji ? `[sticker ${sticker.emoji}]` : '[a sticker]';
  if (venue) return `[place: ${venue.title}, ${venue.address} ${positionOf(venue.location)}]`;
  if (location) return `[place: ${positionOf(location)}]`;
  if (contact) {
    const name = [contact.first_name, contact.last_name].filter(Boolean).join(' ');
    return `[contact: ${[name, contact.phone_number].filter(Boolean).join(', ')}]`;
  }
  if (poll) return `[poll: ${poll.question} ${poll.options.map(({ text }) => text).join(' / ')}]`;
  return dice ? `[${dice.emoji} ${dice.value}]` : '';
}

function positionOf({ latitude, longitude }: { latitude: number; longitude: number }): string {
  return `(${latitude}, ${longitude})`;
}
