// The database that keeps the records: its tables, and its state.
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, TEXT, YES_OR_NO } from './schemas.ts';

const MEMORY_IN_HOME = {
  ...COUNT,
  description: 'texts of memory from before, where the database has none of them',
} as const;
const STEPS = listOf(objectWith({ number: COUNT, name: TEXT }));

export const migrateStore = defineOperation({
  name: 'store.migrate',
  class: 'danger',
  summary: 'Make the tables of the database that `store` names, or bring them to this version.',
  input: NO_INPUT,
  output: objectWith(
    { address: TEXT, steps: STEPS, version: COUNT, memoryInHome: MEMORY_IN_HOME },
    { role: { ...TEXT, description: 'that was given the right to change rows' } },
  ),
  run: async (_input, { runtime }) => (await runtime.store()).migrate(),
});

export const storeStatus = defineOperation({
  name: 'store.status',
  class: 'read',
  summary: 'Tell which database keeps the records, whether its tables fit, and what the home still has from before.',
  input: NO_INPUT,
  output: {
    anyOf: [
      objectWith({ place: { const: 'home', description: 'no database is named' }, home: TEXT }),
      objectWith(
        {
          place: { const: 'database' },
          address: TEXT,
          role: TEXT,
          server: { ...TEXT, description: 'the version of PostgreSQL' },
          tables: { enum: ['ready', 'empty', 'older', 'newer'] },
          version: COUNT,
          knownVersion: COUNT,
          isReadOnly: YES_OR_NO,
          ownsTables: { ...YES_OR_NO, description: 'the role could change or drop tables' },
          vectors: {
            enum: ['pgvector', 'available', 'none'],
            description:
              'whether meaning is searched with an index of pgvector, or could be; otherwise each gateway compares the vectors',
          },
          sessionsInHome: { ...COUNT, description: 'conversations from before, which the database does not have' },
          memoryInHome: MEMORY_IN_HOME,
        },
        {
          files: {
            ...listOf(
              objectWith(
                { place: { enum: ['database', 'bucket', 'machine'] }, count: COUNT, bytes: COUNT },
                { machine: TEXT },
              ),
            ),
            description: 'outputs and attachments of conversations, by where they are',
          },
          bucket: { ...TEXT, description: 'where larger files are kept' },
          counts: objectWith({ sessions: COUNT, transcripts: COUNT, jobs: COUNT, inbox: COUNT, outbox: COUNT }),
        },
      ),
    ],
  },
  run: async (_input, { runtime }) => (await runtime.store()).status(),
});

const SIDES = ['local', 'postgres'] as const;

export const copyStore = defineOperation({
  name: 'store.copy',
  class: 'danger',
  summary:
    'Copy the records of the home into the database that `store` names, or back, and verify the copy. Nothing is overwritten and the source is only read.',
  input: {
    type: 'object',
    properties: {
      from: { type: 'string', enum: SIDES },
      to: { type: 'string', enum: SIDES },
    },
    required: ['from', 'to'],
    additionalProperties: false,
  },
  output: objectWith({
    address: TEXT,
    from: { enum: SIDES },
    to: { enum: SIDES },
    kinds: listOf(
      objectWith({
        kind: TEXT,
        records: { ...COUNT, description: 'in the source, and now in the target' },
        copied: { ...COUNT, description: 'the other ones were there already' },
        checksum: { ...TEXT, description: 'of the records, the same in the source and in the target' },
      }),
    ),
    damagedLines: { ...COUNT, description: 'lines of conversations that nobody can read, which were left out' },
    filesElsewhere: {
      ...COUNT,
      description: 'files of conversations that only other machines have, which were left out',
    },
  }),
  async run({ from, to }, { runtime, signal, onProgress }) {
    if (from === to)
      throw new CodedError('INVALID_INPUT', `the records are copied from one to the other: "${from}" was named twice`);
    return { ...(await (await runtime.store()).copy(to, { signal, onProgress })), from, to };
  },
});
