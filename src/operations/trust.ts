// Folders whose instructions (AGENTS.md, workspace skills) a person allows the assistant to follow.
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { CodedError } from '../vocabulary/coded-error.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, TEXT, TIME, YES_OR_NO } from './schemas.ts';

const FOLDER = {
  type: 'object',
  properties: { folder: TEXT },
  required: ['folder'],
  additionalProperties: false,
} as const;

export const listTrust = defineOperation({
  name: 'trust.list',
  class: 'read',
  summary: 'List the folders whose instructions are followed.',
  input: NO_INPUT,
  output: objectWith({ folders: listOf(objectWith({ folder: TEXT, grantedAt: TIME })), declined: listOf(TEXT) }),
  async run(_input, { runtime: { trust } }) {
    const [folders, declined] = await Promise.all([trust.list(), trust.declined()]);
    return { folders, declined };
  },
});

export const addTrust = defineOperation({
  name: 'trust.add',
  class: 'danger',
  summary: 'Follow the instructions of a folder and of everything below it.',
  input: FOLDER,
  output: objectWith({ folder: TEXT, added: YES_OR_NO }),
  async run({ folder }, context) {
    const path = await realFolder(folder, context);
    const added = await context.runtime.trust.add(path);
    await context.runtime.approveFiles(path);
    return { folder: path, added };
  },
});

export const removeTrust = defineOperation({
  name: 'trust.remove',
  class: 'change',
  summary: 'No longer follow the instructions of a folder.',
  input: FOLDER,
  output: objectWith({ folder: TEXT, removed: YES_OR_NO }),
  async run({ folder }, context) {
    const { trust } = context.runtime;
    const written = absolute(folder, context);
    // A folder that is gone can be removed by the name that the list shows.
    const path = await realpath(written).catch(() => written);
    if (await trust.remove(path)) return { folder: path, removed: true };
    throw new CodedError('NOT_TRUSTED', `${path} is not trusted: "lainclaw trust list" shows what is`);
  },
});

export const approveFiles = defineOperation({
  name: 'trust.approve',
  class: 'danger',
  summary: 'Take a file or folder that a conversation wrote with content from outside for your own.',
  input: { type: 'object', properties: { path: TEXT }, required: ['path'], additionalProperties: false } as const,
  output: objectWith({ path: TEXT, approved: COUNT }),
  async run({ path }, context) {
    const written = absolute(path, context);
    const real = await realpath(written).catch(() => written);
    return { path: real, approved: await context.runtime.approveFiles(real) };
  },
});

async function realFolder(folder: string, context: OperationContext): Promise<string> {
  const path = absolute(folder, context);
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined && (await stat(real)).isDirectory()) return real;
  throw new CodedError('NOT_A_FOLDER', `${path} is not a folder: give one that exists`);
}

function absolute(folder: string, { runtime }: OperationContext): string {
  return isAbsolute(folder) ? resolve(folder) : resolve(runtime.environment.cwd, folder);
}
