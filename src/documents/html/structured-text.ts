// The text that a page gives to search engines (JSON-LD, schema.org): all that there is of a page whose scripts write everything a
// person sees. What describes the site, its publisher and its menus is left out.
import type { PageNode } from './to-markdown.ts';

const DEEPEST = 12;
const MOST_CHARACTERS = 1_000_000;
const TITLES = ['headline', 'name'];
const TEXTS = ['description', 'articleBody', 'text', 'reviewBody'];
const LISTS = ['recipeIngredient', 'tool', 'supply'];
/** What holds more of the same page. */
const PARTS = [
  '@graph',
  'mainEntity',
  'mainEntityOfPage',
  'acceptedAnswer',
  'suggestedAnswer',
  'recipeInstructions',
  'step',
  'itemListElement',
  'item',
  'hasPart',
];
const AROUND = /^(?:WebSite|Organization|Person|BreadcrumbList|SiteNavigationElement|ImageObject|SearchAction|Brand)$/;

type Thing = Readonly<Record<string, unknown>>;

interface PageWithScripts {
  querySelectorAll(selector: string): Iterable<PageNode>;
}

/** `asMarkdown`: of a text in which there are tags. */
export function structuredText(page: PageWithScripts, asMarkdown: (html: string) => string): string {
  const blocks: string[] = [];
  let left = MOST_CHARACTERS;
  for (const script of page.querySelectorAll('script[type="application/ld+json"]')) {
    collect(parsed(script.textContent ?? ''), 0);
  }
  return [...new Set(blocks)].join('\n\n');

  function collect(value: unknown, depth: number): void {
    if (depth > DEEPEST || left <= 0) return;
    if (Array.isArray(value)) for (const each of value) collect(each, depth + 1);
    else if (typeof value === 'string') put(textOf(value));
    else if (isThing(value) && !isAround(value)) collectThing(value, depth);
  }

  function collectThing(thing: Thing, depth: number): void {
    const title = TITLES.map((key) => thing[key]).find((text) => typeof text === 'string');
    if (typeof title === 'string') put(`## ${textOf(title).replace(/\s+/g, ' ')}`);
    const facts = [nameOf(thing.author), thing.datePublished ?? thing.startDate, nameOf(thing.location)];
    put(facts.filter((fact) => typeof fact === 'string' && fact !== '').join(', '));
    for (const key of TEXTS) if (typeof thing[key] === 'string') put(textOf(thing[key]));
    for (const key of LISTS) {
      const items = Array.isArray(thing[key]) ? thing[key].filter((item) => typeof item === 'string') : [];
      put(items.map((item) => `- ${textOf(item)}`).join('\n'));
    }
    for (const key of PARTS)
      if (typeof thing[key] === 'object' || key === 'recipeInstructions') collect(thing[key], depth + 1);
  }

  function put(text: string): void {
    if (text === '') return;
    blocks.push(text);
    left -= text.length;
  }

  function textOf(text: string): string {
    return (/<\/?[a-z][^<>]*>/i.test(text) ? asMarkdown(text) : text).trim();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isThing(value: unknown): value is Thing {
  return typeof value === 'object' && value !== null;
}

function isAround(thing: Thing): boolean {
  return [thing['@type']].flat().some((type) => typeof type === 'string' && AROUND.test(type));
}

/** Of a person or a place, or of several. */
function nameOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(nameOf).filter(Boolean).join(', ');
  return isThing(value) && typeof value.name === 'string' ? value.name : '';
}
