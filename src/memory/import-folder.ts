// Imports a folder of Markdown: each file is a document, its path the source. Files with unchanged content are skipped, a
// changed file replaces its old document, a moved file is found only at its new path. Documents of missing files stay and are
// reported, unless the caller wants to forget them; documents of an existing but empty folder are never forgotten, because its
// disk may be missing. Front matter gives title and date; links are not followed.
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import type { Archive } from '../storage/archive.ts';
import { headingOf } from './chunk.ts';
import type { ImportOptions, ImportReport } from './import-report.ts';
import { MemoryError } from './memory-error.ts';
import { LONGEST_NOTE, type Note, type Saved } from './note.ts';

const LARGEST_FILE = 5 * 1024 * 1024;
const FILES_AT_ONCE = 100;
const MARKDOWN = /\.(md|markdown|mdx)$/i;

interface Dependencies {
  memory: { saveAll(notes: readonly Note[]): Promise<Saved[]> };
  archive: Archive;
  remove(ids: readonly string[]): Promise<number>;
}

export async function importFolder(
  { memory, archive, remove }: Dependencies,
  folder: string,
  { forgetGone = false, signal, onFile }: ImportOptions = {},
): Promise<ImportReport> {
  const counts = { files: 0, added: 0, changed: 0, unchanged: 0, moved: 0, forgotten: 0, chunks: 0 };
  const report: ImportReport = { ...counts, gone: [], skipped: [] };
  const { paths, emptyFolders } = await markdownFiles(resolve(folder), report);
  const addedIds: string[] = [];
  for (let from = 0; from < paths.length; from += FILES_AT_ONCE) {
    signal?.throwIfAborted();
    const notes: Note[] = [];
    for (const path of paths.slice(from, from + FILES_AT_ONCE)) {
      onFile?.(path);
      const note = await noteOf(path, report);
      if (note) notes.push(note);
    }
    const before = await Promise.all(notes.map(({ source = '' }) => archive.idsOf(source)));
    const saved = await memory.saveAll(notes);
    const outdated: string[] = [];
    for (const [index, { id, added, chunks }] of saved.entries()) {
      const old = (before[index] ?? []).filter((other) => other !== id);
      report.files += 1;
      if (!added && old.length === 0) report.unchanged += 1;
      else if (old.length > 0) report.changed += 1;
      else report.added += 1;
      if (added) report.chunks += chunks;
      if (added) addedIds.push(id);
      outdated.push(...old);
    }
    if (outdated.length > 0) await remove(outdated);
  }
  await settleGone();
  return report;

  async function settleGone(): Promise<void> {
    // An unreadable file is not gone, and the content of an unreadable folder is unknown.
    const there = new Set([...paths, ...report.skipped.map(({ path }) => path)]);
    const head = join(resolve(folder), sep);
    const known = (await archive.sourcesBeginning(head)).filter((source) => MARKDOWN.test(source));
    const gone = known.filter((source) => !there.has(source) && !isUnder(source, there));
    if (forgetGone && gone.length > 0 && paths.length === 0)
      throw new MemoryError(
        'MEMORY_FOLDER',
        `nothing is forgotten: there is no Markdown file under ${folder} any more, and ${gone.length} were imported from it. Is its disk missing? If they are really gone, "lainclaw memory forget --source <file>" forgets them`,
      );
    const added = gone.length > 0 ? await Promise.all(addedIds.map((id) => archive.get(id))) : [];
    const texts = new Set(added.map((found) => found?.document.hash));
    for (const source of gone) {
      signal?.throwIfAborted();
      const documents = await archive.list({ limit: 1_000, source });
      const isMoved = documents.every(({ hash }) => texts.has(hash));
      const isForgotten = forgetGone && !isUnder(source, emptyFolders);
      if (isMoved) report.moved += 1;
      else if (isForgotten) report.forgotten += 1;
      else report.gone.push(source);
      if (isMoved || isForgotten) await remove(documents.map(({ id }) => id));
    }
  }
}

