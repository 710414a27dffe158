// Embedding models on this machine, and which of them memory uses.
import { embedNotes } from './memory.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, TEXT, TIME, YES_OR_NO } from './schemas.ts';

const MANIFEST_FIELDS = {
  version: COUNT,
  name: TEXT,
  from: { type: 'string', description: 'a folder or an address, without secrets' },
  addedAt: TIME,
  dimension: COUNT,
  file: { type: 'string', description: 'the graph, one of the files' },
  files: listOf(objectWith({ path: TEXT, bytes: COUNT, sha256: TEXT })),
} as const;

export const addMemoryModel = defineOperation({
  name: 'memory-models.add',
  class: 'change',
  summary: 'Copy an embedding model into the home: from a folder, a .tar.gz, or the https address of either.',
  input: {
    type: 'object',
    properties: {
      source: TEXT,
      name: { type: 'string', description: 'by default what the folder or the address is called' },
      file: { type: 'string', description: 'which of several .onnx files' },
    },
    required: ['source'],
    additionalProperties: false,
  },
  output: objectWith(MANIFEST_FIELDS),
  run: async ({ source, name, file }, { runtime, signal, onFile }) =>
    (await runtime.memoryModels()).add(source, { name, file, signal, onFile }),
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
        objectWith({ ...MANIFEST_FIELDS, ok: { const: true }, inUse: YES_OR_NO }),
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
      later: { ...YES_OR_NO, default: false, description: 'embed little by little with each use instead of now' },
    },
    required: ['name'],
    additionalProperties: false,
  },
  output: objectWith({ use: TEXT }, { done: COUNT, total: COUNT }),
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
