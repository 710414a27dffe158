// Imports a folder of Markdown and documents (PDF, Office, …): each file is a document of the archive, its path the source. Files with unchanged content are skipped, a
// changed file replaces its old document, a moved file is found only at its new path. Documents of missing files stay and are
// reported, unless the caller wants to forget them; documents of an existing but empty folder are never forgotten, because its
// disk may be missing. Front matter gives title and date; links are not followed.
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import type { Archive } from '../storage/archive.ts';
import { headingOf } from './chunk.ts';
import { DOCUMENT_NAME, documentIdentity, documentNote, LARGEST_DOCUMENT } from './import-document.ts';
import type { ImportOptions, ImportReport } from './import-report.ts';
import { MemoryError } from './memory-error.ts';
import { hashOf, LONGEST_NOTE, type Note, type Saved } from './note.ts';

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
  const { paths, emptyFolders } = await filesToImport(resolve(folder), report);
  const head = join(resolve(folder), sep);
  const known = Map.groupBy(await archive.documentsBeginning(head), ({ source }) => source);
  const addedHashes = new Set<string>();
  for (let from = 0; from < paths.length; from += FILES_AT_ONCE) {
    signal?.throwIfAborted();
    const some = paths.slice(from, from + FILES_AT_ONCE);
    for (const path of some) onFile?.(path);
    const changed = await changedNotes(some);
    if (changed.length > 0) await replace(changed);
  }
  await settleGone();
  return report;

  /** Reads the files. Hashing one is much cheaper than cutting and analysing it, so an unchanged file costs no more than that. */
  async function changedNotes(some: readonly string[]): Promise<Note[]> {
    const files = await Promise.all(some.map((path) => readFileToImport(path, report)));
    const notes: Note[] = [];
    for (const file of files) {
      if (!file) continue;
      const before = known.get(file.path) ?? [];
      const isUnchanged = before.length === 1 && before[0]?.hash === hashOf(file.identity);
      if (isUnchanged) {
        report.files += 1;
        report.unchanged += 1;
        continue;
      }
      const note = await noteOf(file, report, signal);
      if (note) notes.push(note);
    }
    return notes;
  }

  async function replace(notes: readonly Note[]): Promise<void> {
    const saved = await memory.saveAll(notes);
    const outdated: string[] = [];
    for (const [index, { id, added, chunks }] of saved.entries()) {
      const { source = '', identity = '' } = notes[index] ?? {};
      const old = (known.get(source) ?? []).map((document) => document.id).filter((other) => other !== id);
      report.files += 1;
      if (!added && old.length === 0) report.unchanged += 1;
      else if (old.length > 0) report.changed += 1;
      else report.added += 1;
      if (added) report.chunks += chunks;
      if (added) addedHashes.add(hashOf(identity));
      outdated.push(...old);
    }
    if (outdated.length > 0) await remove(outdated);
  }

  async function settleGone(): Promise<void> {
    // An unreadable file is not gone, and the content of an unreadable folder is unknown.
    const there = new Set([...paths, ...report.skipped.map(({ path }) => path)]);
    const gone = [...known].filter(([source]) => isImported(source) && !there.has(source) && !isUnder(source, there));
    if (forgetGone && gone.length > 0 && paths.length === 0)
      throw new MemoryError(
        'MEMORY_FOLDER',
        `nothing is forgotten: there is no file to import under ${folder} any more, and ${gone.length} were imported from it. Is its disk missing? If they are really gone, "lainclaw memory forget --source <file>" forgets them`,
      );
    const removed: string[] = [];
    for (const [source, documents] of gone) {
      const isMoved = documents.every(({ hash }) => addedHashes.has(hash));
      const isForgotten = forgetGone && !isUnder(source, emptyFolders);
      if (isMoved) report.moved += 1;
      else if (isForgotten) report.forgotten += 1;
      else report.gone.push(source);
      if (isMoved || isForgotten) removed.push(...documents.map(({ id }) => id));
    }
    signal?.throwIfAborted();
    if (removed.length > 0) await remove(removed);
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

async function filesToImport(folder: string, report: ImportReport): Promise<FoundFiles> {
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
      else if (!isImported(entry.name)) continue;
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

interface FileToImport {
  path: string;
  /** The whole file: a changed date is a change. Of a document the hash of its bytes. */
  identity: string;
  modified: Date;
  isDocument: boolean;
}

function isImported(path: string): boolean {
  return MARKDOWN.test(path) || DOCUMENT_NAME.test(path);
}

async function readFileToImport(path: string, report: ImportReport): Promise<FileToImport | undefined> {
  const skip = (reason: string): undefined => void report.skipped.push({ path, reason });
  try {
    const { size, mtime } = await lstat(path);
    const isDocument = DOCUMENT_NAME.test(path);
    const largest = isDocument ? LARGEST_DOCUMENT : LARGEST_FILE;
    if (size > largest) return skip(`larger than ${largest} bytes`);
    if (isDocument) return { path, identity: await documentIdentity(path), modified: mtime, isDocument };
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
    return text.trim() === '' ? skip('empty') : { path, identity: text, modified: mtime, isDocument };
  } catch (error) {
    return skip(error instanceof TypeError ? 'not UTF-8 text' : (error as Error).message);
  }
}

async function noteOf(
  file: FileToImport,
  report: ImportReport,
  signal: AbortSignal = new AbortController().signal,
): Promise<Note | undefined> {
  const { path, identity: text, modified, isDocument } = file;
  const skip = (reason: string): undefined => void report.skipped.push({ path, reason });
  if (isDocument) {
    try {
      return (await documentNote(file, signal)) ?? skip('no text');
    } catch (error) {
      signal.throwIfAborted();
      return skip((error as Error).message);
    }
  }
  const { body, title, date, problem } = await frontMatter(text);
  if (problem) report.skipped.push({ path: `${path} (front matter only)`, reason: problem });
  const content = body.trim() === '' ? text : body;
  if (content.length > LONGEST_NOTE) {
    return skip(`longer than ${LONGEST_NOTE} characters: import it in parts`);
  }
  return {
    content,
    source: path,
    title: title ?? firstHeading(body) ?? basename(path),
    date: date ?? modified.toISOString(),
    identity: text,
  };
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