function isUnder(path: string, folders: ReadonlySet<string>): boolean {
  return [...path.matchAll(/[\\/]/g)].some(({ index }) => folders.has(path.slice(0, index)));
}

interface FoundFiles {
  paths: string[];
  /** Folders whose disk may be missing. */
  emptyFolders: Set<string>;
}

async function markdownFiles(folder: string, report: ImportReport): Promise<FoundFiles> {
  const paths: string[] = [];
  const emptyFolders = new Set<string>();
  const waiting = [folder];
  for (let inside = waiting.pop(); inside !== undefined; inside = waiting.pop()) {
    const entries = await readdir(inside, { withFileTypes: true }).catch((error: unknown) => {
      if (inside === folder) throw new MemoryError('MEMORY_FOLDER', whyNot(folder, error as Error), error);
      report.skipped.push({ path: inside as string, reason: (error as Error).message });
      return [];
    });
    if (entries.length === 0) emptyFolders.add(inside);
    for (const entry of entries) {
      const path = join(inside, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (!MARKDOWN.test(entry.name)) continue;
      else if (entry.isFile()) paths.push(path);
      else report.skipped.push({ path, reason: 'not a regular file' });
    }
  }
  return { paths: paths.sort(), emptyFolders };
}

function whyNot(folder: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return `there is no folder ${folder}`;
  if (error.code === 'ENOTDIR')
    return `${folder} is not a folder: import the one it is in, or save it alone with "lainclaw memory save - < file"`;
  return `cannot read the folder ${folder}: ${error.message}`;
}

async function noteOf(path: string, report: ImportReport): Promise<Note | undefined> {
  const skip = (reason: string): undefined => void report.skipped.push({ path, reason });
  try {
    const { size, mtime } = await lstat(path);
    if (size > LARGEST_FILE) return skip(`larger than ${LARGEST_FILE} bytes`);
    const bytes = await readFile(path);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (text.trim() === '') return skip('empty');
    const { body, title, date, problem } = await frontMatter(text);
    if (problem) report.skipped.push({ path: `${path} (front matter only)`, reason: problem });
    const content = body.trim() === '' ? text : body;
    if (content.length > LONGEST_NOTE) return skip(`longer than ${LONGEST_NOTE} characters: import it in parts`);
    return {
      content,
      source: path,
      title: title ?? firstHeading(body) ?? basename(path),
      date: date ?? mtime.toISOString(),
      // The whole file: a changed date is a change.
      identity: text,
    };
  } catch (error) {
    return skip(error instanceof TypeError ? 'not UTF-8 text' : (error as Error).message);
  }
}

interface FrontMatter {
  body: string;
  title?: string;
  date?: string;
  problem?: string;
}

async function frontMatter(text: string): Promise<FrontMatter> {
  const [whole, source] = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text) ?? [];
  if (whole === undefined || source === undefined) return { body: text };
  const body = text.slice(whole.length);
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(source);
  } catch (error) {
    return { body, problem: `unreadable front matter: ${(error as Error).message.split('\n')[0]}` };
  }
  if (typeof value !== 'object' || value === null) return { body };
  const fields = value as Record<string, unknown>;
  const found: FrontMatter = { body };
  if (typeof fields.title === 'string' && fields.title.trim() !== '') found.title = fields.title.trim();
  const date = fields.date ?? fields.created ?? fields.updated;
  const time = date instanceof Date ? date.getTime() : Date.parse(String(date ?? ''));
  if (!Number.isNaN(time)) found.date = new Date(time).toISOString();
  return found;
}

function firstHeading(body: string): string | undefined {
  for (const [line] of body.matchAll(/^ {0,3}#.*/gm)) {
    const title = headingOf(line)?.title;
    if (title) return title;
  }
  return undefined;
}
