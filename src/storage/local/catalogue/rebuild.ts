// The index as the transcripts tell it: each opens with its session's key, its turns carry the state.
import type { SessionEntry, Transcripts } from '../../storage.ts';
import type { Entries } from './parse-index.ts';

/** Lines that carry what the index knows of their session. */
const STATES: ReadonlySet<string> = new Set(['turn-start', 'session-state']);

export async function rebuildIndex(transcripts: Transcripts): Promise<Entries> {
  const entries: Entries = new Map();
  for (const sessionId of await transcripts.list()) {
    const entry = await readEntry(sessionId, transcripts);
    const known = entry && entries.get(entry.sessionKey);
    // Two sessions of one key: the one used last is the current one.
    if (entry && (!known || known.updatedAt < entry.updatedAt)) entries.set(entry.sessionKey, entry);
  }
  return entries;
}

/** Earlier versions listed the runs of `task`, each under a key that nobody continues. */
export function isTaskRun(sessionKey: string): boolean {
  return /^task:session-[\w-]+:\d+$/.test(sessionKey);
}

/** Identity from the first line, the rest from the newest turns. Undefined for a session that is not listed. */
async function readEntry(sessionId: string, transcripts: Transcripts): Promise<SessionEntry | undefined> {
  let entry: SessionEntry | undefined;
  for await (const scanned of transcripts.scan(sessionId)) {
    if (!('line' in scanned)) continue;
    const { line } = scanned;
    if (line.type === 'session' && typeof line.sessionKey === 'string' && typeof line.createdAt === 'string') {
      if (line.unlisted === true || isTaskRun(line.sessionKey)) return undefined;
      entry = { sessionKey: line.sessionKey, sessionId, createdAt: line.createdAt, updatedAt: line.createdAt };
    } else if (entry && STATES.has(line.type) && typeof line.entry === 'object') {
      Object.assign(entry, line.entry);
    } else if (entry && line.type === 'compaction' && typeof line.compactedMessageCount === 'number') {
      entry.compactedMessageCount = line.compactedMessageCount;
    }
  }
  return entry;
}
