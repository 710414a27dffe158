// Elements as Markdown: headings, lists, tables, code with its language, quotes, links with their whole addresses. Anything else is
// the text in it.
import { inColumns, longestRow, markdownRows } from '../table-lines.ts';

/** The part of a DOM that is read here. */
export interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: Iterable<PageNode>;
  getAttribute?(name: string): string | null;
}

interface Place {
  url: string;
  /** How many lists are around it. */
  lists: number;
}

const ELEMENT = 1;
const TEXT = 3;
const BLOCKS = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE DD DETAILS DIV DL DT FIGCAPTION FIGURE FOOTER FORM H1 H2 H3 H4 H5 H6 HEADER HR LI MAIN NAV OL P PRE SECTION SUMMARY TABLE UL'.split(
    ' ',
  ),
);
const DROPPED = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'SVG', 'HEAD', 'BUTTON']);

export function toMarkdown(node: PageNode, url: string): string {
  return blocks(node, { url, lists: 0 })
    .join('\n\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Each block of an element; text between them is a paragraph. */
function blocks(parent: PageNode, place: Place): string[] {
  const made: string[] = [];
  let line = '';
  const endLine = (): void => {
    const text = line
      .replace(/[ \t]+/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .trim();
    if (text !== '') made.push(text);
    line = '';
  };
  for (const node of parent.childNodes) {
    if (isBlock(node)) {
      endLine();
      // One by one: as arguments of one call, many blocks overflow the stack.
      for (const each of block(node, place)) made.push(each);
    } else line += inline(node, place);
  }
  endLine();
  return made;
}

function block(node: PageNode, place: Place): string[] {
  const name = nameOf(node);
  const heading = /^H([1-6])$/.exec(name)?.[1];
  if (heading !== undefined) {
    const text = inlineOf(node, place).replace(/\s+/g, ' ').trim();
    return text === '' ? [] : [`${'#'.repeat(Number(heading))} ${text}`];
  }
  switch (name) {
    case 'PRE':
      return [codeBlock(node)];
    case 'HR':
      return ['---'];
    case 'BLOCKQUOTE':
      return quoted(blocks(node, place));
    case 'UL':
    case 'OL':
      return [list(node, place)].filter((text) => text !== '');
    case 'TABLE':
      return table(node, place);
    default:
      return blocks(node, place);
  }
}

function codeBlock(node: PageNode): string {
  const text = codeOf(node).replace(/\n+$/, '').replace(/^\n/, '');
  const classes = [node, ...node.childNodes].map((each) => each.getAttribute?.('class') ?? '').join(' ');
  const language = /(?:language|lang|highlight-source)-([\w+#-]+)/.exec(classes)?.[1] ?? '';
  let ticks = 3;
  for (const [run] of text.matchAll(/`+/g)) ticks = Math.max(ticks, run.length + 1);
  const fence = '`'.repeat(ticks);
  return `${fence}${language}\n${text}\n${fence}`;
}

function codeOf(node: PageNode): string {
  if (node.nodeType === TEXT) return node.textContent ?? '';
  if (nameOf(node) === 'BR') return '\n';
  return [...node.childNodes].map(codeOf).join('');
}

function quoted(parts: readonly string[]): string[] {
  if (parts.length === 0) return [];
  return [
    parts
      .join('\n\n')
      .split('\n')
      .map((line) => `> ${line}`.trimEnd())
      .join('\n'),
  ];
}

function list(node: PageNode, place: Place): string {
  const items = [...node.childNodes].filter((child) => nameOf(child) === 'LI');
  const isOrdered = nameOf(node) === 'OL';
  const first = Number(node.getAttribute?.('start') ?? 1) || 1;
  return items
    .map((item, index) => {
      const mark = isOrdered ? `${first + index}. ` : '- ';
      const text = blocks(item, { ...place, lists: place.lists + 1 }).join('\n');
      return text === '' ? '' : mark + text.split('\n').join(`\n${' '.repeat(mark.length)}`);
    })
    .filter((text) => text !== '')
    .join('\n');
}

/** A table inside a cell is shown as its text. */
function table(node: PageNode, place: Place): string[] {
  const rows = inColumns(
    rowsOf(node).map((row) =>
      [...row.childNodes]
        .filter((cell) => /^T[DH]$/.test(nameOf(cell)))
        .map((cell) => ({
          text: cellText(cell, place),
          columns: spanOf(cell, 'colspan'),
          rows: spanOf(cell, 'rowspan'),
        })),
    ),
  );
  const width = longestRow(rows);
  if (width === 0) return blocks(node, place);
  // One column is layout, not data.
  if (width === 1) return rows.flat().filter((text) => text !== '');
  return [markdownRows(rows).join('\n')];
}

function spanOf(cell: PageNode, attribute: string): number {
  return Math.max(1, Math.floor(Number(cell.getAttribute?.(attribute) ?? 1)) || 1);
}

function rowsOf(node: PageNode): PageNode[] {
  return [...node.childNodes].flatMap((child) => {
    if (nameOf(child) === 'TR') return [child];
    return /^T(?:HEAD|BODY|FOOT)$/.test(nameOf(child)) ? rowsOf(child) : [];
  });
}

function cellText(cell: PageNode, place: Place): string {
  const text = blocks(cell, place).join(' ');
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
}

function inlineOf(node: PageNode, place: Place): string {
  return [...node.childNodes].map((child) => inline(child, place)).join('');
}

function inline(node: PageNode, place: Place): string {
  if (node.nodeType === TEXT) return (node.textContent ?? '').replace(/\s+/g, ' ');
  if (node.nodeType !== ELEMENT || DROPPED.has(nameOf(node))) return '';
  switch (nameOf(node)) {
    case 'BR':
      return '\n';
    case 'CODE':
    case 'KBD':
    case 'SAMP':
      return inCode(node.textContent ?? '');
    case 'STRONG':
    case 'B':
      return marked(inlineOf(node, place), '**');
    case 'EM':
    case 'I':
      return marked(inlineOf(node, place), '*');
    case 'A':
      return link(inlineOf(node, place), node.getAttribute?.('href') ?? '', place.url);
    case 'IMG':
      return picture(node.getAttribute?.('alt') ?? '');
    default:
      return isBlock(node) ? ` ${blocks(node, place).join(' ')} ` : inlineOf(node, place);
  }
}

function inCode(text: string): string {
  const shown = text.replace(/\s+/g, ' ');
  if (shown.trim() === '') return shown;
  const fence = shown.includes('`') ? '``' : '`';
  return `${fence}${shown}${fence}`;
}

/** White space stays outside, where Markdown needs it. */
function marked(text: string, mark: string): string {
  const [, before = '', inner = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return inner === '' ? text : `${before}${mark}${inner}${mark}${after}`;
}

function link(text: string, href: string, base: string): string {
  const target = href.startsWith('#') ? null : URL.parse(href, base);
  const label = text.trim();
  if (!target || !/^https?:$|^mailto:$/.test(target.protocol) || label === '') return text;
  return target.href === label ? `<${label}>` : `[${label}](${target.href})`;
}

function picture(alt: string): string {
  const text = alt.replace(/\s+/g, ' ').trim();
  return text === '' ? '' : `[picture: ${text}]`;
}

function isBlock(node: PageNode): boolean {
  return node.nodeType === ELEMENT && BLOCKS.has(nameOf(node));
}

function nameOf({ nodeName }: PageNode): string {
  return nodeName.toUpperCase();
}
