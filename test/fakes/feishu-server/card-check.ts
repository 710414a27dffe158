// What the platform checks of a card (JSON 2.0), and what a person then sees of it.

export interface SeenCard {
  text: string;
  buttons: { label: string; value: unknown }[];
  /** Who is called by name: a card that calls everybody is heard by everybody. */
  mentions: string[];
}

interface Element {
  tag?: string;
  content?: unknown;
  text?: { tag?: string; content?: unknown };
  columns?: Element[];
  elements?: Element[];
  type?: string;
  width?: string;
  behaviors?: { type?: string; value?: unknown }[];
}

const MAX_TABLES = 5;
const MAX_ELEMENTS = 200;
const BUTTON_TYPES = new Set(['default', 'primary', 'danger', 'text', 'primary_text', 'danger_text', 'laser']);

/** Throws with what the platform would say. */
export function checkCard(content: string): SeenCard {
  const card = JSON.parse(content) as {
    schema?: string;
    config?: { update_multi?: boolean; summary?: { content?: unknown } };
    body?: { elements?: Element[] };
    elements?: unknown;
  };
  if (card.schema !== '2.0') throw new Error('ErrCode: 200861; ErrMsg: the fake takes cards of schema 2.0 only');
  if (card.config?.update_multi !== true) throw new Error('ErrMsg: update_multi must be true in schema 2.0');
  if (card.elements !== undefined) throw new Error('ErrMsg: elements must be within body');
  const elements = card.body?.elements;
  if (!Array.isArray(elements) || elements.length === 0) throw new Error('ErrMsg: body.elements is required');
  const seen: SeenCard = { text: '', buttons: [], mentions: [] };
  const counts = { elements: 0, tables: 0 };
  for (const element of elements) visit(element, seen, counts);
  if (counts.elements > MAX_ELEMENTS) throw new Error('ErrCode: 11310; ErrMsg: card element number over limit');
  if (counts.tables > MAX_TABLES)
    throw new Error('ErrCode: 11310; ErrMsg: card table number over limit; ErrorValue: table');
  return { ...seen, text: seen.text.trim() };
}

function visit(element: Element, seen: SeenCard, counts: { elements: number; tables: number }): void {
  counts.elements += 1;
  switch (element.tag) {
    case 'markdown': {
      if (typeof element.content !== 'string') throw new Error('ErrMsg: markdown.content must be a string');
      readMarkdown(element.content, seen, counts);
      return;
    }
    case 'div':
      if (element.text?.tag !== 'plain_text') throw new Error('ErrMsg: div.text must be plain_text here');
      seen.text += `\n${element.text.content}`;
      return;
    case 'column_set':
      if (!Array.isArray(element.columns)) throw new Error('ErrMsg: column_set.columns is required');
      for (const column of element.columns) {
        if (column.tag !== 'column') throw new Error('ErrMsg: a column_set holds columns only');
        for (const inner of column.elements ?? []) visit(inner, seen, counts);
      }
      return;
    case 'button': {
      if (element.text?.tag !== 'plain_text' || typeof element.text.content !== 'string')
        throw new Error('ErrMsg: button.text must be plain_text');
      if (!BUTTON_TYPES.has(element.type ?? 'default'))
        throw new Error(`ErrMsg: button.type ${element.type} is unknown`);
      const callback = element.behaviors?.find(({ type }) => type === 'callback');
      if (typeof callback?.value !== 'object') throw new Error('ErrMsg: a callback needs an object as its value');
      seen.buttons.push({ label: element.text.content, value: callback.value });
      return;
    }
    default:
      throw new Error(`ErrCode: 200621; ErrMsg: unknown element tag ${element.tag}`);
  }
}

/** The words of the platform's Markdown, code as it stands, entities resolved, tags acted upon. */
function readMarkdown(content: string, seen: SeenCard, counts: { tables: number }): void {
  const [prose, ...rest] = content.split(/^(?=\s*```)/m);
  const pieces = [prose ?? '', ...rest];
  let isCode = false;
  for (const piece of pieces) {
    if (/^\s*```/.test(piece)) isCode = !isCode;
    const [fence, ...lines] = isCode || /^\s*```/.test(piece) ? piece.split('\n') : ['', piece];
    const body = lines.join('\n');
    if (isCode) {
      seen.text += `\n${body}`;
      continue;
    }
    counts.tables += tablesIn(body);
    seen.text += `\n${fence === '' ? '' : ''}${readProse(body, seen)}`;
  }
}

function tablesIn(prose: string): number {
  return (prose.match(/^[^\n]*\|[^\n]*\n[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/gm) ?? [])
    .length;
}

function readProse(prose: string, seen: SeenCard): string {
  if (/!\[[^\]]*\]\((?!img_)/.test(prose)) throw new Error('ErrCode: 11310; ErrMsg: invalid image key');
  return prose
    .replace(
      /`+[^`]*`+|<at\s+(?:user_)?id=["']?(\w+)["']?\s*>[\s\S]*?<\/at>|<\/?[a-z_]+(?:\s[^<>]*)?>/gi,
      (found, id) => {
        if (found.startsWith('`')) return found;
        if (id !== undefined) seen.mentions.push(String(id));
        return '';
      },
    )
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/\[([^\]]*)\]\(([^)]*)\)/g, '$1');
}
