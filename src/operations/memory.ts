// What a person can do with the archive: notes, imported files, and the turns of sessions that remember.
import { FACT_KINDS } from '../vocabulary/fact.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';
import { ownerReading, ownerSaving, SCOPE } from './memory-scope.ts';
import type { OperationContext } from './operation.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, POSITIVE, TEXT, TIME, YES_OR_NO } from './schemas.ts';

/** What is spent on missing vectors once the result is ready. */
const SETTLE_MS = 2_000;

const FACT_KIND = { enum: FACT_KINDS, description: 'of a fact that was extracted from a conversation' } as const;
const SAVED = objectWith({ id: TEXT, added: YES_OR_NO, chunks: COUNT });
const PROGRESS = objectWith({ done: COUNT, total: COUNT });
const FOUND = objectWith(
  {
    id: TEXT,
    scope: TEXT,
    source: TEXT,
    date: TIME,
    score: { type: 'number' },
    text: TEXT,
    why: objectWith({ terms: listOf(TEXT) }, { vector: { type: 'number' } }),
  },
  {
    title: TEXT,
    context: TEXT,
    speaker: TEXT,
    session: TEXT,
    supersededBy: TEXT,
    kind: FACT_KIND,
    validFrom: TIME,
    validUntil: TIME,
    about: { ...listOf(TEXT), description: 'the days that its text names: 2026-11-10, or 2026-11-09/2026-11-15' },
  },
);
const NOTE = objectWith(
  { id: TEXT, scope: TEXT, source: TEXT, date: TIME, chunks: COUNT, head: TEXT },
  {
    title: TEXT,
    speaker: TEXT,
    session: TEXT,
    supersedes: TEXT,
    supersededBy: TEXT,
    hash: TEXT,
    kind: FACT_KIND,
    validFrom: TIME,
    validUntil: TIME,
  },
);

export const saveNote = defineOperation({
  name: 'memory.save',
  class: 'change',
  summary: 'Save a text as a note.',
  input: {
    type: 'object',
    properties: { content: TEXT, source: TEXT, title: TEXT, date: TEXT, supersedes: TEXT, scope: SCOPE },
    required: ['content'],
    additionalProperties: false,
  },
  output: SAVED,
  run: async ({ scope, ...note }, { runtime }) => (await runtime.memory()).as(ownerSaving(scope)).save(note),
});

export const searchMemory = defineOperation({
  name: 'memory.search',
  class: 'read',
  people: 'scope',
  summary: 'Find notes, files and turns by words and, with an embedding model, by meaning.',
  input: {
    type: 'object',
    properties: {
      query: TEXT,
      topK: { ...POSITIVE, default: 10 },
      budget: { ...POSITIVE, default: 2_500 },
      fusion: { enum: ['convex', 'reciprocal'], default: 'convex' },
      since: {
        type: 'string',
        description: 'only what was said from then on or is about then: a date, or words like "last week"',
      },
      until: { type: 'string', description: 'likewise, the day included' },
      scope: SCOPE,
    },
    required: ['query'],
    additionalProperties: false,
  },
  output: objectWith(
    { query: TEXT, mode: { enum: ['full-text', 'hybrid'] }, results: listOf(FOUND), leftOut: COUNT },
    { note: TEXT },
  ),
  async run({ query, scope, ...options }, { runtime, signal, isOneShot, onProgress }) {
    const memory = (await runtime.memory()).as(ownerReading(scope));
    if (isOneShot) await memory.prepareIndex({ signal, onProgress });
    return memory.search(query, { ...options, signal });
  },
});

export const listNotes = defineOperation({
  name: 'memory.list',
  class: 'read',
  people: 'scope',
  summary: 'List what was saved, the newest first.',
  input: {
    type: 'object',
    properties: { limit: { ...POSITIVE, default: 50 }, source: TEXT, scope: SCOPE },
    additionalProperties: false,
  },
  output: listOf(NOTE),
  run: async ({ scope, ...options }, { runtime }) => (await runtime.memory()).as(ownerReading(scope)).list(options),
});

export const forgetNote = defineOperation({
  name: 'memory.forget',
  class: 'danger',
  summary: 'Remove one note for good: its text, index and vectors.',
  input: { type: 'object', properties: { id: TEXT }, required: ['id'], additionalProperties: false },
  output: objectWith({ forgotten: COUNT }),
  async run({ id }, { runtime, signal, onProgress }) {
    const memory = (await runtime.memory()).as(OWNER);
    await memory.prepareIndex({ signal, onProgress });
    await memory.forget(id);
    return { forgotten: 1 };
  },
});

export const forgetSource = defineOperation({
  name: 'memory.forgetSource',
  class: 'danger',
  summary: 'Remove everything of one source for good.',
  input: {
    type: 'object',
    properties: { source: TEXT, scope: SCOPE },
    required: ['source'],
    additionalProperties: false,
  },
  output: objectWith({ forgotten: COUNT }),
  async run({ source, scope }, { runtime, signal, onProgress }) {
    const memory = (await runtime.memory()).as(ownerReading(scope));
    await memory.prepareIndex({ signal, onProgress });
    return { forgotten: await memory.forgetSource(source) };
  },
});

export const reindexMemory = defineOperation({
  name: 'memory.reindex',
  class: 'change',
  summary: 'Build the search index again from the saved texts.',
  input: NO_INPUT,
  output: objectWith({ chunks: COUNT }),
  run: async (_input, { runtime, signal, onProgress }) =>
    (await runtime.memory()).as(OWNER).reindex({ signal, onProgress }),
});

export const importFolder = defineOperation({
  name: 'memory.import',
  class: 'change',
  summary: 'Save every Markdown file and document (PDF, Office, …) below a folder; unchanged files are left alone.',
  input: {
    type: 'object',
    properties: { folder: TEXT, forgetGone: { ...YES_OR_NO, default: false }, scope: SCOPE },
    required: ['folder'],
    additionalProperties: false,
  },
  output: objectWith({
    files: COUNT,
    added: COUNT,
    changed: COUNT,
    unchanged: COUNT,
    moved: COUNT,
    gone: listOf(TEXT),
    forgotten: COUNT,
    chunks: COUNT,
    skipped: listOf(objectWith({ path: TEXT, reason: TEXT })),
  }),
  run: async ({ folder, forgetGone, scope }, { runtime, signal }) =>
    (await runtime.memory()).as(ownerSaving(scope)).importFolder(folder, { forgetGone, signal }),
});

export const embedNotes = defineOperation({
  name: 'memory.embed',
  class: 'change',
  summary: 'Give vectors to the notes that have none of the present embedding model.',
  input: {
    type: 'object',
    properties: { all: { ...YES_OR_NO, default: false, description: 'everything again' } },
    additionalProperties: false,
  },
  output: PROGRESS,
  run: async ({ all }, { runtime, signal, onProgress }) =>
    (await runtime.memory()).as(OWNER).embed({ all, signal, onProgress }),
});

/** Gives the background a moment to embed what was just saved or found; a reader calls it after it has shown the result. */
export async function settleMemory({ runtime, signal }: Pick<OperationContext, 'runtime' | 'signal'>): Promise<void> {
  await (await runtime.memory()).as(OWNER).settle({ milliseconds: SETTLE_MS, signal });
}
