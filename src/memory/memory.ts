// The archive as the rest of Lainclaw uses it: save, search, list, forget, reindex, import. It knows chunks and terms; storage
// decides where they are kept.
import type {
  Archive,
  ArchiveDocument,
  ArchiveSummary,
  IndexProgress,
  Listed,
  NewDocument,
} from '../storage/archive.ts';
import type { Redaction } from '../storage/redaction.ts';
import type { SharedArchive } from '../storage/shared-archive.ts';
import { type MemoryReader, OWNER, readerWithin } from '../vocabulary/memory-scope.ts';
import { ANALYSER_VERSION, createAnalyser } from './analysis/analyser.ts';
import { chunkMarkdown } from './chunk.ts';
import { createCurrentIndex, type EnsureOptions } from './current-index.ts';
import { type Background, createBackground } from './embeddings/background.ts';
import type { Embeddings, EmbedOptions } from './embeddings/embeddings.ts';
import { createFacts, type Facts } from './facts.ts';
import type { ImportOptions, ImportReport } from './import-report.ts';
import { MemoryError } from './memory-error.ts';
import { hashOf, LONGEST_NOTE, type Note, type Saved } from './note.ts';
import type { Recall, RecallRequest } from './recall.ts';
import { type SearchOptions, type SearchResult, searchArchive } from './search.ts';
import { createTermsOf } from './terms-of.ts';
import { createWallClock, wallDay } from './time/wall-clock.ts';

const DEFAULT_SOURCE = 'manual';

/** The memory of everybody. It is used in the name of somebody only. */
export interface SharedMemory {
  as(reader: MemoryReader): Memory;
  /** What is extracted from conversations. */
  facts: Facts;
  /** Stops the background and unloads the model; nothing is written afterwards. */
  close(): void;
}

/** Memory as one reader sees it: what belongs to other scopes is not there. What is saved belongs to the reader's scope. */
export interface Memory {
  /** Resolves only after the note is durable. */
  save(note: Note): Promise<Saved>;
  /** Saves many notes in one transaction: all of them or none. */
  saveAll(notes: readonly Note[]): Promise<Saved[]>;
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  /** What bears on a question, within a small budget; undefined when nothing does. Never waits for a model to be loaded. */
  recall(request: RecallRequest): Promise<Recall | undefined>;
  /** `parts`: the text as it was cut into chunks. */
  get(id: string): Promise<{ document: ArchiveDocument; text: string; parts: string[] } | undefined>;
  summary(): Promise<ArchiveSummary>;
  /** The newest documents that are not turns of conversations. */
  latest(limit: number): Promise<Listed[]>;
  list(options?: { limit?: number; source?: string }): Promise<Listed[]>;
  /** Removes text, terms and vectors. Rejects when there is no document of that id. */
  forget(id: string): Promise<void>;
  /** Removes every document of a source. Returns their number; rejects when there is none. */
  forgetSource(source: string): Promise<number>;
  /** What of it is still there. Returns the number of removed documents. */
  forgetAll(ids: readonly string[]): Promise<number>;
  /** Documents that hold a text. */
  holding(redaction: Redaction): Promise<Listed[]>;
  /** Everything that was said in a session. */
  forgetSession(sessionId: string): Promise<void>;
  /** What was said in a session, but for these messages. */
  forgetTurns(sessionId: string, options: { except: ReadonlySet<string> }): Promise<void>;
  /** After an upgrade, waits until the index is rebuilt; searching without it uses the old one meanwhile. */
  prepareIndex(options?: EnsureOptions): Promise<void>;
  reindex(options?: {
    signal?: AbortSignal;
    onProgress?: (progress: IndexProgress) => void;
  }): Promise<{ chunks: number }>;
  /** Imports every Markdown file and document under a folder, except those unchanged since the last import. */
  importFolder(folder: string, options?: ImportOptions): Promise<ImportReport>;
  /**
   * Embeds the chunks that have no vector of the current model; can be stopped and continued at any time. Rejects when there is
   * no model.
   */
  embed(options?: EmbedOptions): Promise<IndexProgress>;
  /** Vectors for texts that are not in memory; undefined when there is no model. */
  embedTexts: Embeddings['embedTexts'];
  /** Lets the background embed missing chunks for at most this long; it continues with the next use. */
  settle(options: { milliseconds: number; signal?: AbortSignal }): Promise<void>;
}

export interface MemoryDependencies {
  archive: SharedArchive;
  embeddings: Embeddings;
  now(): number;
  /** Of the person: "yesterday" is a day there. */
  timezone(): string;
  newId(prefix: string): string;
  /** Approximate tokens of a chunk. */
  chunkSize?: number;
  /** True: each use embeds missing chunks in the background. */
  embedInBackground?: boolean;
}

