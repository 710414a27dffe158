// A backup of the home before one of its databases gets new tables: once for each version that is left.
import { existsSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locks } from '../../locks.ts';
import { ensureDirectory } from '../../private-files.ts';
import { automaticBackups, BACKUPS_FOLDER, beforeMigrationName } from './automatic-names.ts';
import { createBackup } from './create-backup.ts';

const KEPT = 3;

export interface MigrationBackup {
  home: string;
  locks: Locks;
  /** The database, relative to the home. */
  database: string;
  /** The one that is left. */
  version: number;
  lainclaw: string;
  now(): number;
}

export async function backUpBeforeMigration(request: MigrationBackup): Promise<void> {
  const { home, locks, database, version, lainclaw, now } = request;
  const output = join(home, BACKUPS_FOLDER, beforeMigrationName(database, version));
  if (existsSync(output)) return;
  await ensureDirectory(join(home, BACKUPS_FOLDER));
  const createdAt = new Date(now()).toISOString();
  const { signal } = new AbortController();
  try {
    await createBackup(home, locks, { output, lainclaw, createdAt, signal });
  } catch (error) {
    // Another process was faster.
    if (!existsSync(output)) throw error;
  }
  const older = automaticBackups(home).filter(({ isDaily }) => !isDaily);
  for (const { file } of older.slice(KEPT)) await unlink(file);
}
