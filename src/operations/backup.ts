// Everything of the home as one file: made, checked, put back.
import { isAbsolute, resolve } from 'node:path';
import { defineOperation, type OperationContext } from './operation.ts';
import { COUNT, listOf, objectWith, TEXT, TIME, YES_OR_NO } from './schemas.ts';

const FILE = { type: 'string', description: 'the path of the backup' } as const;
const PASSPHRASE = { type: 'string', minLength: 1, description: 'of an encrypted backup' } as const;
const CONTENTS = {
  file: TEXT,
  createdAt: TIME,
  lainclaw: { ...TEXT, description: 'the version that wrote it' },
  isEncrypted: YES_OR_NO,
  files: COUNT,
  bytes: { ...COUNT, description: 'of the files in it' },
} as const;

export const createBackup = defineOperation({
  name: 'backup.create',
  class: 'danger',
  summary: 'Write everything of the home into one file, and read it again; turns and a gateway may run meanwhile.',
  input: {
    type: 'object',
    properties: {
      file: { ...FILE, description: 'where to write it' },
      passphrase: { ...PASSPHRASE, description: 'encrypts the backup' },
      force: { ...YES_OR_NO, default: false, description: 'replace a file of this name' },
    },
    required: ['file'],
    additionalProperties: false,
  },
  output: objectWith({
    ...CONTENTS,
    leftOut: { ...listOf(objectWith({ path: TEXT, reason: TEXT })), description: 'of the home, with the reason' },
  }),
  async run({ file, passphrase, force }, context) {
    const { runtime, signal } = context;
    const { now, version: lainclaw } = runtime.environment;
    const output = absolute(file, context);
    const createdAt = new Date(now()).toISOString();
    const created = await (await runtime.backups()).create({ output, passphrase, force, lainclaw, createdAt, signal });
    return { file: output, ...created };
  },
});

export const verifyBackup = defineOperation({
  name: 'backup.verify',
  class: 'read',
  summary: 'Read every byte of a backup and check that it is as it was written.',
  input: {
    type: 'object',
    properties: { file: FILE, passphrase: PASSPHRASE },
    required: ['file'],
    additionalProperties: false,
  },
  output: objectWith(CONTENTS),
  async run({ file, passphrase }, context) {
    const path = absolute(file, context);
    const backups = await context.runtime.backups();
    return { file: path, ...(await backups.verify({ file: path, passphrase, signal: context.signal })) };
  },
});

export const restoreBackup = defineOperation({
  name: 'backup.restore',
  class: 'danger',
  summary: 'Put the whole home back as it was when the backup was made; what is there is kept in a folder of its own.',
  input: {
    type: 'object',
    properties: {
      file: FILE,
      passphrase: PASSPHRASE,
      replace: { ...YES_OR_NO, default: false, description: 'also over a home that is not empty' },
    },
    required: ['file'],
    additionalProperties: false,
  },
  output: objectWith(
    { ...CONTENTS, home: TEXT },
    { setAside: { ...TEXT, description: 'the folder that holds what was there before' } },
  ),
  async run({ file, passphrase, replace }, context) {
    const { runtime, signal } = context;
    const { home, version: lainclaw } = runtime.environment;
    const path = absolute(file, context);
    const backups = await runtime.backups();
    const { setAside, ...contents } = await backups.restore({ file: path, passphrase, replace, lainclaw, signal });
    return { file: path, home, ...contents, ...(setAside !== undefined && { setAside }) };
  },
});

function absolute(file: string, { runtime }: OperationContext): string {
  return isAbsolute(file) ? resolve(file) : resolve(runtime.environment.cwd, file);
}
