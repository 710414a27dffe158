// The documentation of the installed version.
import { defineOperation } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, POSITIVE, TEXT } from './schemas.ts';

const SECTION = objectWith({ address: TEXT, heading: TEXT, level: COUNT });

export const listDocs = defineOperation({
  name: 'docs.list',
  class: 'read',
  people: 'own',
  summary: 'List the pages of the documentation and their sections.',
  input: NO_INPUT,
  output: listOf(objectWith({ path: TEXT, title: TEXT, sections: listOf(SECTION) })),
  run: async (_input, { runtime }) => (await runtime.docs()).list(),
});

export const readDocs = defineOperation({
  name: 'docs.read',
  class: 'read',
  people: 'own',
  summary: 'Read a page of the documentation, or one section of it.',
  input: { type: 'object', properties: { address: TEXT }, required: ['address'], additionalProperties: false },
  output: objectWith({ address: TEXT, title: TEXT, text: TEXT }),
  run: async ({ address }, { runtime }) => (await runtime.docs()).read(address),
});

export const searchDocs = defineOperation({
  name: 'docs.search',
  class: 'read',
  people: 'own',
  summary: 'Find the sections of the documentation that match some words.',
  input: {
    type: 'object',
    properties: { query: TEXT, topK: { ...POSITIVE, default: 5 } },
    required: ['query'],
    additionalProperties: false,
  },
  output: listOf(objectWith({ address: TEXT, title: TEXT, snippet: TEXT, score: { type: 'number' } })),
  run: async ({ query, topK }, { runtime }) => (await runtime.docs()).search(query, { topK }),
});
