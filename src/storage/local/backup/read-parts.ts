// Single parts of a backup: one file, or one conversation. The whole backup is read and proven before anything of it is given.
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BackedUpSession, BackupError, type ReadBackup } from '../../backups.ts';
import type { Locks } from '../../locks.ts';
import { ensureDirectory } from '../../private-files.ts';
import type { SessionEntry } from '../../storage.ts';
import { parseIndexText } from '../catalogue/parse-index.ts';
import { createTranscripts } from '../transcripts.ts';
import type { FileSink } from './entries.ts';
import { PARTS_FOLDER } from './home-contents.ts';
import { visitBackup } from './verify-backup.ts';

const INDEX = 'sessions/sessions.json';
/** The summaries of a conversation, and the index, are kept in memory. */
const MOST_BYTES = 256 * 1024 * 1024;

export interface ReadFileOfBackup extends ReadBackup {
  path: string;
  write(bytes: Buffer): void | Promise<void>;
}

export async function readFileOfBackup({ path, write, ...request }: ReadFileOfBackup): Promise<{ bytes: number }> {
  let bytes: number | undefined;
  await visitBackup(request, {
    file: async ({ file, size }) => {
      if (file === path) bytes = size;
      return undefined;
    },
  });
  if (bytes === undefined)
    throw new BackupError(
      'BACKUP_NOT_FOUND',
      `${path} is not in the backup: paths are those below the home, sessions/sessions.json for example`,
    );
  await visitBackup(request, {
    file: async ({ file }) =>
      file === path
        ? { write: async (piece) => write(piece), end: async () => {}, discard: async () => {} }
        : undefined,
  });
  return { bytes };
}

/** Hands a conversation of a backup to `use`, by its key or the id of its transcript. */
export async function useSessionOfBackup<T>(
  home: string,
  locks: Locks,
  { session, ...request }: ReadBackup & { session: string },
  use: (found: BackedUpSession) => Promise<T>,
): Promise<T> {
  const entry = await findEntry(request, session);
  const lock = await locks.acquire('restore-session', { signal: request.signal });
  const folder = join(home, PARTS_FOLDER);
  try {
    await rm(folder, { recursive: true, force: true });
    await ensureDirectory(folder);
    const texts = new Map<string, string>();
    const notesPath = `memory/${entry.sessionKey}.md`;
    await visitBackup(request, {
      file: async ({ file, size }) => {
        if (file === notesPath) return textSink(file, size, texts);
        return file === `sessions/${entry.sessionId}.jsonl`
          ? fileSink(join(folder, `${entry.sessionId}.jsonl`))
          : undefined;
      },
    });
    const { scan } = createTranscripts(folder, () => {});
    return await use({ entry, scan, notes: texts.get(notesPath) });
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => {});
    await lock.release();
  }
}

async function findEntry(request: ReadBackup, session: string): Promise<SessionEntry> {
  const texts = new Map<string, string>();
  const transcripts = new Set<string>();
  await visitBackup(request, {
    file: async ({ file, size }) => {
      if (file.startsWith('sessions/') && file.endsWith('.jsonl')) transcripts.add(file.slice(9, -6));
      return file === INDEX ? textSink(file, size, texts) : undefined;
    },
  });
  const found = parseIndexText(texts.get(INDEX) ?? '', `${INDEX} of ${request.file}`);
  const entries = found.state === 'read' ? found.entries : new Map<string, SessionEntry>();
  const entry = entries.get(session) ?? [...entries.values()].find(({ sessionId }) => sessionId === session);
  if (entry && transcripts.has(entry.sessionId)) return entry;
  const known = [...entries.keys()].slice(0, 20).join(', ');
  throw new BackupError(
    'BACKUP_NOT_FOUND',
    `there is no session "${session}" in the backup; it has: ${known || 'none'}`,
  );
}

function textSink(name: string, size: number, texts: Map<string, string>): FileSink {
  if (size > MOST_BYTES) throw new BackupError('BACKUP_FAILED', `${name} in the backup is too large to be read`);
  const parts: Buffer[] = [];
  return {
    write: async (bytes) => void parts.push(Buffer.from(bytes)),
    end: async () => void texts.set(name, Buffer.concat(parts).toString('utf8')),
    discard: async () => {},
  };
}

/** A file that is made. */
export async function fileSink(path: string): Promise<FileSink> {
  const handle = await open(path, 'wx', 0o600);
  return {
    write: (bytes) => handle.writeFile(bytes),
    end: () => handle.close(),
    discard: () => handle.close(),
  };
}
