// Checks every file of a home: by its kind, by its permissions, against the index of sessions, and against the record of the last automatic backup.
// It changes nothing and takes no lock. A database that others hold is waited for briefly.
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileProblem, fileProblemText } from '../../file-problems.ts';
import type { Finding, HomeReport } from '../../home-check.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { automaticBackups, BACKUPS_FOLDER, newestBackup } from '../backup/automatic-names.ts';
import { INDEXES } from '../backup/home-contents.ts';
import { parseIndex } from '../catalogue/parse-index.ts';
import type { HomeFile } from './home-file.ts';
import { DamagedSums, type FileSum, type HomeSums, hashOf, readSums, SUMS_PATH, stateOf } from './home-sums.ts';
import { homeFileKinds } from './kinds.ts';

const COMPANION = /\.db-(?:wal|shm|journal)$/;
const TEMPORARY = /(?:^|\/)\.[^/]*\.(?:tmp|partial)$|\.probe$/;
/** Whose permissions are the person's own business. */
const OTHERS = /^(?:workspace|replaced-[^/]*|damaged-[^/]*)(?:\/|$)/;
const TRANSCRIPT = /^sessions\/[\w-]{1,80}\.jsonl$/;

export async function checkHome(home: string, signal: AbortSignal): Promise<HomeReport> {
  const { files, folders } = listFiles(home);
  const findings: Finding[] = permissionFindings(home, [...files, ...folders]);
  const index = await readIndex(home);
  const lastKnown = new Map(index.map(({ sessionId, updatedAt }) => [sessionId, updatedAt]));
  const kinds = homeFileKinds(lastKnown);
  for (const file of files) {
    signal.throwIfAborted();
    const kind = kinds.find(({ matches }) => matches(file.path));
    const found = (await kind?.check(file, home).catch(unreadable)) ?? [];
    findings.push(...found.map((each): Finding => ({ state: 'problem', ...each, path: file.path })));
  }
  const paths = new Set(files.map(({ path }) => path));
  for (const { sessionId, sessionKey } of index) {
    const path = `sessions/${sessionId}.jsonl`;
    if (!paths.has(path))
      findings.push({
        path,
        problem: fileProblem('missing-conversation', { sessionKey }),
        state: 'problem',
        remedy: 'restore',
      });
  }
  findings.push(...(await auditFindings(home, signal)));
  findings.push(...(await sumFindings(home, { findings, paths, signal })));
  const bytes = files.reduce((total, { size }) => total + size, 0);
  return { findings: withoutRepeats(findings), files: files.length, bytes, backup: newestBackup(home) };
}

function unreadable(error: unknown): Pick<Finding, 'problem' | 'remedy'>[] {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return [];
  return [
    { problem: fileProblem('unreadable', { detail: message }), remedy: code === 'EACCES' ? 'private' : 'restore' },
  ];
}

interface Entry extends HomeFile {
  mode: number;
  isFolder: boolean;
}

function listFiles(home: string): { files: Entry[]; folders: Entry[] } {
  const [files, folders]: [Entry[], Entry[]] = [[], []];
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const name of namesIn(join(home, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const location = join(home, path);
      const stats = lstatSync(location, { throwIfNoEntry: false });
      if (!stats || OTHERS.test(path)) continue;
      const entry = { path, location, size: stats.size, mode: stats.mode & 0o777, isFolder: stats.isDirectory() };
      if (stats.isDirectory()) {
        folders.push(entry);
        waiting.push(path);
      } else if (stats.isFile() && !COMPANION.test(path) && !TEMPORARY.test(path)) files.push(entry);
    }
  }
  return { files, folders };
}

