// Tables whose rows hold words of people and models: what is queued or cached. The columns have the same names in every database.
import type { RedactedPlace, Redaction } from './redaction.ts';
import { allWords, redactedWords, type Words, wordsIn, wordsInJson } from './words.ts';

export interface TextTable {
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

export const TEXT_TABLES: readonly TextTable[] = [
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

/** The texts of the row without the text, in the order of the columns; undefined when the row does not hold it. */
export function redactRow(
  row: Readonly<Record<string, unknown>>,
  columns: TextTable['columns'],
  redaction: Redaction,
): (string | null)[] | undefined {
  const redacted = Object.entries(columns).map(([name, words]) =>
    typeof row[name] === 'string' ? redactedWords(row[name], words, redaction) : undefined,
  );
  if (!redacted.some((each) => each?.holds)) return undefined;
  return redacted.map((each) => (each ? String(each.replaced) : null));
}

/** `counts`: of the rows of each table that hold the text. */
export function countByPlace(tables: readonly TextTable[], counts: readonly number[]): RedactedPlace[] {
  const byPlace = new Map<string, number>();
  for (const [index, { place }] of tables.entries())
    byPlace.set(place, (byPlace.get(place) ?? 0) + (counts[index] ?? 0));
  return [...byPlace].flatMap(([place, count]) => (count > 0 ? [{ place, name: '', count }] : []));
}
