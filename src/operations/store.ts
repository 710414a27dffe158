// The database that keeps the records: its tables, and its state.
import { defineOperation } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, TEXT, YES_OR_NO } from './schemas.ts';

const STEPS = listOf(objectWith({ number: COUNT, name: TEXT }));

export const migrateStore = defineOperation({
  name: 'store.migrate',
  class: 'danger',
  summary: 'Make the tables of the database that `store` names, or bring them to this version.',
  input: NO_INPUT,
  output: objectWith(
    { address: TEXT, steps: STEPS, version: COUNT },
    { role: { ...TEXT, description: 'that was given the right to change rows' } },
  ),
  run: async (_input, { runtime }) => (await runtime.store()).migrate(),
});

export const storeStatus = defineOperation({
  name: 'store.status',
  class: 'read',
  summary: 'Tell which database keeps the records, whether its tables fit, and which records are still in the home.',
  input: NO_INPUT,
  output: objectWith(
    {
      address: TEXT,
      role: TEXT,
      server: { ...TEXT, description: 'the version of PostgreSQL' },
      tables: { enum: ['ready', 'empty', 'older', 'newer'] },
      version: COUNT,
      knownVersion: COUNT,
      isReadOnly: YES_OR_NO,
      ownsTables: { ...YES_OR_NO, description: 'the role could change or drop tables' },
      sessionsInHome: { ...COUNT, description: 'conversations from before, which the database does not have' },
      inHome: { ...listOf(TEXT), description: 'records that are still in the home' },
    },
    { counts: objectWith({ sessions: COUNT, transcripts: COUNT, jobs: COUNT, inbox: COUNT, outbox: COUNT }) },
  ),
  async run(_input, { runtime }) {
    const { inHome, ...status } = await (await runtime.store()).status();
    return { ...status, inHome: [...inHome] };
  },
});
