// Repairs what a check has found. What is replaced or removed is kept under its path in `damaged-<day>/`, so nothing is lost by a repair. Nobody
// else may use the home meanwhile.
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type RepairStep, repairStep } from '../../file-problems.ts';
import type { Finding, Repaired } from '../../home-check.ts';
import type { Locks } from '../../locks.ts';
import { ensureDirectory, syncDirectory, writeAtomically } from '../../private-files.ts';
import { automaticBackups } from '../backup/automatic-names.ts';
import { refuseHomeInUse } from '../backup/home-in-use.ts';
import { fileSink } from '../backup/read-parts.ts';
import { visitBackup } from '../backup/verify-backup.ts';
import { dropSums } from './home-sums.ts';
import { holdBack, repairInPlace } from './repair-database.ts';
import { repairLines } from './repair-lines.ts';

const LOCK = 'repair';
const WORKING = '.repair';
const TRANSCRIPT = /^sessions\/[\w-]+\.jsonl$/;
const INDEX = ['sessions/sessions.json', 'sessions/sessions.db'];
const MADE_AGAIN: readonly RepairStep[] = [repairStep('made-again')];
const NAMED_LINES = 10;
const COMPANIONS = ['-wal', '-shm', '-journal'];

interface RepairRequest {
  now: number;
  signal: AbortSignal;
}

export async function repairHome(
  home: string,
  locks: Pick<Locks, 'acquire'>,
  findings: readonly Finding[],
  { now, signal }: RepairRequest,
): Promise<Repaired[]> {
  const lock = await locks.acquire(LOCK, { signal });
  const working = join(home, WORKING);
  try {
    await refuseHomeInUse(home, LOCK);
    await rm(working, { recursive: true, force: true });
    await ensureDirectory(working);
    // Permissions first: the others may need them. Of several findings of a file, the strongest remedy.
    const ordered = strongest(findings);
    const done: Repaired[] = [];
    for (const finding of ordered.filter(({ remedy }) => remedy === 'private'))
      done.push(await makePrivate(home, finding));
    const wanted = ordered.filter(({ remedy }) => remedy === 'restore' || remedy === 'lines').map(({ path }) => path);
    const sources = await takeFromBackups(home, working, wanted, signal);
    const day = new Date(now).toISOString().slice(0, 10);
    const repair: Repair = { home, now, aside: join(home, `damaged-${day}`), sources };
    for (const finding of ordered) {
      if (finding.remedy === 'private') continue;
      done.push(await repairOne(repair, finding).catch((error: unknown) => failed(finding, error)));
    }
    if (done.some(({ path }) => TRANSCRIPT.test(path))) done.push(...(await leaveIndex(repair)));
    // They were judged: the record of the last backup does not make them damaged again.
    const judged = ordered.filter(({ remedy }) => !['private', 'upgrade', 'look'].includes(remedy));
    await dropSums(home, new Set([...judged, ...done.filter(({ isRepaired }) => isRepaired)].map(({ path }) => path)));
    return done;
  } finally {
    await rm(working, { recursive: true, force: true }).catch(() => {});
    await lock.release();
  }
}

interface Repair {
  home: string;
  now: number;
  aside: string;
  /** Paths of the files that backups had, by their path in the home. */
  sources: ReadonlyMap<string, { location: string; createdAt: string }>;
}

const STRENGTH: Record<Finding['remedy'], number> = {
  look: 0,
  private: 1,
  lines: 2,
  'in-place': 3,
  'set-aside': 4,
  rebuild: 5,
  restore: 6,
  upgrade: 7,
};

function strongest(findings: readonly Finding[]): Finding[] {
  const byPath = new Map<string, Finding>();
  const permissions = findings.filter(({ remedy }) => remedy === 'private');
  for (const finding of findings) {
    if (finding.remedy === 'private') continue;
    const known = byPath.get(finding.path);
    if (!known || STRENGTH[known.remedy] < STRENGTH[finding.remedy]) byPath.set(finding.path, finding);
  }
  return [...permissions, ...byPath.values()];
}

