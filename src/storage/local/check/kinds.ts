// The kinds of files that a home has, each with its check; the first that matches a path has it. A store that keeps another kind adds a line here.
// Whatever matches none is compared with the record of the last backup alone.
import type { DatabaseSync } from 'node:sqlite';
import { type FileProblem, fileProblem } from '../../file-problems.ts';
import type { SessionEntry } from '../../storage.ts';
import { unpack } from '../../undo-content.ts';
import { AUDIT_FOLDER } from '../audit/audit-files.ts';
import { newestBackup } from '../backup/automatic-names.ts';
import { verifyBackup } from '../backup/verify-backup.ts';
import { isEntryOf, parseIndex } from '../catalogue/parse-index.ts';
import { SCHEMA as SESSIONS } from '../catalogue/schema.ts';
import { SCHEMA as HISTORY } from '../history/history-db.ts';
import { SCHEMA as LAINCLAW } from '../lainclaw-db/schema.ts';
import { SCHEMA as UNDO } from '../undo/local-undo-records.ts';
import { checkDatabase, type KnownDatabase } from './check-database.ts';
import { checkJson, checkJsonLines, checkServiceState, checkText } from './check-texts.ts';
import { checkTranscript } from './check-transcript.ts';
import type { Found, HomeFile, HomeFileKind } from './home-file.ts';

const DATABASES = new Map<string, KnownDatabase>([
  ['lainclaw.db', { schema: LAINCLAW, remedy: 'restore' }],
  ['sessions/sessions.db', { schema: SESSIONS, remedy: 'rebuild', look: lookAtEntries }],
  ['sessions/history.db', { schema: HISTORY, remedy: 'rebuild' }],
  ['undo/undo.db', { schema: UNDO, remedy: 'restore', look: lookAtContents }],
]);

/** Folders whose files other programs or the person fill: they are compared with the last backup, and not read otherwise. */
const FREE = /^(?:workspace|outputs|models|logs|skills|attachments)\//;

/** `lastKnown`: the time of the last turn that the index has, by session id. */
export function homeFileKinds(lastKnown: ReadonlyMap<string, string>): readonly HomeFileKind[] {
  return [
    {
      name: 'database',
      matches: (path) => /^(?:(?:sessions|undo)\/)?[^/]+\.db$/.test(path),
      check: (file) => checkDatabase(file, DATABASES.get(file.path)),
    },
    {
      name: 'transcript',
      matches: (path) => /^sessions\/[\w-]{1,80}\.jsonl$/.test(path),
      check: (file) => checkTranscript(file, lastKnown.get(file.path.slice('sessions/'.length, -'.jsonl'.length))),
    },
    // `audit verify` reads these, and says more.
    { name: 'audit', matches: (path) => path.startsWith(`${AUDIT_FOLDER}/`), check: async () => [] },
    {
      name: 'lock',
      matches: (path) => path.startsWith('locks/'),
      check: async ({ size }) => (size === 0 ? [] : [{ problem: fileProblem('lock-not-empty'), remedy: 'set-aside' }]),
    },
    {
      name: 'backup',
      matches: (path) => /^backups\/.*\.backup$/.test(path),
      check: async (file, home) => (newestBackup(home)?.file === file.location ? checkBackup(file) : []),
    },
    { name: 'free', matches: (path) => FREE.test(path), check: async () => [] },
    { name: 'index', matches: (path) => path === 'sessions/sessions.json', check: checkIndex },
    { name: 'service state', matches: (path) => path === 'service/gateway-service.json', check: checkServiceState },
    { name: 'JSON', matches: (path) => path.endsWith('.json'), check: checkJson },
    {
      name: 'spending',
      matches: (path) => /^spending\/[^/]+\.jsonl$/.test(path),
      check: (file) => checkJsonLines(file, (line) => line !== null && 'tokens' in line),
    },
    {
      name: 'history of core memory',
      matches: (path) => path === 'core_memory.history.jsonl',
      check: (file) => checkJsonLines(file, (line) => line !== null && 'section' in line && 'key' in line),
    },
    { name: 'JSON lines', matches: (path) => path.endsWith('.jsonl'), check: (file) => checkJsonLines(file) },
    { name: 'Markdown', matches: (path) => path.endsWith('.md'), check: checkText },
  ];
}

/** Only the newest is read: it is the one that would repair the others. */
async function checkBackup({ location }: HomeFile): Promise<Found[]> {
  try {
    await verifyBackup({ file: location, signal: new AbortController().signal });
    return [];
  } catch (error) {
    return [{ problem: fileProblem('backup-unusable', { detail: (error as Error).message }), remedy: 'set-aside' }];
  }
}

/** Its entries too: one that is wrong would hide a conversation. */
async function checkIndex(file: HomeFile): Promise<Found[]> {
  const found = await checkJson(file);
  if (found.length > 0) return found.map((each) => (each.remedy === 'restore' ? { ...each, remedy: 'rebuild' } : each));
  const isDamaged = (await parseIndex(file.location)).state === 'damaged';
  return isDamaged ? [{ problem: fileProblem('some-entry'), remedy: 'rebuild' }] : [];
}

async function lookAtEntries(database: DatabaseSync): Promise<FileProblem[]> {
  const faults: FileProblem[] = [];
  for (const { key, entry } of database.prepare('SELECT key, entry FROM sessions').iterate())
    if (!isEntryOf(String(key), parsed(String(entry))))
      faults.push(fileProblem('session-entry', { sessionKey: String(key) }));
  return faults;
}

function parsed(text: string): SessionEntry | undefined {
  try {
    return JSON.parse(text) as SessionEntry;
  } catch {
    return undefined;
  }
}

/** Contents are stored under their own hash. */
async function lookAtContents(database: DatabaseSync): Promise<FileProblem[]> {
  const { hash } = process.getBuiltinModule('node:crypto');
  const faults: FileProblem[] = [];
  for (const { sha256, encoding, data } of database.prepare('SELECT sha256, encoding, data FROM contents').iterate()) {
    const bytes = await unpack({ encoding: encoding as 'plain', data: data as Uint8Array }).catch(() => undefined);
    if (!bytes || hash('sha256', bytes) !== sha256)
      faults.push(fileProblem('content', { hash: String(sha256).slice(0, 12) }));
  }
  return faults;
}