export function createMemory(dependencies: MemoryDependencies): SharedMemory {
  const { archive: shared, embeddings, now, timezone, newId, chunkSize, embedInBackground = false } = dependencies;
  const background: Background | undefined = embedInBackground
    ? createBackground((options) => embeddings.embedPending(shared.as(OWNER), { ...options, whenBusy: 'leave' }))
    : undefined;
  const analyser = createAnalyser();
  const termsOf = createTermsOf(analyser);
  const clock = createWallClock({ now, timezone });

  const index = createCurrentIndex({ archive: shared.as(OWNER), termsOf, version: String(ANALYSER_VERSION) });

  async function ensureCurrent(archive: Archive): Promise<Archive> {
    await index.ensure();
    return archive;
  }

  function documentOf(note: Note): NewDocument {
    const content = note.content.toWellFormed();
    if (content.trim() === '') throw new MemoryError('MEMORY_EMPTY', 'the text is empty: give a text to save');
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

  const as = (reader: MemoryReader): Memory => {
    const archive = shared.as(reader);
    const memory: Memory = {
      async save(note) {
        const [saved] = await memory.saveAll([note]);
        if (!saved) throw new Error('a note was saved without an answer');
        return saved;
      },
      async saveAll(notes) {
        const documents = notes.map(documentOf);
        await index.check();
        for (const { supersedes } of notes)
          if (supersedes !== undefined && !(await archive.get(supersedes))) throw notFound(supersedes);
        const answers = await archive.add(documents, termsOf);
        background?.wake();
        return answers.map((answer, index) => ({ ...answer, chunks: documents[index]?.chunks.length ?? 0 }));
      },
      async search(query, options) {
        const outdated = await index.check();
        const dependencies = { archive, analyser, embedQuery: embeddings.embedQuery, clock };
        const found = await searchArchive(dependencies, query, options);
        background?.wake();
        if (outdated === undefined) return found;
        return { ...found, note: found.note === undefined ? outdated : `${outdated}; ${found.note}` };
      },
      async recall(request) {
        const { recallFrom } = await import('./recall.ts');
        await index.check();
        const { embedQueryIfLoaded: embedQuery } = embeddings;
        return recallFrom({ archive, analyser, embedQuery, clock, reader }, request);
      },
      async get(id) {
        const found = await archive.get(id);
        if (!found) return undefined;
        const parts = found.chunks.map(({ text }) => text);
        return { document: found.document, text: parts.join(''), parts };
      },
      summary: () => archive.summary(),
      latest: (limit) => archive.latest(limit),
      list: ({ limit = 50, source } = {}) => archive.list({ limit, source }),
      async forget(id) {
        if ((await (await ensureCurrent(archive)).remove([id], termsOf)) === 0) {
          throw notFound(id);
        }
      },
      async forgetSource(source) {
        const current = await ensureCurrent(archive);
        const removed = await current.remove(await current.idsOf(source), termsOf);
        if (removed > 0) return removed;
        throw new MemoryError(
          'MEMORY_NOT_FOUND',
          `there is nothing of the source "${source}": "lainclaw memory list" shows the sources there are`,
        );
      },
      forgetAll: async (ids) => (await ensureCurrent(archive)).remove(ids, termsOf),
      holding: (redaction) => archive.holding(redaction),
      async forgetSession(sessionId) {
        // Facts that other conversations confirmed stay.
        const ids = [...(await archive.idsOfSession(sessionId)), ...(await shared.facts.saidIn(sessionId))];
        if (ids.length > 0) await (await ensureCurrent(archive)).remove(ids, termsOf);
        await shared.facts.forgetSession(sessionId);
      },
      async forgetTurns(sessionId, { except }) {
        const kept = new Set([...except].map(hashOf));
        const gone: string[] = [];
        for (const id of await archive.idsOfSession(sessionId)) {
          const found = await archive.get(id);
          if (found && !kept.has(found.document.hash)) gone.push(id);
        }
        if (gone.length > 0) await (await ensureCurrent(archive)).remove(gone, termsOf);
      },
      prepareIndex: index.ensure,
      reindex: (options = {}) => archive.rebuild(termsOf, { version: String(ANALYSER_VERSION), ...options }),
      async importFolder(folder, options) {
        const { importFolder } = await import('./import-folder.ts');
        // The same folder may have been imported into another scope, which stays as it is.
        const own = shared.as(readerWithin(reader.scope));
        return importFolder({ memory, archive: own, remove: (ids) => own.remove(ids, termsOf) }, folder, options);
      },
      async embed(options = {}) {
        const progress = await embeddings.embedPending(archive, options);
        if (progress) return progress;
        throw new MemoryError(
          'MEMORY_MODEL',
          'no embedding model is set up: "lainclaw memory model add" gets the recommended one',
        );
      },
      embedTexts: embeddings.embedTexts,
      async settle(options) {
        await background?.settle(options);
      },
    };
    return memory;
  };
  const facts = createFacts({
    store: shared.facts,
    archive: () => ensureCurrent(shared.as(OWNER)),
    termsOf,
    documentOf,
    search: (reader, query, options) => as(reader).search(query, options),
    dayOf: (moment) => wallDay(moment, clock),
    now,
  });
  return {
    as,
    facts,
    close() {
      index.close();
      background?.close();
      embeddings.close();
    },
  };
}

function notFound(id: string): MemoryError {
  return new MemoryError('MEMORY_NOT_FOUND', `there is no memory "${id}": "lainclaw memory list" shows the ids`);
}

function isoDate(date: string): string {
  // Date.parse reads other forms in the American order, or not at all: 3.4.26 would be the fourth of March.
  const time = /^\d{4}-\d{2}-\d{2}(?:$|[T ])/.test(date.trim()) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(time)) throw new MemoryError('MEMORY_BAD_DATE', `"${date}" is not a date: write it like 2026-12-31`);
  return new Date(time).toISOString();
}
