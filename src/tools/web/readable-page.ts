// The main text of a page as Markdown: what a reader's view of a browser shows, without navigation, banners and scripts. A page that
// has no such part is shown whole, without what is never text. Size and nesting are bounded first: the parser keeps all in memory.
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { toMarkdown } from './to-markdown.ts';

const MOST_CHARACTERS = 2_000_000;
const DEEPEST = 400;
/** Of the text of the whole page; less means that the main part was not recognised. */
const LEAST_SHARE = 0.15;
const ENOUGH_CHARACTERS = 500;
const NAVIGATION = 'nav, [role="navigation"]';
const NEVER_TEXT =
  'script, style, noscript, template, svg, iframe, nav, header, footer, aside, form, [hidden], [aria-hidden="true"]';

export interface ReadablePage {
  title: string;
  markdown: string;
  /** The page was longer than what is read of one. */
  isCut: boolean;
}

export function readablePage(html: string, url: string): ReadablePage {
  const isCut = html.length > MOST_CHARACTERS;
  const text = isCut ? html.slice(0, MOST_CHARACTERS) : html;
  if (nestingOf(text) > DEEPEST) return { title: titleIn(text), markdown: withoutTags(text), isCut };
  const { title, main } = mainPart(text);
  const whole = wholeBody(text, url);
  const markdown = main === undefined ? '' : toMarkdown(documentOf(main).body, url);
  const isMain = markdown.length >= Math.min(ENOUGH_CHARACTERS, whole.length * LEAST_SHARE);
  return { title: title || titleIn(text), markdown: isMain && markdown !== '' ? markdown : whole, isCut };
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

const VOID = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;

/** How deep elements are nested, about: what closes nothing is counted as open. */
function nestingOf(html: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [, slash, name = '', end] of html.matchAll(/<(\/?)([a-z][a-z0-9-]*)[^>]*?(\/?)>/gi)) {
    if (VOID.test(name) || end === '/' || /^(?:p|li|td|tr|th|dd|dt|option)$/i.test(name)) continue;
    depth = Math.max(0, depth + (slash === '/' ? -1 : 1));
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function titleIn(html: string): string {
  const [, title = ''] = /<title[^>]*>([^<]*)/i.exec(html) ?? [];
  return title.replace(/\s+/g, ' ').trim();
}

function withoutTags(html: string): string {
  const text = html.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
  return text
    .replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim();
}
