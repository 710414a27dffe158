// Embedding models on this machine, and which of them memory uses.
import { MemoryError } from '../memory/memory-error.ts';
import { MODEL_LANGUAGES } from '../memory/models/model-languages.ts';
import { embedNotes } from './memory.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, TEXT, TIME, YES_OR_NO } from './schemas.ts';

const POOLINGS = ['mean', 'cls', 'max', 'last'] as const;

const MANIFEST_FIELDS = {
  version: COUNT,
  name: TEXT,
  from: { type: 'string', description: 'a folder, an address or an npm package, without secrets' },
  addedAt: TIME,
  dimension: COUNT,
  file: { type: 'string', description: 'the graph, one of the files' },
  files: listOf(objectWith({ path: TEXT, bytes: COUNT, sha256: TEXT })),
} as const;

const MANIFEST_OPTIONAL = {
  pooling: {
    enum: [...POOLINGS, 'unknown'],
    description: 'how token vectors become one; unknown where the graph does it',
  },
  prompts: objectWith({ query: TEXT, passage: TEXT }),
} as const;

const EMBEDDED = { done: COUNT, total: COUNT } as const;

export const addMemoryModel = defineOperation({
  name: 'memory-models.add',
  class: 'change',
  summary:
    'Copy an embedding model into the home: the recommended one for a language, or one from a folder, a .tar.gz, the https address of either, or an npm package.',
  input: {
    type: 'object',
    properties: {
      source: { type: 'string', description: 'without it, the recommended model is fetched' },
      language: {
        enum: MODEL_LANGUAGES,
        description: 'whose recommended model; by default that of the language setting',
      },
      name: { type: 'string', description: 'by default what the folder or the address is called' },
      file: { type: 'string', description: 'which of several .onnx files' },
      pooling: { enum: POOLINGS, description: 'how token vectors become one, where its files do not say' },
      use: {
        ...YES_OR_NO,
        description: 'choose it, and give everything its vectors; by default for a recommended one',
      },
    },
    required: [],
    additionalProperties: false,
  },
  output: objectWith(MANIFEST_FIELDS, { ...MANIFEST_OPTIONAL, use: TEXT, ...EMBEDDED }),
  async run({ source, language, name, file, pooling, use }, context) {
    const { runtime, signal, onFile, onProgress } = context;
    if (source !== undefined && language !== undefined)
      throw new MemoryError('MEMORY_MODEL', 'give a source, or a language for the recommended model, not both');
    const { RECOMMENDED } = await import('../memory/models/recommended.ts');
    const recommended = source === undefined ? RECOMMENDED[language ?? runtime.config.language] : undefined;
    const onBytes = onProgress && ((progress: Bytes) => onProgress({ ...progress, of: 'bytes' }));
    const options = {
      name: name ?? recommended?.name,
      file: file ?? recommended?.file,
      pooling: pooling ?? recommended?.pooling,
      prompts: recommended?.prompts,
      sums: recommended?.sums,
      signal,
      onFile,
      onBytes,
    };
    const added = await (await runtime.memoryModels()).add(recommended?.source ?? source ?? '', options);
    if (!(use ?? recommended !== undefined)) return added;
    return { ...added, ...(await useMemoryModel.run({ name: added.name, later: false }, context)) };
  },
});

interface Bytes {
  done: number;
  total: number;
}

export const listRecommendedModels = defineOperation({
  name: 'memory-models.recommended',
  class: 'read',
  summary: 'List the recommended embedding models, one for each set of languages.',
  input: NO_INPUT,
  output: listOf(
    objectWith({
      language: { enum: MODEL_LANGUAGES },
      name: TEXT,
      source: { type: 'string', description: 'an npm package or an address' },
      megabytes: { ...COUNT, description: 'what is fetched, about' },
      licence: TEXT,
    }),
  ),
  async run() {
    const { RECOMMENDED } = await import('../memory/models/recommended.ts');
    return MODEL_LANGUAGES.map((language) => {
      const { name, source, megabytes, licence } = RECOMMENDED[language];
      return { language, name, source, megabytes, licence };
    });
  },
});

export const listMemoryModels = defineOperation({
  name: 'memory-models.list',
  class: 'read',
  summary: 'List the embedding models of the home, and which is in use.',
  input: NO_INPUT,
  output: objectWith({
    use: { type: ['string', 'null'], description: 'a model, "endpoint" or "none"; null while nobody chose' },
    models: listOf({
      anyOf: [
        objectWith({ ...MANIFEST_FIELDS, ok: { const: true }, inUse: YES_OR_NO }, MANIFEST_OPTIONAL),
        objectWith({ name: TEXT, ok: { const: false }, reason: TEXT, inUse: YES_OR_NO }),
      ],
    }),
  }),
  async run(_input, { runtime }) {
    const models = await runtime.memoryModels();
    const [all, chosen] = await Promise.all([models.list(), models.chosen()]);
    return { use: chosen ?? null, models: all.map((model) => ({ ...model, inUse: model.name === chosen })) };
  },
});

export const useMemoryModel = defineOperation({
  name: 'memory-models.use',
  class: 'change',
  summary: 'Choose the embedding model of memory, and give everything its vectors.',
  input: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'of a model, or endpoint, or none' },
      later: {
        ...YES_OR_NO,
        default: false,
        description: 'compute the vectors little by little with each use instead of now',
      },
    },
    required: ['name'],
    additionalProperties: false,
  },
  output: objectWith({ use: TEXT }, EMBEDDED),
  async run({ name, later }, context) {
    await (await context.runtime.memoryModels()).use(name);
    if (name === 'none' || later) return { use: name };
    // The choice holds: what was embedded is kept, and the rest follows with each use.
    const progress = await embedNotes.run({}, context).catch((error: unknown) => {
      if (context.signal.aborted) context.warn('stopped: the model is in use, and the rest is embedded with each use');
      throw error;
    });
    return { use: name, ...progress };
  },
});

export const removeMemoryModel = defineOperation({
  name: 'memory-models.remove',
  class: 'danger',
  summary: 'Delete an embedding model from the home; refused while it is in use.',
  input: { type: 'object', properties: { name: TEXT }, required: ['name'], additionalProperties: false },
  output: objectWith({ removed: TEXT }),
  async run({ name }, { runtime }) {
    await (await runtime.memoryModels()).remove(name);
    return { removed: name };
  },
});
