// Writes a backup: databases as they are at one moment, then every other file, into a folder beside the output. The file is read
// again from its first byte to its last and takes its name only when it was found right.
//
// Databases come first: what the index and the queues name was written to transcripts before, so the transcripts are at
// least as new as they.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { BackupError, type CreateBackup, type CreatedBackup } from '../../backups.ts';
import type { Locks } from '../../locks.ts';
import { storageError, syncDirectory } from '../../private-files.ts';
import { createEntryWriter, type EntryWriter } from './entries.ts';
import { type HomeContents, listHome } from './home-contents.ts';
import { readLiveFile } from './read-live-file.ts';
import { createChunkWriter } from './sealed-chunks.ts';
import { snapshotDatabase } from './snapshot-database.ts';
import { verifyBackup } from './verify-backup.ts';

/** Made again from sessions.json and the transcripts where it is missing. */
const REBUILT = 'sessions/sessions.db';

export async function createBackup(home: string, locks: Locks, request: CreateBackup): Promise<CreatedBackup> {
  const { output, passphrase, force = false, signal } = request;
  await refuseExisting(output, force);
  const lock = await locks.acquire('backup', { signal });
  const working = join(dirname(output), `.${basename(output).slice(0, 100)}.${nameOf(home)}.partial`);
  const partial = join(working, 'backup');
  try {
    // What a killed process left behind: the lock says that nobody uses it.
    await rm(working, { recursive: true, force: true });
    await mkdir(working, { mode: 0o700 });
    const leftOut = await writeBackup(home, working, partial, request);
    const contents = await verifyBackup({ file: partial, passphrase, signal });
    await takeName(partial, output, force);
    return { ...contents, leftOut };
  } catch (error) {
    throw explained(output, error);
  } finally {
    await rm(working, { recursive: true, force: true }).catch(() => {});
    await lock.release();
  }
}

async function writeBackup(
  home: string,
  working: string,
  partial: string,
  { passphrase, lainclaw, createdAt, signal }: CreateBackup,
): Promise<CreatedBackup['leftOut']> {
  const contents = await listHome(home, working);
  const file = await open(partial, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
  try {
    await file.chmod(0o600);
    const writer = await createEntryWriter(await createChunkWriter(file, passphrase), { lainclaw, createdAt });
    for (const folder of contents.folders) await writer.folder(folder);
    for (const database of contents.databases) {
      signal.throwIfAborted();
      await writeDatabase(home, database, join(working, 'database'), writer, contents);
    }
    // What was begun meanwhile is in the databases' past, and belongs to the next backup.
    for (const path of contents.files) {
      signal.throwIfAborted();
      await writeFile(join(home, path), path, writer);
    }
    await writer.end();
    await file.sync();
  } finally {
    await file.close();
  }
  return contents.leftOut;
}

async function writeDatabase(
  home: string,
  path: string,
  snapshot: string,
  writer: EntryWriter,
  { leftOut }: HomeContents,
): Promise<void> {
  try {
    await snapshotDatabase(join(home, path), snapshot);
    await writeFile(snapshot, path, writer);
  } catch (error) {
    if (!(error instanceof BackupError) || path !== REBUILT) throw error;
    leftOut.push({ path, reason: 'damaged; made again from the transcripts' });
  } finally {
    await rm(snapshot, { force: true });
  }
}

async function writeFile(from: string, path: string, writer: EntryWriter): Promise<void> {
  await readLiveFile(from, ({ size, executable, bytes }) => writer.file({ file: path, size, executable }, bytes));
}

async function refuseExisting(output: string, force: boolean): Promise<void> {
  const found = await lstat(output).catch(() => undefined);
  if (!found || (force && found.isFile())) return;
  throw existing(output);
}

function existing(output: string): BackupError {
  return new BackupError('BACKUP_EXISTS', `${output} is there already: name another file, or replace it with --force`);
}

/** Takes the name only while nobody has it, unless it may be replaced. */
async function takeName(partial: string, output: string, force: boolean): Promise<void> {
  if (force) await rename(partial, output);
  else if (await linked(partial, output)) await unlink(partial);
  else {
    await refuseExisting(output, false);
    await rename(partial, output);
  }
  await syncDirectory(dirname(output));
}

/** False where the file system has no links. */
async function linked(partial: string, output: string): Promise<boolean> {
  try {
    await link(partial, output);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw existing(output);
    return false;
  }
}

/** Backups of different homes may go to one folder. */
function nameOf(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, 12);
}

function explained(output: string, error: unknown): unknown {
  const { code, syscall, errcode } = (error ?? {}) as NodeJS.ErrnoException & { errcode?: number };
  if (code === 'ENOENT' && syscall === 'mkdir')
    return new BackupError('BACKUP_FAILED', `${dirname(output)} does not exist: make it first`);
  return syscall !== undefined || errcode !== undefined ? storageError(output, error) : error;
}
