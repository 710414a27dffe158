// Puts a home back. First everything is written beside what is there (`.restore/new`), checked and synced: until then the home is as
// it was. Then a plan is written (`.restore/switch.json`), and names are moved: what is there into a folder of its own, then
// the new ones into their place. The plan is the moment of the switch: a process that is killed after it leaves a
// home that the next one switches to the end (`unfinished-restore.ts`), before it reads anything. Moving a name again does no harm.
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError, type RestoreBackup, type RestoredBackup } from '../../backups.ts';
import type { Locks } from '../../locks.ts';
import { ensureDirectory, removeDurably, storageError, syncDirectory, writeAtomically } from '../../private-files.ts';
import { AUDIT_FOLDER, AUDIT_HEAD } from '../audit/audit-files.ts';
import { RESTORE_FOLDER, reasonToStay, SET_ASIDE } from './home-contents.ts';
import { refuseHomeInUse } from './home-in-use.ts';
import { isRestoreUnfinished, planPath } from './switch-plan.ts';
import { unpackHome } from './unpack-home.ts';

const LOCK = 'restore';

interface Plan {
  version: 1;
  /** The folder in the home that takes what is there. */
  aside: string;
  leaving: string[];
  coming: string[];
}

interface Move {
  from: string;
  to: string;
}

export async function restoreHome(home: string, locks: Locks, request: RestoreBackup): Promise<RestoredBackup> {
  const present = await namesToReplace(home);
  if (present.length > 0 && !request.replace)
    throw new BackupError(
      'BACKUP_HOME_NOT_EMPTY',
      `${home} is not empty: --yes restores over it, and keeps what is there in a folder of its own`,
    );
  await ensureDirectory(home);
  const lock = await locks.acquire(LOCK, { signal: request.signal });
  const folder = join(home, RESTORE_FOLDER);
  try {
    await refuseHomeInUse(home, LOCK);
    await rm(folder, { recursive: true, force: true });
    await ensureDirectory(folder);
    const contents = await unpackHome(join(folder, 'new'), request);
    await refuseHomeInUse(home, LOCK);
    request.signal.throwIfAborted();
    const plan = await planOf(home, contents.createdAt);
    await writeAtomically(planPath(home), JSON.stringify(plan));
    await switchOrStay(home, plan);
    return { ...contents, setAside: plan.leaving.length > 0 ? join(home, plan.aside) : undefined };
  } catch (error) {
    // A plan that could neither be carried out nor be taken back is left to the next process.
    if (!isRestoreUnfinished(home)) await rm(folder, { recursive: true, force: true }).catch(() => {});
    throw error;
  } finally {
    await lock.release();
  }
}

/** Switches to the end what a killed process had begun. */
export async function finishSwitch(home: string, locks: Locks): Promise<void> {
  const lock = await locks.acquire(LOCK);
  try {
    // Another process may have done it meanwhile.
    const text = await readFile(planPath(home), 'utf8').catch(() => undefined);
    if (text !== undefined) await switchNames(home, parsePlan(home, text));
  } finally {
    await lock.release();
  }
}

async function planOf(home: string, createdAt: string): Promise<Plan> {
  const leaving = await namesToReplace(home);
  const unpacked = await readdir(join(home, RESTORE_FOLDER, 'new'));
  // What was recorded here is not taken back: a home that has an audit log keeps it.
  const hasAudit = existsSync(join(home, AUDIT_HEAD)) || existsSync(join(home, AUDIT_FOLDER));
  const coming = unpacked.filter((name) => !hasAudit || !isOfAudit(name));
  const day = createdAt.slice(0, 10).replace(/[^\d-]/g, '');
  let aside = `${SET_ASIDE}by-backup-of-${day}`;
  for (let number = 2; existsSync(join(home, aside)); number += 1) aside = `${SET_ASIDE}by-backup-of-${day}-${number}`;
  return { version: 1, aside, leaving, coming };
}

function parsePlan(home: string, text: string): Plan {
  const plan = JSON.parse(text) as Plan;
  if (plan.version === 1) return plan;
  throw new BackupError('BACKUP_NEWER_VERSION', `a newer Lainclaw began to restore ${home}: upgrade lainclaw`);
}

/** All names or none: when one cannot be moved, those that were are moved back. */
async function switchOrStay(home: string, plan: Plan): Promise<void> {
  const moved: Move[] = [];
  try {
    await switchNames(home, plan, moved);
  } catch (error) {
    if (isRestoreUnfinished(home)) await switchBack(home, plan, moved);
    throw error;
  }
}

/** Moves every name that is not in its place yet, and adds each move to `moved`. */
async function switchNames(home: string, { aside, leaving, coming }: Plan, moved: Move[] = []): Promise<void> {
  const fresh = join(home, RESTORE_FOLDER, 'new');
  const move = async (from: string, to: string): Promise<void> => {
    await rename(from, to);
    moved.push({ from, to });
  };
  try {
    await ensureDirectory(join(home, aside));
    for (const name of leaving)
      if (existsSync(join(home, name)) && !existsSync(join(home, aside, name)))
        await move(join(home, name), join(home, aside, name));
    for (const name of coming) {
      if (!existsSync(join(fresh, name))) continue;
      // Another process made it after the plan was written.
      if (existsSync(join(home, name))) await move(join(home, name), join(home, aside, `${name}.made-meanwhile`));
      await move(join(fresh, name), join(home, name));
    }
    await syncDirectory(join(home, aside));
    await syncDirectory(home);
  } catch (error) {
    throw storageError(home, error);
  }
  // The plan goes first: without it nothing is left to do.
  await removeDurably(planPath(home));
  await rm(join(home, RESTORE_FOLDER), { recursive: true, force: true });
  if (leaving.length === 0) await rmdir(join(home, aside)).catch(() => {});
}

/** The plan is removed last: a process that is killed here leaves one that is carried out. */
async function switchBack(home: string, { aside }: Plan, moved: readonly Move[]): Promise<void> {
  for (const { from, to } of moved.toReversed()) await rename(to, from);
  await rmdir(join(home, aside)).catch(() => {});
  await syncDirectory(home);
  await removeDurably(planPath(home));
}

function isOfAudit(name: string): boolean {
  return name === AUDIT_FOLDER || name === AUDIT_HEAD;
}

async function namesToReplace(home: string): Promise<string[]> {
  const names = await readdir(home).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw storageError(home, error);
  });
  return names.filter((name) => reasonToStay(name) === undefined && !isOfAudit(name)).toSorted();
}
