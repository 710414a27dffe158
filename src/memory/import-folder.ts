// Importing a folder of Markdown: every file a document, its path the source. Unchanged files are left alone (by content),
// changed ones replace what they were. Front matter gives title and date; links are not followed.
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Archive } from '../storage/archive.ts';
import type { Memory, Note } from './memory.ts';
import { MemoryError } from './memory-error.ts';

const LARGEST_FILE = 5 * 1024 * 1024;
const FILES_AT_ONCE = 100;

export interface ImportReport {
  files: number;
  added: number;
  changed: number;
  unchanged: number;
  chunks: number;
  skipped: { path: string; reason: string }[];
}

interface Dependencies {
  memory: Pick<Memory, 'saveAll'>;
  archive: Archive;
  remove(ids: readonly string[]): Promise<number>;
}

export async function importFolder(
  { memory, archive, remove }: Dependencies,
  folder: string,
  { signal, onFile }: { signal?: AbortSignal; onFile?: (path: string) => void } = {},
): Promise<ImportReport> {
  const report: ImportReport = { files: 0, added: 0, changed: 0, unchanged: 0, chunks: 0, skipped: [] };
  const paths = await markdownFiles(resolve(folder), report);
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
      outdated.push(...old);
    }
    if (outdated.length > 0) await remove(outdated);
  }
  return report;
}

async function markdownFiles(folder: string, report: ImportReport): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((error: unknown) => {
    throw new MemoryError('MEMORY_FOLDER', `cannot read the folder ${folder}: ${(error as Error).message}`, error);
  });
  const paths = entries
    .filter((entry) => /\.(md|markdown|mdx)$/i.test(entry.name))
    .flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) return [path];
      if (!entry.isDirectory()) report.skipped.push({ path, reason: 'not a regular file' });
      return [];
    });
  return paths.sort();
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
  const [, title] = /^#{1,6}[ \t]+(.+?)[ \t]*#*$/m.exec(body) ?? [];
  return title;
}