/** A folder that cannot be listed is found by its permissions. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

/** In a home that is closed, what is open in it can be reached by nobody else. */
function permissionFindings(home: string, entries: readonly Entry[]): Finding[] {
  const isClosed = ((statSync(home, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) === 0;
  return entries.flatMap(({ path, mode, isFolder }): Finding[] => {
    const needed = isFolder ? 0o700 : 0o600;
    const shown = { mode: mode.toString(8) };
    const closed = fileProblem(isFolder ? 'folder-closed' : 'file-closed', shown);
    if ((mode & needed) !== needed) return [{ path, problem: closed, state: 'problem', remedy: 'private' }];
    if ((mode & 0o077) === 0 || (isClosed && isFolder)) return [];
    const state = isClosed ? 'advice' : 'problem';
    const problem = fileProblem(isFolder ? 'folder-open' : 'file-open', shown);
    return [{ path, problem, state, remedy: 'private' }];
  });
}

/** Empty where it cannot be read: its own check says that. */
async function readIndex(home: string) {
  const found = await parseIndex(join(home, 'sessions', 'sessions.json')).catch(() => undefined);
  return found?.state === 'read' ? [...found.entries.values()] : [];
}

async function auditFindings(home: string, signal: AbortSignal): Promise<Finding[]> {
  const { problems } = await verifyAudit(home, { signal });
  return problems.map(({ message, file }) => ({
    path: file.endsWith('.jsonl') ? `audit/${file}` : file,
    problem: fileProblem('audit-log', { detail: message }),
    state: 'problem',
    remedy: 'look',
  }));
}

interface Compared {
  findings: readonly Finding[];
  paths: ReadonlySet<string>;
  signal: AbortSignal;
}

async function sumFindings(home: string, { findings, paths, signal }: Compared): Promise<Finding[]> {
  let sums: HomeSums | undefined;
  try {
    sums = await readSums(home);
  } catch (error) {
    if (!(error instanceof DamagedSums)) throw error;
    const problem = fileProblem('record-changed', { detail: error.message });
    return [{ path: SUMS_PATH, problem, state: 'problem', remedy: 'set-aside' }];
  }
  const backups = automaticBackups(home).filter(({ isDaily }) => isDaily);
  if (!sums)
    return backups.length > 0
      ? [{ path: SUMS_PATH, problem: fileProblem('record-missing'), state: 'advice', remedy: 'look' }]
      : [];
  const found: Finding[] = [];
  const backupPath = `${BACKUPS_FOLDER}/${sums.backup}`;
  if (!paths.has(backupPath))
    found.push({ path: backupPath, problem: fileProblem('backup-missing'), state: 'advice', remedy: 'look' });
  const known = new Set(findings.filter(({ state }) => state === 'problem').map(({ path }) => path));
  for (const sum of sums.files.values()) {
    signal.throwIfAborted();
    // A backup also has files that are not ours to check.
    if (known.has(sum.path) || OTHERS.test(sum.path)) continue;
    const finding = paths.has(sum.path) ? await compare(home, sum, sums) : gone(home, sum, sums);
    if (finding) found.push(finding);
  }
  return found;
}

async function compare(
  home: string,
  { path, size, changedAt, sha256 }: FileSum,
  { createdAt }: HomeSums,
): Promise<Finding | undefined> {
  const now = stateOf(join(home, path));
  if (!now) return undefined;
  const since = { since: createdAt };
  if (now.changedAt === changedAt) {
    // Of a file of lines, the whole lines are recorded.
    const hasItsSize = path.endsWith('.jsonl') ? now.size >= size : now.size === size;
    if (hasItsSize && (await hashOf(join(home, path), size)) === sha256) return undefined;
    const problem = fileProblem('other-bytes', since);
    // What its write-ahead log holds is newer than the backup.
    const isBehindLog = path.endsWith('.db') && (stateOf(join(home, `${path}-wal`))?.size ?? 0) > 0;
    const remedy = remedyOf(path);
    return { path, problem, state: 'problem', remedy: isBehindLog && remedy === 'restore' ? 'look' : remedy };
  }
  if (!TRANSCRIPT.test(path)) return undefined;
  // A transcript only grows.
  if (now.size < size) return { path, problem: fileProblem('shorter', since), state: 'problem', remedy: 'lines' };
  if ((await hashOf(join(home, path), size)) === sha256) return undefined;
  return { path, problem: fileProblem('older-lines', since), state: 'problem', remedy: 'lines' };
}

function remedyOf(path: string): Finding['remedy'] {
  return path.startsWith('sessions/sessions.') ? 'rebuild' : TRANSCRIPT.test(path) ? 'lines' : 'restore';
}

/** A conversation that was deleted, and an index that is made again when it is needed, are not missed; whatever else has gone, only a person can tell. */
function gone(home: string, { path, size }: FileSum, { createdAt }: HomeSums): Finding | undefined {
  const isNeeded = path.endsWith('.db') || path === 'sessions/sessions.json';
  if (TRANSCRIPT.test(path) || INDEXES.has(path) || size === 0) return undefined;
  // Whole folders of it are gone with their session.
  if (path.startsWith('outputs/') && !existsSync(join(home, path, '..'))) return undefined;
  const isFolder = statSync(join(home, path), { throwIfNoEntry: false })?.isDirectory() ?? false;
  const problem = isFolder ? fileProblem('is-folder') : fileProblem('missing', { since: createdAt });
  return { path, problem, state: isNeeded ? 'problem' : 'advice', remedy: isNeeded ? remedyOf(path) : 'look' };
}

function withoutRepeats(findings: readonly Finding[]): Finding[] {
  return [
    ...new Map(findings.map((finding) => [`${finding.path}\0${fileProblemText(finding.problem)}`, finding])).values(),
  ];
}
