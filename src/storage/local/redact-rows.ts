// The text in what is queued or cached in lainclaw.db: results of tools, messages of chats, jobs and their answers, runs of sub-agents, proposals of facts.
import type { DatabaseSync } from 'node:sqlite';
import type { RedactedPlace, Redaction, RedactionMode } from '../redaction.ts';
import { allWords, redactedWords, type Words, wordsIn, wordsInJson } from '../words.ts';
import type { Database } from './database.ts';
import { inTransaction } from './open-database.ts';

interface TextTable {
  table: string;
  /** With the words in each. */
  columns: Readonly<Record<string, Words>>;
  place: string;
  /** The row means nothing without its text. */
  isDropped?: true;
}

/** Words from end to end, also where they are JSON, which writes quotes otherwise. */
const text: Words = (value, change) => change(String(wordsInJson(allWords)(value, change)));
const outgoing = wordsInJson(wordsIn({ text: allWords, markdown: allWords, buttons: wordsIn({ label: allWords }) }));
const incoming = wordsInJson(
  wordsIn({
    text: allWords,
    message: wordsIn({ text: allWords, sender: wordsIn({ name: allWords }), files: wordsIn({ name: allWords }) }),
    drafts: wordsIn({ body: outgoing }),
  }),
);
const request = wordsIn({ message: allWords });
const job = wordsInJson(wordsIn({ message: allWords, originText: wordsInJson(request) }));
const runRequest = wordsInJson(wordsIn({ instructions: allWords }));

const TABLES: readonly TextTable[] = [
  { table: 'tool_results', columns: { key: text, value: text }, place: 'kept result of a tool', isDropped: true },
  { table: 'inbox', columns: { body: incoming }, place: 'message of a chat' },
  { table: 'outbox', columns: { body: outgoing, last_error: text }, place: 'message to a chat' },
  { table: 'schedule_jobs', columns: { definition: job, reason: text }, place: 'scheduled job' },
  { table: 'schedule_runs', columns: { answer: text, reason: text }, place: 'answer of a scheduled job' },
  { table: 'schedule_letters', columns: { text }, place: 'answer of a scheduled job' },
  {
    table: 'agent_runs',
    columns: { message: text, request: runRequest, result: text, error: text },
    place: 'run of a sub-agent',
  },
  { table: 'fact_proposals', columns: { text, topic: text }, place: 'proposed fact', isDropped: true },
];

export async function redactRows(
  database: Database,
  redaction: Redaction,
  mode: RedactionMode,
): Promise<RedactedPlace[]> {
  const counts = await database.use((db) =>
    mode === 'find'
      ? TABLES.map((table) => redactTable(db, table, redaction, mode))
      : inTransaction(db, () => TABLES.map((table) => redactTable(db, table, redaction, mode))),
  );
  const byPlace = new Map<string, number>();
  for (const [index, { place }] of TABLES.entries())
    byPlace.set(place, (byPlace.get(place) ?? 0) + (counts[index] ?? 0));
  return [...byPlace].flatMap(([place, count]) => (count > 0 ? [{ place, name: '', count }] : []));
}

/** Returns how many rows hold the text. */
function redactTable(
  db: DatabaseSync,
  { table, columns, isDropped }: TextTable,
  redaction: Redaction,
  mode: RedactionMode,
): number {
  const names = Object.keys(columns);
  const rows = db.prepare(`SELECT rowid AS row, ${names.join(', ')} FROM ${table}`).iterate();
  const changed: { row: number; texts: (string | null)[] }[] = [];
  for (const row of rows) {
    const redacted = Object.entries(columns).map(([name, words]) =>
      typeof row[name] === 'string' ? redactedWords(row[name], words, redaction) : undefined,
    );
    if (!redacted.some((each) => each?.holds)) continue;
    changed.push({ row: Number(row.row), texts: redacted.map((each) => (each ? String(each.replaced) : null)) });
  }
  if (mode === 'find') return changed.length;
  const statement = isDropped
    ? db.prepare(`DELETE FROM ${table} WHERE rowid = ?`)
    : db.prepare(`UPDATE ${table} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE rowid = ?`);
  for (const { row, texts } of changed) statement.run(...(isDropped ? [] : texts), row);
  return changed.length;
}
