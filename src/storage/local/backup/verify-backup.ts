// Reads a backup from its first byte to its last.
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type BackupContents, BackupError, type ReadBackup } from '../../backups.ts';
import { storageError } from '../../private-files.ts';
import { type EntryVisitor, readEntries } from './entries.ts';
import { openChunks } from './sealed-chunks.ts';

export async function verifyBackup(request: ReadBackup): Promise<BackupContents> {
  return visitBackup(request, {});
}

/** Hands every entry to the visitor. When it rejects, what the visitor made must be thrown away. */
export async function visitBackup(
  { file, passphrase, signal }: ReadBackup,
  visitor: EntryVisitor,
): Promise<BackupContents> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new BackupError('BACKUP_NOT_FOUND', `there is no file ${file}`);
    throw storageError(file, error);
  });
  try {
    if (!(await handle.stat()).isFile()) throw new BackupError('BACKUP_NOT_FOUND', `${file} is not a file`);
    const { isEncrypted, chunks } = await openChunks(handle, file, passphrase, signal);
    return { ...(await readEntries(chunks, file, visitor)), isEncrypted };
  } finally {
    await handle.close();
  }
}
