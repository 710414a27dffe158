// Writes everything that a backup holds into an empty folder: whole, private and durable when it resolves, and every database sound
// and of a version that this Lainclaw understands.
import { constants, existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type BackupContents, BackupError, type RestoreBackup } from '../../backups.ts';
import { ensureDirectory, openPrivate, storageError, syncDirectory } from '../../private-files.ts';
import { SCHEMA as CATALOGUE_SCHEMA } from '../catalogue/schema.ts';
import { LAINCLAW_DB_VERSION } from '../lainclaw-db/schema.ts';
import { SCHEMA as UNDO_SCHEMA } from '../undo/local-undo-records.ts';
import type { FileEntry, FileSink } from './entries.ts';
import { damaged } from './sealed-chunks.ts';
import { checkSoundness, versionOf } from './snapshot-database.ts';
import { visitBackup } from './verify-backup.ts';

const UNDERSTOOD = new Map([
  ['lainclaw.db', LAINCLAW_DB_VERSION],
  ['sessions/sessions.db', CATALOGUE_SCHEMA.version],
  ['undo/undo.db', UNDO_SCHEMA.version],
]);

export async function unpackHome(folder: string, request: RestoreBackup): Promise<BackupContents> {
  const { file } = request;
  await ensureDirectory(folder);
  const contents = await visitBackup(request, {
    origin: ({ lainclaw }) => {
      if (isNewer(lainclaw, request.lainclaw)) throw newer(file, `Lainclaw ${lainclaw}`);
    },
    folder: (path) => makeFolder(join(folder, path)),
    file: (entry) => createFile(folder, entry, file),
  });
  for (const [path, version] of UNDERSTOOD) checkDatabase(join(folder, path), version, file);
  await syncFolders(folder);
  return contents;
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

async function createFile(folder: string, { file, executable }: FileEntry, backup: string): Promise<FileSink> {
  const path = join(folder, file);
  await makeFolder(dirname(path));
  // A name that comes twice is refused here. Nothing in the folder is a link: only this function makes files in it.
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
  const handle = await openPrivate(path, flags).catch((error: NodeJS.ErrnoException) => {
    if (['EEXIST', 'ENOTDIR', 'EISDIR'].includes(error.code ?? '')) throw damaged(backup, `${file} is in it twice`);
    throw storageError(path, error);
  });
  return {
    async write(bytes) {
      await handle.writeFile(bytes).catch((error: unknown) => {
        throw storageError(path, error);
      });
    },
    async end() {
      if (executable) await handle.chmod(0o700);
      await handle.datasync();
      await handle.close();
    },
    discard: () => handle.close(),
  };
}

function checkDatabase(path: string, understood: number, backup: string): void {
  if (!existsSync(path)) return;
  try {
    checkSoundness(path);
  } catch (error) {
    throw damaged(backup, `its database: ${(error as Error).message}`);
  }
  const found = versionOf(path);
  if (found > understood) throw newer(backup, `database version ${found}, this one understands ${understood}`);
}

function newer(backup: string, found: string): BackupError {
  return new BackupError(
    'BACKUP_NEWER_VERSION',
    `${backup} was written by a newer Lainclaw (${found}): upgrade lainclaw; nothing was restored`,
  );
}

/** Compares `1.2.3`; what cannot be compared is not newer. */
function isNewer(one: string, other: string): boolean {
  const [mine, theirs] = [one, other].map((version) => version.split(/[.+-]/).slice(0, 3).map(Number));
  for (const [index, number] of (mine ?? []).entries()) {
    const against = theirs?.[index] ?? 0;
    if (number !== against) return number > against;
  }
  return false;
}

async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  await syncDirectory(folder);
}
