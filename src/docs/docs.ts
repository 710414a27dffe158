// The documentation of the installed version: lists pages, reads a page or section, searches. Pages are read once; an
// address is only looked up among them, so it can never lead to another file.
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nearest } from '../lib/nearest.ts';
import { DocsError } from './docs-error.ts';
import { createMeaning, type EmbedTexts, type MeaningRanking } from './meaning.ts';
import { type Page, parsePage, slugOf } from './page.ts';
import { closeness, createRanking, joinRankings, queryWords, type Ranking } from './rank.ts';
import { wordsOf } from './words.ts';

const MOST_PAGES = 1_000;
const MOST_BYTES = 1_048_576;
const DEEPEST = 8;
const SNIPPET_LENGTH = 300;
const DEFAULT_TOP_K = 5;
const PATIENCE_MS = 5_000;

export interface DocsEntry {
  path: string;
  title: string;
  sections: { address: string; heading: string; level: number }[];
}

export interface DocsText {
  /** The address that was read: `tools/docs.md` or `tools/docs.md#section`. */
  address: string;
  title: string;
  text: string;
}

export interface DocsHit {
  /** The address for `read`. */
  address: string;
  /** The headings above the section, and its own. */
  title: string;
  snippet: string;
  score: number;
}

export interface Docs {
  list(): Promise<DocsEntry[]>;
  /** `tools/docs.md` or `tools/docs.md#section`. Rejects with a suggestion when there is no such page or section. */
  read(address: string): Promise<DocsText>;
  /** Best first; empty when nothing matches. Any text is a query. */
  search(query: string, options?: { topK?: number }): Promise<DocsHit[]>;
}

interface Library {
  pages: Map<string, Page>;
  ranking: Ranking;
  meaning?: MeaningRanking;
}

export interface DocsDependencies {
  /** Called once, on first use. */
  directory(): Promise<string>;
  /** Also finds by meaning, where there is a model. */
  embed?: EmbedTexts;
}

export function createDocs({ directory, embed }: DocsDependencies): Docs {
  let opened: Promise<Library> | undefined;
  const open = (): Promise<Library> => {
    opened ??= openLibrary(directory, embed);
    return opened;
  };
  return {
    async list() {
      const { pages } = await open();
      return [...pages.values()].map(({ path, title, sections }) => ({
        path,
        title,
        sections: sections
          .filter(({ level }) => level > 1)
          .map(({ slug, heading, level }) => ({ address: `${path}#${slug}`, heading, level })),
      }));
    },

    async read(address) {
      const { path, fragment } = parseAddress(address);
      const { pages } = await open();
      const page = pages.get(path);
      if (!page) throw unknownPage(path, [...pages.keys()]);
      if (fragment === '') return { address: path, title: page.title, text: page.text };
      const section = page.sections.find(({ slug }) => slug === fragment || slug === slugOf(fragment));
      if (!section) throw unknownSection(page, fragment);
      return { address: `${path}#${section.slug}`, title: section.trail.join(' › '), text: section.whole };
    },

    async search(query, { topK = DEFAULT_TOP_K } = {}) {
      const { pages, ranking, meaning } = await open();
      const words = queryWords(query);
      const byWords = ranking.rank(query);
      const likeness = await meaning?.likeness(query);
      const ranked = likeness ? joinRankings(byWords, likeness, [...pages.values()]) : byWords;
      return ranked.slice(0, topK).map(({ page, section, score }) => ({
        address: section.level > 1 ? `${page.path}#${section.slug}` : page.path,
        title: section.trail.join(' › '),
        snippet: snippetOf(section.prose, words) || snippetOf(section.code, words),
        score: Math.round(score * 1_000) / 1_000,
      }));
    },
  };
}

/** The documentation directory of the package that contains `from`, a directory of its code. */
export async function findDocsDirectory(from: string): Promise<string> {
  for (let at = from, steps = 0; steps < DEEPEST; at = join(at, '..'), steps += 1) {
    const manifest = await readFile(join(at, 'package.json'), 'utf8').catch(() => '');
    if (/"name"\s*:\s*"lainclaw"/.test(manifest)) return join(at, 'docs');
  }
  throw missing();
}

