// The backups that are made by themselves: `backups/automatic-<time>.backup` of a day, `backups/before-<name>-<version>.backup` before a
// migration.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const BACKUPS_FOLDER = 'backups';
const DAILY = /^automatic-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/;

export function dailyName(createdAt: string): string {
  return `automatic-${createdAt.slice(0, 19).replaceAll(/[-:]/g, '')}Z.backup`;
}

export function beforeMigrationName(database: string, version: number): string {
  return `before-${database.replaceAll(/[^\w.]/g, '-')}-${version}.backup`;
}

/** The newest first: daily ones, then those before a migration. */
export function automaticBackups(home: string): { file: string; createdAt: string; isDaily: boolean }[] {
  let names: string[];
  try {
    names = readdirSync(join(home, BACKUPS_FOLDER));
  } catch {
    return [];
  }
  const found = names.flatMap((name) => {
    const file = join(home, BACKUPS_FOLDER, name);
    const [, year, month, day, hour, minute, second] = DAILY.exec(name) ?? [];
    if (year !== undefined)
      return [{ file, isDaily: true, createdAt: `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z` }];
    if (!/^before-.*\.backup$/.test(name)) return [];
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats ? [{ file, isDaily: false, createdAt: stats.mtime.toISOString() }] : [];
  });
  return found.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
}

export function newestBackup(home: string): { file: string; createdAt: string } | undefined {
  const [newest] = automaticBackups(home).filter(({ isDaily }) => isDaily);
  return newest && { file: newest.file, createdAt: newest.createdAt };
}
