// Forgetting a text wherever Lainclaw keeps it.
import type { ForgetReport } from '../runtime/forget-everywhere.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, objectWith, TEXT, YES_OR_NO } from './schemas.ts';

const REPORT = objectWith({
  places: listOf(
    objectWith({
      place: { type: 'string', description: 'note, fact, core memory, undo record, …' },
      name: TEXT,
      count: COUNT,
    }),
  ),
  conversations: listOf(objectWith({ sessionKey: TEXT, lines: COUNT }, { title: TEXT })),
  waiting: {
    ...listOf(TEXT),
    description: 'keys of conversations in use, which are finished when their turns have ended',
  },
  left: { ...listOf(TEXT), description: 'files of the home that hold the text and are not changed' },
});
const SOUGHT = { type: 'string', description: 'in any case, with any blanks between its words' } as const;

export const findEverywhere = defineOperation({
  name: 'memory.findEverywhere',
  class: 'read',
  summary:
    'Find a text wherever it is kept: notes, facts, core memory, conversations, summaries, undo, outputs, messages.',
  input: { type: 'object', properties: { text: SOUGHT }, required: ['text'], additionalProperties: false },
  output: REPORT,
  run: async ({ text }, { runtime, signal }): Promise<ForgetReport> =>
    (await runtime.forgetEverywhere()).find(text, signal),
});

export const forgetEverywhere = defineOperation({
  name: 'memory.forgetEverywhere',
  class: 'danger',
  hides: ['text'],
  summary: 'Remove a text for good from wherever it is kept; in conversations it is replaced, or they are deleted.',
  input: {
    type: 'object',
    properties: {
      text: SOUGHT,
      conversations: { ...YES_OR_NO, default: false, description: 'delete whole conversations that hold it' },
    },
    required: ['text'],
    additionalProperties: false,
  },
  output: REPORT,
  async run({ text, conversations }, { runtime, signal, onProgress }): Promise<ForgetReport> {
    await (await runtime.memory()).as(OWNER).prepareIndex({ signal, onProgress });
    return (await runtime.forgetEverywhere()).forget(text, { conversations, signal });
  },
});
