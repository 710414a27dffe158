// What a person can do with the facts that are in every request.
import { CORE_SECTIONS } from '../memory/core-memory.ts';
import { ownerReading, SCOPE } from './memory-scope.ts';
import { defineOperation } from './operation.ts';
import { objectWith, TEXT } from './schemas.ts';

const SECTION = { enum: CORE_SECTIONS } as const;
const FACTS = { type: 'object', additionalProperties: TEXT } as const;

export const getCoreMemory = defineOperation({
  name: 'core-memory.get',
  class: 'read',
  people: 'scope',
  summary: "Read all facts of core memory: the owner's, or those of another scope.",
  input: { type: 'object', properties: { scope: SCOPE }, additionalProperties: false },
  output: { type: 'object', properties: { user: FACTS, agent: FACTS }, required: ['user', 'agent'] },
  run: async ({ scope }, { runtime }) => (await runtime.coreMemory()).as(ownerReading(scope)).get(),
});

export const setCoreFact = defineOperation({
  name: 'core-memory.set',
  class: 'change',
  people: 'scope',
  summary: 'Set a fact of core memory.',
  input: {
    type: 'object',
    properties: { section: SECTION, key: TEXT, value: TEXT, scope: SCOPE },
    required: ['section', 'key', 'value'],
    additionalProperties: false,
  },
  output: objectWith({ section: SECTION, key: TEXT, value: TEXT }, { previous: TEXT }),
  run: async ({ section, key, value, scope }, { runtime }) => ({
    section,
    key,
    value,
    ...(await (await runtime.coreMemory()).as(ownerReading(scope)).update(section, key, value)),
  }),
});

export const deleteCoreFact = defineOperation({
  name: 'core-memory.delete',
  class: 'change',
  people: 'scope',
  summary: 'Delete a fact of core memory; its history keeps it.',
  input: {
    type: 'object',
    properties: { section: SECTION, key: TEXT, scope: SCOPE },
    required: ['section', 'key'],
    additionalProperties: false,
  },
  output: objectWith({ section: SECTION, key: TEXT }, { previous: TEXT }),
  run: async ({ section, key, scope }, { runtime }) => ({
    section,
    key,
    ...(await (await runtime.coreMemory()).as(ownerReading(scope)).delete(section, key)),
  }),
});
