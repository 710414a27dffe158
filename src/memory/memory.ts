// The archive as the rest of Lainclaw sees it: save, search, list, forget, reindex, import. It knows what a chunk and a term
// are; where they are kept is storage's business.
import type { Archive, ArchiveDocument, IndexProgress, Listed, NewDocument } from '../storage/archive.ts';
import { ANALYSER_VERSION, createAnalyser } from './analysis/analyser.ts';
import { chunkMarkdown } from './chunk.ts';
import { type Background, createBackground } from './embeddings/background.ts';
import type { Embeddings, EmbedOptions } from './embeddings/embeddings.ts';
import type { ImportOptions, ImportReport } from './import-report.ts';
import { MemoryError } from './memory-error.ts';
import { LONGEST_NOTE, type Note, type Saved } from './note.ts';
import { indexedText } from './rank.ts';
import { type SearchOptions, type SearchResult, searchArchive } from './search.ts';

const DEFAULT_SOURCE = 'manual';

export interface Memory {
  /** Resolves only after the note is durable. */
  save(note: Note): Promise<Saved>;
  /** One transaction for all: the way to save many. All are kept, or none. */
  saveAll(notes: readonly Note[]): Promise<Saved[]>;
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  get(id: string): Promise<{ document: ArchiveDocument; text: string } | undefined>;
  list(options?: { limit?: number; source?: string }): Promise<Listed[]>;
  /** Really removes: text, terms and vectors. Rejects when there is nothing of that id. */
  forget(id: string): Promise<void>;
  /** Of a source: everything that was saved under it. Returns how much that was; rejects when there is nothing. */
  forgetSource(source: string): Promise<number>;
  /** Everything that was said in a session. */
  forgetSession(sessionId: string): Promise<void>;
  reindex(options?: {
    signal?: AbortSignal;
    onProgress?: (progress: IndexProgress) => void;
  }): Promise<{ chunks: number }>;
  /** Every Markdown file under a folder; what is unchanged since the last time is left alone. */
  importFolder(folder: string, options?: ImportOptions): Promise<ImportReport>;
  /**
   * Gives vectors to the chunks that lack one of the current model; can be stopped and continued at any time. Rejects when
   * there is no model.
   */
  embed(options?: EmbedOptions): Promise<IndexProgress>;
  /** Lets the background give vectors to what has none, for at most so long; it goes on with the next use. */
  settle(options: { milliseconds: number; signal?: AbortSignal }): Promise<void>;
  /** Stops the background and unloads the model; nothing is written afterwards. */
  close(): void;
}

export interface MemoryDependencies {
  archive: Archive;
  embeddings: Embeddings;
  now(): number;
  newId(prefix: string): string;
  /** Tokens of a chunk, about. */
  chunkSize?: number;
  /** Whether each use gives vectors to what lacks them, beside what else the process does. */
  embedInBackground?: boolean;
}

export function createMemory(dependencies: MemoryDependencies): Memory {
  const { archive, embeddings, now, newId, chunkSize, embedInBackground = false } = dependencies;
  const background: Background | undefined = embedInBackground
    ? createBackground((options) => embeddings.embedPending(archive, { ...options, whenBusy: 'leave' }))
    : undefined;
  const analyser = createAnalyser();
  const termsOf = (chunk: { context: string; text: string }): string[] => analyser.terms(indexedText(chunk));
  const version = String(ANALYSER_VERSION);

  /**
   * Terms of another version can neither be searched nor taken out again: the index is rebuilt first. One that says nothing of
   * its version is new, or of a time when it was not recorded.
   */
  async function ensureCurrent(): Promise<Archive> {
    if ((await archive.indexVersion()) !== version) await archive.rebuild(termsOf, { version, unlessCurrent: true });
    return archive;
  }

  function documentOf(note: Note): NewDocument {
    const content = note.content.toWellFormed();
    if (content.trim() === '') throw new MemoryError('MEMORY_EMPTY', 'there is nothing to save: the text is empty');
    if (content.length > LONGEST_NOTE) {
      throw new MemoryError(
        'MEMORY_TOO_LONG',
        `the text has ${content.length} characters, at most ${LONGEST_NOTE} can be saved at once: save it in parts`,
      );
    }
    const { source = DEFAULT_SOURCE, title, speaker, session, supersedes } = note;
    const date = note.date === undefined ? new Date(now()).toISOString() : isoDate(note.date);
    const hash = hashOf(note.identity ?? content);
    const chunks = chunkMarkdown(content, { size: chunkSize, title });
    return { id: newId('mem'), source, title, date, speaker, session, hash, supersedes, chunks };
  }

  const memory: Memory = {
    async save(note) {
      const [saved] = await memory.saveAll([note]);
      if (!saved) throw new Error('a note was saved without an answer');
      return saved;
    },
    async saveAll(notes) {
      const documents = notes.map(documentOf);
      const answers = await (await ensureCurrent()).add(documents, termsOf);
      background?.wake();
      return answers.map((answer, index) => ({ ...answer, chunks: documents[index]?.chunks.length ?? 0 }));
    },
    async search(query, options) {
      const dependencies = { archive: await ensureCurrent(), analyser, embedQuery: embeddings.embedQuery };
      const found = await searchArchive(dependencies, query, options);
      background?.wake();
      return found;
    },
    async get(id) {
      const found = await archive.get(id);
      return found && { document: found.document, text: found.chunks.map(({ text }) => text).join('') };
    },
    list: ({ limit = 50, source } = {}) => archive.list({ limit, source }),
    async forget(id) {
      if ((await (await ensureCurrent()).remove([id], termsOf)) === 0) {
        throw new MemoryError(
          'MEMORY_NOT_FOUND',
          `there is no memory "${id}": "lainclaw memory list" shows what there is`,
        );
      }
    },
    async forgetSource(source) {
      const current = await ensureCurrent();
      const removed = await current.remove(await current.idsOf(source), termsOf);
      if (removed > 0) return removed;
      throw new MemoryError(
        'MEMORY_NOT_FOUND',
        `there is nothing of the source "${source}": "lainclaw memory list" shows the sources there are`,
      );
    },
    async forgetSession(sessionId) {
      const ids = await archive.idsOfSession(sessionId);
      if (ids.length > 0) await (await ensureCurrent()).remove(ids, termsOf);
    },
    reindex: (options = {}) => archive.rebuild(termsOf, { version, ...options }),
    async importFolder(folder, options) {
      const { importFolder } = await import('./import-folder.ts');
      return importFolder({ memory, archive, remove: (ids) => archive.remove(ids, termsOf) }, folder, options);
    },
    async embed(options = {}) {
      const progress = await embeddings.embedPending(archive, options);
      if (progress) return progress;
      throw new MemoryError(
        'MEMORY_MODEL',
        'no embedding model is set up: "lainclaw memory model add <folder or address>" and "memory model use" set one up',
      );
    },
    async settle(options) {
      await background?.settle(options);
    },
    close() {
      background?.close();
      embeddings.close();
    },
  };
  return memory;
}

/** Loaded with the first save only: a search never needs it. */
function hashOf(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text, 'base64url');
}

function isoDate(date: string): string {
  // Anything else is read in the American order, or not at all: 3.4.26 would be the fourth of March.
  const time = /^\d{4}-\d{2}-\d{2}(?:$|[T ])/.test(date.trim()) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(time)) throw new MemoryError('MEMORY_BAD_DATE', `"${date}" is no date: write it like 2026-12-31`);
  return new Date(time).toISOString();
}
