// Cuts a Markdown page into sections at its headings, ignoring code fences. Each section has the address that GitHub gives
// it, so a link copied from a browser works.

export interface Section {
  /** Unique within the page; '' for the text before the first heading. */
  slug: string;
  heading: string;
  /** 1–6; 0 for the text before the first heading. */
  level: number;
  /** Headings above the section, outermost first, its own last. */
  trail: string[];
  /** The heading and text, without the sections below it. */
  own: string;
  /** The section's own text outside code fences, and inside. */
  prose: string;
  code: string;
  /** The heading and text, with the sections below it. */
  whole: string;
}

export interface Page {
  /** Relative to the documentation's directory, '/' between parts. */
  path: string;
  /** The first heading of the first level, otherwise the path. */
  title: string;
  text: string;
  sections: Section[];
}

interface Heading {
  line: number;
  level: number;
  text: string;
}

export function parsePage(path: string, text: string): Page {
  const lines = text.split(/\r?\n/);
  const { headings, fenced } = readLines(lines);
  const ownText = (from: number, to: number): Pick<Section, 'own' | 'prose' | 'code'> => ({
    own: textOf(lines.slice(from, to)),
    prose: textOf(lines.slice(from, to).filter((_, index) => !fenced.has(from + index))),
    code: textOf(lines.slice(from, to).filter((_, index) => fenced.has(from + index))),
  });
  const slugs = new Map<string, number>();
  const open: Heading[] = [];
  const sections = headings.map((heading, index): Section => {
    while ((open.at(-1)?.level ?? 0) >= heading.level) open.pop();
    open.push(heading);
    const next = headings[index + 1]?.line ?? lines.length;
    const after = headings.slice(index + 1).find(({ level }) => level <= heading.level)?.line ?? lines.length;
    return {
      slug: uniqueSlug(slugOf(heading.text), slugs),
      heading: heading.text,
      level: heading.level,
      trail: open.map((above) => above.text),
      ...ownText(heading.line, next),
      whole: textOf(lines.slice(heading.line, after)),
    };
  });
  const title = headings.find(({ level }) => level === 1)?.text ?? path;
  const opening = ownText(0, headings[0]?.line ?? lines.length);
  if (opening.own !== '')
    sections.unshift({ slug: '', heading: title, level: 0, trail: [title], ...opening, whole: opening.own });
  return { path, title, text: text.trimEnd(), sections };
}

export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}

/** The headings, and the line numbers inside code fences. */
function readLines(lines: readonly string[]): { headings: Heading[]; fenced: Set<number> } {
  const headings: Heading[] = [];
  const fenced = new Set<number>();
  let fence: string | undefined;
  for (const [line, text] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(text);
    if (mark || fence !== undefined) fenced.add(line);
    if (fence !== undefined) {
      const closes = mark?.[1]?.startsWith(fence) && mark[2]?.trim() === '';
      if (closes) fence = undefined;
    } else if (mark) {
      fence = mark[1];
    } else {
      const found = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/.exec(text);
      if (found) headings.push({ line, level: found[1]?.length ?? 1, text: plain(found[2] ?? '') });
    }
  }
  return { headings, fenced };
}

/** A heading without Markdown marks and link targets. */
function plain(heading: string): string {
  return heading
    .replace(/[ \t]+#+[ \t]*$/, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .trim();
}

function uniqueSlug(slug: string, taken: Map<string, number>): string {
  const count = taken.get(slug) ?? 0;
  taken.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

function textOf(lines: readonly string[]): string {
  return lines.join('\n').trim();
}
