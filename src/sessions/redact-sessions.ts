// A text in conversations: their transcripts, summaries and titles. What is found is redacted in place under the lock of the session, and journalled there without
// the text. A session that is in use is left to the caller.
import type { Locks } from '../storage/locks.ts';
import type { Redaction } from '../storage/redaction.ts';
import type { Catalogue, SessionEntry, SessionNotes, Transcripts } from '../storage/storage.ts';
import { transcriptWords } from '../storage/transcript-words.ts';
import { redactedWords } from '../storage/words.ts';
import { keptSessions } from './kept.ts';

export interface RedactSessionsDependencies {
  catalogue: Catalogue;
  locks: Locks;
  transcripts: Transcripts;
  notes: SessionNotes;
  now(): number;
}

/** What of a key holds the text. */
export interface HoldingKey {
  sessionKey: string;
  title?: string;
  sessions: { sessionId: string; lines: number; turnIds: string[] }[];
  isInNotes: boolean;
  isInTitle: boolean;
}

export async function keysHolding(
  redaction: Redaction,
  dependencies: RedactSessionsDependencies,
  { signal, only }: { signal: AbortSignal; only?: readonly string[] },
): Promise<HoldingKey[]> {
  const { catalogue, transcripts, notes } = dependencies;
  const entries = await catalogue.list();
  const kept = await keptSessions(transcripts, entries);
  const byKey = new Map<string, string[]>();
  // A transcript that no longer says whose it is has a name of its own.
  for (const { sessionKey = '', sessionId } of kept)
    byKey.set(sessionKey, [...(byKey.get(sessionKey) ?? []), sessionId]);
  const found: HoldingKey[] = [];
  for (const [sessionKey, sessionIds] of byKey) {
    signal.throwIfAborted();
    if (only && !only.includes(sessionKey)) continue;
    const entry = entries.find((each) => each.sessionKey === sessionKey);
    const sessions = [];
    for (const sessionId of sessionIds) {
      const hit = await linesHolding(sessionId, redaction, transcripts);
      if (hit.lines > 0) sessions.push({ sessionId, ...hit });
    }
    const summary = sessionKey === '' ? undefined : await notes.read(sessionKey);
    const isInNotes = summary !== undefined && redaction.holds(summary);
    const isInTitle = entry?.title !== undefined && redaction.holds(entry.title);
    if (sessions.length > 0 || isInNotes || isInTitle)
      found.push({
        sessionKey,
        ...(entry?.title !== undefined && { title: entry.title }),
        sessions,
        isInNotes,
        isInTitle,
      });
  }
  return found;
}

async function linesHolding(
  sessionId: string,
  redaction: Redaction,
  transcripts: Transcripts,
): Promise<{ lines: number; turnIds: string[] }> {
  const turnIds = new Set<string>();
  let turn: string | undefined;
  let lines = 0;
  for await (const scanned of transcripts.scan(sessionId)) {
    if ('damaged' in scanned) {
      if (redaction.holds(scanned.damaged)) lines += 1;
      continue;
    }
    const { line } = scanned;
    if (line.type === 'turn-start' && typeof line.turnId === 'string') turn = line.turnId;
    if (!redactedWords(line, transcriptWords, redaction).holds) continue;
    lines += 1;
    if (turn !== undefined) turnIds.add(turn);
  }
  return { lines, turnIds: [...turnIds] };
}

/** Those of these keys that no turn uses. */
export async function freeKeys(
  sessionKeys: readonly string[],
  { locks }: Pick<RedactSessionsDependencies, 'locks'>,
): Promise<string[]> {
  const free: string[] = [];
  for (const sessionKey of sessionKeys) {
    const lock = await locks.tryAcquire(`session:${sessionKey}`);
    if (!lock) continue;
    await lock.release();
    free.push(sessionKey);
  }
  return free;
}

/** False, and nothing is changed, while a turn of the session runs. */
export async function redactKey(
  { sessionKey, sessions }: HoldingKey,
  redaction: Redaction,
  { catalogue, locks, transcripts, notes, now }: RedactSessionsDependencies,
): Promise<boolean> {
  const lock = await locks.tryAcquire(`session:${sessionKey}`);
  if (!lock) return false;
  try {
    const note = { type: 'redaction', timestamp: new Date(now()).toISOString() };
    for (const { sessionId } of sessions) await transcripts.redact(sessionId, redaction, note, lock);
    const summary = sessionKey === '' ? undefined : await notes.read(sessionKey);
    if (summary !== undefined && redaction.holds(summary))
      await notes.write(sessionKey, redaction.replaced(summary), lock);
    const entry = sessionKey === '' ? undefined : await catalogue.get(sessionKey);
    if (entry?.title !== undefined && redaction.holds(entry.title))
      await catalogue.put(withTitle(entry, redaction.replaced(entry.title)), lock);
    return true;
  } finally {
    await lock.release();
  }
}

function withTitle(entry: SessionEntry, title: string): SessionEntry {
  return { ...entry, title };
}
