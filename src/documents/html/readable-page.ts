// The main text of a page as Markdown: what a reader's view of a browser shows, without navigation, banners and scripts. A page that
// has no such part is shown whole, without what is never text. Size and nesting are bounded first: the parser keeps all in memory.
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { structuredText } from './structured-text.ts';
import { toMarkdown } from './to-markdown.ts';

const MOST_CHARACTERS = 2_000_000;
const DEEPEST = 400;
/** Of the text of the whole page; less means that the main part was not recognised. */
const LEAST_SHARE = 0.15;
const ENOUGH_CHARACTERS = 500;
/** Characters: a title and a line that asks for scripts. */
const NEXT_TO_NOTHING = 200;
const NAVIGATION = 'nav, [role="navigation"]';
const NEVER_TEXT =
  'script, style, noscript, template, svg, iframe, nav, header, footer, aside, form, [hidden], [aria-hidden="true"]';

export interface ReadablePage {
  title: string;
  markdown: string;
  /** The page was longer than what is read of one. */
  isCut: boolean;
  /** It has scripts and next to no text. */
  needsScripts: boolean;
}

export function readablePage(html: string, url: string): ReadablePage {
  const isCut = html.length > MOST_CHARACTERS;
  const text = isCut ? html.slice(0, MOST_CHARACTERS) : html;
  if (nestingOf(text) > DEEPEST)
    return { title: titleIn(text), markdown: withoutTags(text), isCut, needsScripts: false };
  const { title, main } = mainPart(text);
  const whole = wholeBody(text, url);
  const markdown = main === undefined ? '' : toMarkdown(documentOf(main).body, url);
  const isMain = markdown.length >= Math.min(ENOUGH_CHARACTERS, whole.length * LEAST_SHARE);
  const shown = (isMain ? markdown : whole) || whole;
  const described = shown.length < ENOUGH_CHARACTERS ? describedText(text, url) : '';
  const needsScripts = Math.max(shown.length, described.length) < NEXT_TO_NOTHING && /<script[\s>]/i.test(text);
  // The parser loses a body that no head is before.
  const best = (described.length > shown.length ? described : shown) || withoutTags(text);
  return { title: title || titleIn(text), markdown: best, isCut, needsScripts };
}

/** What the page says of itself where it has no text: to search engines, or in one sentence. */
function describedText(html: string, url: string): string {
  const page = documentOf(html);
  const structured = structuredText(page, (text) => toMarkdown(documentOf(text).body, url));
  const [sentence] = ['meta[name="description"]', 'meta[property="og:description"]'].flatMap(
    (selector) => page.querySelector(selector)?.getAttribute('content')?.trim() || [],
  );
  return structured || sentence || '';
}

/** All of a page: what is known to be the text, as a chapter of a book. */
export function wholePage(html: string, url: string): string {
  const text = html.slice(0, MOST_CHARACTERS);
  return nestingOf(text) > DEEPEST ? withoutTags(text) : wholeBody(text, url);
}

function mainPart(html: string): { title: string; main: string | undefined } {
  const document = documentOf(html);
  for (const element of document.querySelectorAll(NAVIGATION)) element.remove();
  const article = new Readability(document as never, { charThreshold: 100, keepClasses: true }).parse();
  return { title: article?.title?.trim() ?? '', main: article?.content ?? undefined };
}

function wholeBody(html: string, url: string): string {
  const { body } = documentOf(html);
  for (const element of body.querySelectorAll(NEVER_TEXT)) element.remove();
  return toMarkdown(body, url);
}

/** The parser wants the elements that browsers add. */
function documentOf(html: string): ReturnType<typeof parseHTML>['document'] {
  const isWhole = /<html[\s>]/i.test(html);
  return parseHTML(isWhole ? html : `<!doctype html><html><head></head><body>${html}</body></html>`).document;
}

const LONGEST_NAME = 40;
const LONGEST_TITLE = 2_000;
const TAG_NAME = /^[a-z][a-z0-9-]*/i;
const CLOSED_BY_OTHERS = /^(?:p|li|td|tr|th|dd|dt|option)$/i;
const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/**
 * How deep elements are nested, about: what closes nothing is counted as open. One pass: a page must not be able to make it
 * look at the same bytes again and again.
 */
function nestingOf(html: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at + 1)) {
    const isEnd = html[at + 1] === '/';
    const name = TAG_NAME.exec(html.slice(at + (isEnd ? 2 : 1), at + LONGEST_NAME))?.[0] ?? '';
    if (name === '' || VOID.test(name) || CLOSED_BY_OTHERS.test(name)) continue;
    depth = Math.max(0, depth + (isEnd ? -1 : 1));
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function titleIn(html: string): string {
  const at = html.search(/<title[\s>]/i);
  if (at < 0) return '';
  const from = html.indexOf('>', at) + 1;
  const to = html.indexOf('<', from);
  return from > 0 && to > from && to - from < LONGEST_TITLE ? html.slice(from, to).replace(/\s+/g, ' ').trim() : '';
}

/** Without scripts, styles and tags, in one pass. */
function withoutTags(html: string): string {
  const kept: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open < 0) {
      kept.push(html.slice(at));
      break;
    }
    kept.push(html.slice(at, open));
    const [, name] = /^<(script|style)[\s>]/i.exec(html.slice(open, open + LONGEST_NAME)) ?? [];
    const end = name ? endOf(html, name, open) : html.indexOf('>', open);
    if (end < 0) break;
    at = end + 1;
  }
  return kept
    .join(' ')
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();
}

/** Where the closing tag of a script or style ends; -1: nowhere. */
function endOf(html: string, name: string, from: number): number {
  const close = html.slice(from).search(new RegExp(`</${name}`, 'i'));
  return close < 0 ? -1 : html.indexOf('>', from + close);
}
