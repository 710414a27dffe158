import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { STEPS } from '../local/lainclaw-db/steps.ts';
import { TEXT_TABLES } from '../text-tables.ts';
import { RECORD_TABLES } from './record-tables.ts';

/** Memory is copied by its own code, and forgotten by it; results for reuse are made again. */
const isElsewhere = (table: string): boolean => table.startsWith('archive_') || table === 'tool_results';
/** They name chats, turns and documents, and hold no words. */
const WITHOUT_WORDS = new Set([
  'chat_choices',
  'chat_people',
  'fact_waiting',
  'fact_sources',
  'fact_extractions',
  'fact_changes',
]);

const tables = (): string[] => {
  const db = new DatabaseSync(':memory:');
  for (const step of STEPS) step(db);
  const rows = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  return rows.map(({ name }) => String(name)).filter((table) => !isElsewhere(table));
};

it.each(tables())('the table %s is copied to another store, and its words can be forgotten', (name) => {
  expect(RECORD_TABLES.map(({ table }) => table)).toContain(name);
  if (!WITHOUT_WORDS.has(name)) expect(TEXT_TABLES.map(({ table }) => table)).toContain(name);
});
