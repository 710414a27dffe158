// A message of ours as a card (card JSON 2.0): one Markdown element and, below it, the buttons. The platform's Markdown knows
// tags that act (`<at id=all>` calls everybody) and pictures by key only, so outside of code a `<` is written as an entity
// and a picture becomes a link. Nothing here makes a text longer than `costOf` in split.ts foresees.
import type { Button } from '../channel.ts';
import { codeRanges } from './code-ranges.ts';

export interface CardContent {
  markdown: string;
  buttons?: readonly Button[];
}

/** What a button gives back when it is pressed. */
export interface ButtonValue {
  value: string;
  /** Where the card stands, as the press does not tell it. */
  chatKind?: 'direct' | 'group';
  threadId?: string;
}

type Place = Omit<ButtonValue, 'value'>;

const MAX_SUMMARY = 60;

export function cardOf({ markdown, buttons = [] }: CardContent, place: Place = {}): string {
  return render({ tag: 'markdown', content: platformMarkdown(markdown) }, markdown, buttons, place);
}

/** The same content without any markup: for a card that the platform refused to draw. */
export function plainCardOf({ markdown, buttons = [] }: CardContent, place: Place = {}): string {
  return render({ tag: 'div', text: { tag: 'plain_text', content: markdown } }, markdown, buttons, place);
}

function render(text: object, markdown: string, buttons: readonly Button[], place: Place): string {
  const summary = summaryOf(markdown);
  return JSON.stringify({
    schema: '2.0',
    // Without it a card cannot be changed for everybody at once.
    config: { update_multi: true, ...(summary === '' ? {} : { summary: { content: summary } }) },
    body: { elements: [text, ...(buttons.length > 0 ? [buttonRow(buttons, place)] : [])] },
  });
}

function buttonRow(buttons: readonly Button[], place: Place): object {
  return {
    tag: 'column_set',
    flex_mode: 'flow',
    columns: buttons.map(({ label, value, tone = 'default' }) => ({
      tag: 'column',
      width: 'auto',
      elements: [
        {
          tag: 'button',
          text: { tag: 'plain_text', content: label },
          type: tone,
          behaviors: [{ type: 'callback', value: { ...place, value } satisfies ButtonValue }],
        },
      ],
    })),
  };
}

export function platformMarkdown(markdown: string): string {
  let result = '';
  let from = 0;
  for (const [start, end] of codeRanges(markdown)) {
    result += escapeProse(markdown.slice(from, start)) + disarmCode(markdown.slice(start, end));
    from = end;
  }
  return result + escapeProse(markdown.slice(from));
}

function escapeProse(text: string): string {
  return text
    .replace(/<(https?:\/\/[^\s<>]+)>/g, '$1')
    .replace(/!(?=\[[^\]\n]*\]\()/g, '')
    .replace(/</g, '&#60;');
}

/** Should the platform not see the code that we see, it must still call nobody: a character of no width is put in. */
function disarmCode(code: string): string {
  return code.replace(/<(?=at\b)/gi, '<\u200b');
}

/** What the list of chats shows. */
function summaryOf(markdown: string): string {
  const line = markdown.split('\n').find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? '';
  const plain = line
    .replace(/[#*_`>|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...plain].slice(0, MAX_SUMMARY).join('');
}
