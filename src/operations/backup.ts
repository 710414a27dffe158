// Everything of the home as one file: made, checked, put back.
import { isAbsolute, resolve } from 'node:path';
import { newProjectKey } from '../sessions/project-session.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { COUNT, listOf, objectWith, TEXT, TIME, YES_OR_NO } from './schemas.ts';
import { ENTRY } from './sessions.ts';

const KEPT_BACKUPS = 7;
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
    if (runtime.config.store !== undefined)
      context.warn(
        'the records are in the database: this backup has the home alone; back the database up with pg_dump',
      );
    const createdAt = new Date(now()).toISOString();
    const created = await (await runtime.backups()).create({ output, passphrase, force, lainclaw, createdAt, signal });
    return { file: output, ...created };
  },
});

export const createAutomaticBackup = defineOperation({
  name: 'backup.automatic',
  class: 'change',
  summary:
    "Make the day's backup in the home, as the gateway does, and remove the oldest beyond the setting `backups`.",
  input: {
    type: 'object',
    properties: { ifOlderThanHours: { type: 'number', minimum: 0, description: 'only when the newest is older' } },
    additionalProperties: false,
  },
  output: objectWith({ made: YES_OR_NO }, { ...CONTENTS, removed: { ...listOf(TEXT), description: 'older ones' } }),
  async run({ ifOlderThanHours = 0 }, { runtime, signal }) {
    const { now, version: lainclaw } = runtime.environment;
    const keep = runtime.config.backups ?? KEPT_BACKUPS;
    const backups = await runtime.backups();
    const newest = backups.newestAutomatic();
    const isRecent = newest !== undefined && now() - Date.parse(newest.createdAt) < ifOlderThanHours * 3_600_000;
    if (isRecent || keep === 0) return { made: false };
    const createdAt = new Date(now()).toISOString();
    const { leftOut: _, ...made } = await backups.createAutomatic({ keep, lainclaw, createdAt, signal });
    return { made: true, ...made };
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

export const restoreBackedUpSession = defineOperation({
  name: 'backup.restoreSession',
  class: 'change',
  summary: 'Put one conversation of a backup beside those that are there, under another key where its own is taken.',
  input: {
    type: 'object',
    properties: {
      file: FILE,
      passphrase: PASSPHRASE,
      session: { ...TEXT, description: 'the key of the session, or the id of its transcript' },
    },
    required: ['file', 'session'],
    additionalProperties: false,
  },
  output: objectWith({ file: TEXT, session: ENTRY, from: { ...TEXT, description: 'its key in the backup' } }),
  async run({ file, passphrase, session }, context) {
    const { runtime, signal } = context;
    const path = absolute(file, context);
    const changes = await runtime.sessionChanges();
    const backups = await runtime.backups();
    return backups.useSession({ file: path, passphrase, session, signal }, async ({ entry: from, ...source }) => {
      const key = from.sessionKey;
      const isTaken = (await runtime.sessions.get(key)) !== undefined;
      const as = isTaken ? await newProjectKey(runtime.sessions, `${key}-restored`) : key;
      const { entry } = await changes.fork({ from, as, source, signal });
      return { file: path, session: { ...entry }, from: key };
    });
  },
});

export const readBackedUpFile = defineOperation({
  name: 'backup.readFile',
  class: 'read',
  summary: 'Read one text file of a backup.',
  input: {
    type: 'object',
    properties: {
      file: FILE,
      passphrase: PASSPHRASE,
      path: { ...TEXT, description: 'below the home: sessions/sessions.json' },
    },
    required: ['file', 'path'],
    additionalProperties: false,
  },
  output: objectWith(
    { file: TEXT, path: TEXT, bytes: COUNT },
    { text: { ...TEXT, description: 'absent where the caller reads it piece by piece' } },
  ),
  async run({ file, passphrase, path }, context) {
    const { runtime, signal, onBytes } = context;
    const from = absolute(file, context);
    const backups = await runtime.backups();
    const pieces: Buffer[] = [];
    const write = onBytes ?? ((piece: Buffer) => void pieces.push(Buffer.from(piece)));
    const { bytes } = await backups.readFile({ file: from, passphrase, path, signal, write });
    return { file: from, path, bytes, ...(!onBytes && { text: Buffer.concat(pieces).toString('utf8') }) };
  },
});

function absolute(file: string, { runtime }: OperationContext): string {
  return isAbsolute(file) ? resolve(file) : resolve(runtime.environment.cwd, file);
}
