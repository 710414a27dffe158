// Folders of conversations, as each person of the console has sorted theirs.
import { OWNER_ID } from '../gateway/console-access/console-access.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { listOf, NO_INPUT, objectWith, TEXT, YES_OR_NO } from './schemas.ts';

const FOLDER = objectWith({ id: TEXT, name: TEXT, sessions: { ...listOf(TEXT), description: 'keys of sessions' } });

export const listFolders = defineOperation({
  name: 'folders.list',
  class: 'read',
  people: 'own',
  summary: 'List the folders of conversations, by name.',
  input: NO_INPUT,
  output: listOf(FOLDER),
  run: async (_input, context) => (await context.runtime.folders()).list(personOf(context)),
});

export const createFolder = defineOperation({
  name: 'folders.create',
  class: 'change',
  people: 'own',
  summary: 'Make a folder for conversations.',
  input: { type: 'object', properties: { name: TEXT }, required: ['name'], additionalProperties: false },
  output: FOLDER,
  run: async ({ name }, context) => (await context.runtime.folders()).create(personOf(context), name),
});

export const renameFolder = defineOperation({
  name: 'folders.rename',
  class: 'change',
  people: 'own',
  summary: 'Give a folder another name.',
  input: {
    type: 'object',
    properties: { id: TEXT, name: TEXT },
    required: ['id', 'name'],
    additionalProperties: false,
  },
  output: FOLDER,
  run: async ({ id, name }, context) => (await context.runtime.folders()).rename(personOf(context), id, name),
});

export const removeFolder = defineOperation({
  name: 'folders.remove',
  class: 'change',
  people: 'own',
  summary: 'Remove a folder; its conversations stay.',
  input: { type: 'object', properties: { id: TEXT }, required: ['id'], additionalProperties: false },
  output: objectWith({ removed: YES_OR_NO }),
  async run({ id }, context) {
    await (await context.runtime.folders()).remove(personOf(context), id);
    return { removed: true };
  },
});

export const assignFolder = defineOperation({
  name: 'folders.assign',
  class: 'change',
  people: 'own',
  summary: 'Put a conversation into a folder, or out of its folder.',
  input: {
    type: 'object',
    properties: { session: TEXT, folder: { ...TEXT, description: 'the id of a folder; none takes it out' } },
    required: ['session'],
    additionalProperties: false,
  },
  output: objectWith({ assigned: YES_OR_NO }),
  async run({ session, folder }, context) {
    await (await context.runtime.folders()).assign(personOf(context), session, folder);
    return { assigned: folder !== undefined };
  },
});

function personOf({ by }: OperationContext): string {
  return (by?.place === 'console' ? by.person : undefined) ?? OWNER_ID;
}
