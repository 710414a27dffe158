// What a person can do with the facts that are in every request.
import { CORE_SECTIONS } from '../memory/core-memory.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';
import { defineOperation } from './operation.ts';
import { NO_INPUT, objectWith, TEXT } from './schemas.ts';

const SECTION = { enum: CORE_SECTIONS } as const;
const FACTS = { type: 'object', additionalProperties: TEXT } as const;

export const getCoreMemory = defineOperation({
  name: 'core-memory.get',
  class: 'read',
  summary: 'Read all facts of core memory.',
  input: NO_INPUT,
  output: { type: 'object', properties: { user: FACTS, agent: FACTS }, required: ['user', 'agent'] },
  run: async (_input, { runtime }) => (await runtime.coreMemory()).as(OWNER).get(),
});

export const setCoreFact = defineOperation({
  name: 'core-memory.set',
  class: 'change',
  summary: 'Set a fact of core memory.',
  input: {
    type: 'object',
    properties: { section: SECTION, key: TEXT, value: TEXT },
    required: ['section', 'key', 'value'],
    additionalProperties: false,
  },
  output: objectWith({ section: SECTION, key: TEXT, value: TEXT }, { previous: TEXT }),
  run: async ({ section, key, value }, { runtime }) => ({
    section,
    key,
    value,
    ...(await (await runtime.coreMemory()).as(OWNER).update(section, key, value)),
  }),
});

export const deleteCoreFact = defineOperation({
  name: 'core-memory.delete',
  class: 'change',
  summary: 'Delete a fact of core memory; its history keeps it.',
  input: {
    type: 'object',
    properties: { section: SECTION, key: TEXT },
    required: ['section', 'key'],
    additionalProperties: false,
  },
  output: objectWith({ section: SECTION, key: TEXT }, { previous: TEXT }),
  run: async ({ section, key }, { runtime }) => ({
    section,
    key,
    ...(await (await runtime.coreMemory()).as(OWNER).delete(section, key)),
  }),
});