async function openLibrary(directory: () => Promise<string>, embed: EmbedTexts | undefined): Promise<Library> {
  const root = await directory();
  const pages = new Map<string, Page>();
  for (const path of await findPages(root)) {
    const text = await readFile(join(root, path), 'utf8').catch((cause: unknown) => {
      throw missing(cause);
    });
    pages.set(path, parsePage(path, text));
  }
  if (pages.size === 0) throw missing();
  const all = [...pages.values()];
  return {
    pages,
    ranking: createRanking(all),
    ...(embed && { meaning: createMeaning(all, { embed, patienceMs: PATIENCE_MS }) }),
  };
}

/** Markdown files in order; pages of a folder come before those of its subfolders. */
async function findPages(root: string): Promise<string[]> {
  const found: string[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((cause: unknown) => {
      throw missing(cause);
    });
    entries.sort((a, b) => Number(a.isDirectory()) - Number(b.isDirectory()) || (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && depth < DEEPEST) await visit(path, depth + 1);
      if (!entry.isFile() || !entry.name.endsWith('.md') || found.length >= MOST_PAGES) continue;
      if ((await lstat(join(root, path))).size <= MOST_BYTES) found.push(path);
    }
  };
  await visit('', 1);
  return found;
}

function parseAddress(address: string): { path: string; fragment: string } {
  const [path = '', ...fragments] = address.trim().split('#');
  const parts = path.replace(/^\.\//, '').split('/');
  const refused = path.startsWith('/') || /^[a-z]:|[\\\0]/i.test(path) || parts.includes('..');
  if (path === '' || refused) {
    throw new DocsError(
      'DOCS_INVALID_PATH',
      `"${address.slice(0, 200)}" is not the address of a page: give an address like tools/overview.md or tools/overview.md#results`,
    );
  }
  return { path: parts.join('/'), fragment: fragments.join('#') };
}

function unknownPage(path: string, paths: readonly string[]): DocsError {
  const near = similar(path, paths) ?? similar(path.replace(/^docs\//, '').replace(/(\.md)?$/, '.md'), paths);
  const shown = path.slice(0, 200);
  return new DocsError(
    'DOCS_NOT_FOUND',
    `there is no page "${shown}"${near ? ` (did you mean ${near}?)` : ''}; there is ${paths.join(', ')}`,
  );
}

function similar(path: string, paths: readonly string[]): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return (
    paths.find((other) => other === path) ??
    paths.find((other) => other.endsWith(`/${name}`)) ??
    nearest(path.slice(0, 100), paths)
  );
}

function unknownSection({ path, sections }: Page, fragment: string): DocsError {
  const slugs = sections.map(({ slug }) => slug).filter((slug) => slug !== '');
  const near = nearest(slugOf(fragment).slice(0, 100), slugs);
  return new DocsError(
    'DOCS_NOT_FOUND',
    `${path} has no section "${fragment.slice(0, 200)}"${near ? ` (did you mean ${path}#${near}?)` : ''}; it has ${slugs.map((slug) => `#${slug}`).join(', ')}`,
  );
}

/** The lines around the one with most of the words. */
function snippetOf(text: string, words: readonly string[]): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(#{1,6}\s|```|~~~|\|[-|: ]+\|$)/.test(line));
  const scores = lines.map((line) => {
    const there = wordsOf(line);
    return words.filter((word) => there.some((other) => closeness(word, other) > 0)).length;
  });
  const best = Math.max(0, scores.indexOf(Math.max(0, ...scores)));
  const snippet = lines.slice(best).join(' ');
  return snippet.length > SNIPPET_LENGTH ? `${snippet.slice(0, SNIPPET_LENGTH)}…` : snippet;
}

function missing(cause?: unknown): DocsError {
  return new DocsError(
    'DOCS_MISSING',
    'the documentation of this installation is missing: install Lainclaw again',
    cause,
  );
}
