// The rows of sessions.db.
import type { ListSessions, SessionEntry } from '../../storage.ts';
import type { Prepare } from '../statements.ts';

const AFTER_EVERY_TEXT = '\u{10ffff}';

export function readEntry(prepare: Prepare, sessionKey: string): SessionEntry | undefined {
  const row = prepare('SELECT entry FROM sessions WHERE key = ?').get(sessionKey);
  return row && entryOf(row.entry);
}

export function listEntries(prepare: Prepare, { limit, after, prefix = '', workspace }: ListSessions): SessionEntry[] {
  const conditions = [
    ...(prefix === '' ? [] : ['key >= $prefix AND key < $end']),
    ...(workspace === undefined ? [] : [`json_extract(entry, '$.workspace') = $workspace`]),
    ...(after ? ['updated_at <= $updatedAt AND (updated_at < $updatedAt OR key > $sessionKey)'] : []),
  ];
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  return prepare(`SELECT entry FROM sessions ${where} ORDER BY updated_at DESC, key LIMIT $limit`)
    .all({
      $limit: limit ?? -1,
      ...(prefix !== '' && { $prefix: prefix, $end: `${prefix}${AFTER_EVERY_TEXT}` }),
      ...(workspace !== undefined && { $workspace: workspace }),
      ...(after && { $updatedAt: after.updatedAt, $sessionKey: after.sessionKey }),
    })
    .map((row) => entryOf(row.entry));
}

export function countEntries(prepare: Prepare): number {
  return Number(prepare('SELECT count(*) AS count FROM sessions').get()?.count);
}

/** Takes over what another program has written to sessions.json: for each key the later state, theirs when both are of one time. */
export function mergeEntries(prepare: Prepare, entries: Iterable<SessionEntry>): void {
  const upsert = prepare(
    `INSERT INTO sessions (key, updated_at, entry) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET updated_at = excluded.updated_at, entry = excluded.entry WHERE excluded.updated_at >= updated_at`,
  );
  for (const entry of entries) upsert.run(entry.sessionKey, entry.updatedAt, JSON.stringify(entry));
}

/** The same list, of entries that are not in a database. */
export function listOf(
  entries: Iterable<SessionEntry>,
  { limit, after, prefix = '', workspace }: ListSessions,
): SessionEntry[] {
  const order = (a: ListSessions['after'] & object, b: ListSessions['after'] & object): number =>
    a.updatedAt === b.updatedAt ? (a.sessionKey < b.sessionKey ? -1 : 1) : a.updatedAt < b.updatedAt ? 1 : -1;
  return [...entries]
    .filter((entry) => entry.sessionKey.startsWith(prefix) && (!after || order(entry, after) > 0))
    .filter((entry) => entry.sessionKey !== after?.sessionKey)
    .filter((entry) => workspace === undefined || entry.workspace === workspace)
    .sort(order)
    .slice(0, limit);
}

function entryOf(text: unknown): SessionEntry {
  return JSON.parse(String(text)) as SessionEntry;
}