/** Each from the newest backup that has it and is sound. */
async function takeFromBackups(
  home: string,
  working: string,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<Repair['sources']> {
  const sources = new Map<string, { location: string; createdAt: string }>();
  for (const { file, createdAt } of automaticBackups(home)) {
    const missing = new Set(wanted.filter((path) => !sources.has(path)));
    if (missing.size === 0) break;
    const folder = join(working, basename(file));
    const taken = new Map<string, string>();
    try {
      await visitBackup(
        { file, signal },
        {
          file: async ({ file: path }) => {
            if (!missing.has(path)) return undefined;
            const location = join(folder, path);
            await mkdir(dirname(location), { recursive: true, mode: 0o700 });
            taken.set(path, location);
            return fileSink(location);
          },
        },
      );
    } catch {
      signal.throwIfAborted();
      // Damaged itself: an older one may have it.
      continue;
    }
    for (const [path, location] of taken) sources.set(path, { location, createdAt });
  }
  return sources;
}

async function repairOne(repair: Repair, finding: Finding): Promise<Repaired> {
  const { path, remedy } = finding;
  switch (remedy) {
    case 'lines':
      return repairTranscript(repair, path);
    case 'restore':
      return restoreFile(repair, finding);
    case 'in-place':
      await setAside(repair, path, { copy: true });
      repairInPlace(join(repair.home, path));
      return { path, done: [repairStep('indexes')], isRepaired: true };
    case 'rebuild':
      await setAside(repair, path);
      return { path, done: MADE_AGAIN, isRepaired: true };
    case 'set-aside':
      await setAside(repair, path);
      return { path, done: [repairStep('set-aside')], isRepaired: true };
    case 'upgrade':
      return { path, done: [repairStep('left-for-upgrade')], isRepaired: false };
    default:
      return { path, done: [repairStep('left-for-you')], isRepaired: false };
  }
}

async function restoreFile(repair: Repair, { path, problem }: Finding): Promise<Repaired> {
  const { home, sources } = repair;
  const source = sources.get(path);
  const isThere = existsSync(join(home, path));
  if (!source && !isThere) return { path, done: [repairStep('no-backup')], isRepaired: false };
  // A database with a fault may still hold nearly everything; one that is none holds nothing.
  if (!source && path.endsWith('.db') && problem.code !== 'empty' && problem.code !== 'not-a-database')
    return { path, done: [repairStep('left-no-backup')], isRepaired: false };
  // Before the copy takes its place: a failure leaves the home as it was.
  const held = source && path === 'lainclaw.db' ? holdBack(source.location, repair.now) : [];
  await setAside(repair, path);
  if (!source) return { path, done: [repairStep('set-aside-no-backup')], isRepaired: true };
  await ensureDirectory(dirname(join(home, path)));
  await rename(source.location, join(home, path));
  await syncDirectory(dirname(join(home, path)));
  return { path, done: [repairStep('restored', { createdAt: source.createdAt }), ...held], isRepaired: true };
}

async function repairTranscript(repair: Repair, path: string): Promise<Repaired> {
  const { home, sources } = repair;
  const source = sources.get(path);
  const damaged = await readFile(join(home, path));
  const { bytes, corrected, fromBackup, lost } = repairLines(damaged, source && (await readFile(source.location)));
  if (bytes.equals(damaged)) return { path, done: [repairStep('left-sound')], isRepaired: true };
  await setAside(repair, path, { copy: true });
  await writeAtomically(join(home, path), bytes);
  const parts = [
    ...(fromBackup ? [repairStep('older-part', { createdAt: source?.createdAt ?? '' })] : []),
    ...(corrected > 0 ? [repairStep('corrected-lines', { count: corrected })] : []),
    ...(lost.length > 0
      ? [repairStep('left-out-lines', { count: lost.length, lines: lost.slice(0, NAMED_LINES).join(', ') })]
      : []),
  ];
  return { path, done: parts.length > 0 ? parts : [repairStep('last-line-ended')], isRepaired: true };
}

/** What the index says of a conversation may be wrong where its file was: the index is made again from all of them. */
async function leaveIndex(repair: Repair): Promise<Repaired[]> {
  const there = INDEX.filter((path) => existsSync(join(repair.home, path)));
  for (const path of there) await setAside(repair, path);
  return there.map((path) => ({ path, done: MADE_AGAIN, isRepaired: true }));
}

/** With the files that SQLite keeps beside a database. Nothing happens where there is no file. */
async function setAside({ home, aside }: Repair, path: string, { copy = false } = {}): Promise<void> {
  for (const name of [path, ...(path.endsWith('.db') ? COMPANIONS.map((end) => `${path}${end}`) : [])]) {
    const from = join(home, name);
    if (!existsSync(from)) continue;
    const to = await freeName(join(aside, name));
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    if (copy) await writeBytes(to, await readFile(from));
    else await rename(from, to);
    await syncDirectory(dirname(to));
  }
}

async function writeBytes(path: string, bytes: Buffer): Promise<void> {
  const sink = await fileSink(path);
  await sink.write(bytes);
  await sink.end();
}

async function freeName(path: string): Promise<string> {
  let free = path;
  for (let number = 2; existsSync(free); number += 1) free = `${path}.${number}`;
  return free;
}

async function makePrivate(home: string, { path }: Finding): Promise<Repaired> {
  const location = join(home, path);
  try {
    const { mode } = await stat(location);
    const isFolder = (await stat(location)).isDirectory();
    await chmod(location, isFolder || mode & 0o100 ? 0o700 : 0o600);
    return { path, done: [repairStep('private')], isRepaired: true };
  } catch (error) {
    return { path, done: [repairStep('not-private', { detail: (error as Error).message })], isRepaired: false };
  }
}

function failed({ path }: Finding, error: unknown): Repaired {
  return { path, done: [repairStep('failed', { detail: (error as Error).message })], isRepaired: false };
}
