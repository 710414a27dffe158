// The backup of a day: the home is checked first, so that a damaged one never takes the place of a sound backup; then the backup is made and read
// again, the record of what the home looked like is written, and the oldest ones beyond the count are removed.
import { unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type AutomaticBackup, BackupError, type CreateAutomaticBackup } from '../../backups.ts';
import { fileProblemText } from '../../file-problems.ts';
import type { Locks } from '../../locks.ts';
import { ensureDirectory } from '../../private-files.ts';
import { checkHome } from '../check/check-home.ts';
import { writeSums } from '../check/home-sums.ts';
import { automaticBackups, BACKUPS_FOLDER, dailyName } from './automatic-names.ts';
import { createBackup } from './create-backup.ts';
import { INDEXES, listHome, reasonToStay } from './home-contents.ts';

export async function createAutomaticBackup(
  home: string,
  locks: Locks,
  { keep, lainclaw, createdAt, signal }: CreateAutomaticBackup,
): Promise<AutomaticBackup> {
  await refuseDamaged(home, signal);
  const name = dailyName(createdAt);
  const output = join(home, BACKUPS_FOLDER, name);
  await ensureDirectory(join(home, BACKUPS_FOLDER));
  const created = await createBackup(home, locks, { output, lainclaw, createdAt, signal });
  const { files, databases } = await listHome(home, '');
  // The audit log proves itself, and never stops growing.
  const recorded = [...databases, ...INDEXES, ...files].filter((path) => !path.startsWith('audit'));
  await writeSums(home, recorded, { createdAt, backup: name, signal });
  const removed = automaticBackups(home)
    .filter(({ isDaily }) => isDaily)
    .slice(keep);
  for (const { file } of removed) await unlink(file);
  return { ...created, file: output, removed: removed.map(({ file }) => basename(file)) };
}

async function refuseDamaged(home: string, signal: AbortSignal): Promise<void> {
  const { findings } = await checkHome(home, signal);
  // Who may read a file, what was recorded, and what no backup holds, does not make a backup worse.
  const damage = findings.filter(
    ({ path, state, remedy }) => state === 'problem' && remedy !== 'private' && remedy !== 'look' && !isLeftOut(path),
  );
  const [first] = damage;
  if (!first) return;
  throw new BackupError(
    'BACKUP_HOME_DAMAGED',
    `no backup was made, so that the sound ones stay: ${first.path} ${fileProblemText(first.problem)}${damage.length > 1 ? `, and ${damage.length - 1} more` : ''}; run "lainclaw doctor"`,
  );
}

function isLeftOut(path: string): boolean {
  const [name = ''] = path.split('/');
  return reasonToStay(name) !== undefined;
}
