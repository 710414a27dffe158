// Entities both ways: those a bot sends are checked, those in what people write are found, as Telegram finds them.
import type { MessageEntity } from 'grammy/types';
import { badRequest } from './api-failure.ts';

const MOST_ENTITIES = 100;
const TYPES = new Set([
  'mention',
  'hashtag',
  'cashtag',
  'bot_command',
  'url',
  'email',
  'phone_number',
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'blockquote',
  'expandable_blockquote',
  'code',
  'pre',
  'text_link',
  'text_mention',
  'custom_emoji',
  'date_time',
]);
const STYLES = new Set(['bold', 'italic', 'underline', 'strikethrough', 'spoiler']);
const QUOTES = new Set(['blockquote', 'expandable_blockquote']);

/** Stricter than Telegram, which repairs or drops some of this: what it would change was not meant so. */
export function checkEntities(text: string, entities: readonly MessageEntity[]): void {
  if (entities.length > MOST_ENTITIES) throw badRequest(`can't parse entities: more than ${MOST_ENTITIES} entities`);
  for (const entity of entities) {
    const { type, offset, length } = entity;
    if (!TYPES.has(type)) throw badRequest(`can't parse entities: unsupported entity type "${type}"`);
    if (offset < 0 || length <= 0 || offset + length > text.length)
      throw badRequest(`can't parse entities: entity ${type} is out of bounds at ${offset}`);
    if (isLow(text, offset) || isLow(text, offset + length))
      throw badRequest(
        `can't parse entities: entity ${type} begins or ends in the middle of a UTF-16 symbol at ${offset}`,
      );
    if (entity.type === 'text_link' && !/^(https?|tg|ton|mailto|tel):/i.test(entity.url))
      throw badRequest(`can't parse entities: text_link has a wrong URL`);
  }
  for (const [index, first] of entities.entries())
    for (const second of entities.slice(index + 1)) checkPair(first, second);
}

function checkPair(first: MessageEntity, second: MessageEntity): void {
  const [a, b] = [first, second].map(({ offset, length }) => ({ from: offset, to: offset + length }));
  if (!a || !b || a.to <= b.from || b.to <= a.from) return;
  const isNested = (a.from <= b.from && b.to <= a.to) || (b.from <= a.from && a.to <= b.to);
  const types = [first.type, second.type];
  if (!isNested) throw badRequest(`can't parse entities: ${types.join(' and ')} overlap at ${b.from}`);
  const hasCode = types.some((type) => type === 'code' || type === 'pre');
  const isAllowed = hasCode
    ? types.some((type) => QUOTES.has(type)) && types.some((type) => !QUOTES.has(type))
    : types.some((type) => STYLES.has(type)) || types.filter((type) => QUOTES.has(type)).length === 1;
  if (!isAllowed || first.type === second.type) throw badRequest(`can't parse entities: ${types.join(' within ')}`);
}

function isLow(text: string, at: number): boolean {
  return at < text.length && /[\uDC00-\uDFFF]/.test(text[at] ?? '');
}

export function entitiesIn(text: string): MessageEntity[] {
  const found: MessageEntity[] = [];
  const kinds = [
    ['bot_command', /(?<![\w/])\/\w{1,32}(?:@\w{3,32})?/g],
    ['mention', /(?<![\w/@])@\w{3,32}/g],
    ['url', /https?:\/\/[^\s]+/g],
  ] as const;
  for (const [type, pattern] of kinds)
    for (const match of text.matchAll(pattern)) found.push({ type, offset: match.index, length: match[0].length });
  return found.toSorted((a, b) => a.offset - b.offset);
}
