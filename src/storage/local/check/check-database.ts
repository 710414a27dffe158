// A SQLite file: its structure, its version, its tables, its full-text indexes, its write-ahead log.
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { type FileProblem, fileProblem } from '../../file-problems.ts';
import type { Schema } from '../open-database.ts';
import { checkLog } from './check-log.ts';
import type { Found, HomeFile } from './home-file.ts';

const BUSY_TIMEOUT_MS = 2_000;
const MOST_FAULTS = 5;
/** Enough to see whether a table is damaged besides an index. */
const MOST_LINES = 1_000;
/** Busy, locked, not permitted, read-only, cannot be opened: nothing is wrong with the file itself. */
const NO_FAULT = new Set([3, 5, 6, 8, 14]);
const NOT_A_DATABASE = 26;

export interface KnownDatabase {
  schema: Schema;
  /** What else is wrong with it. */
  look?(database: DatabaseSync): Promise<FileProblem[]>;
  /** `rebuild` where everything in it is elsewhere too. `restore` gives up what was written since the backup: only what cannot be repaired in place gets it. */
  remedy: 'restore' | 'rebuild';
}

export async function checkDatabase({ location, size }: HomeFile, known: KnownDatabase | undefined): Promise<Found[]> {
  const remedy = known?.remedy ?? 'restore';
  if (size === 0 && !existsSync(`${location}-wal`)) return [{ problem: fileProblem('empty'), remedy }];
  const faults: Found[] = (await checkLog(`${location}-wal`)).map((problem) => ({ problem, remedy: 'in-place' }));
  try {
    faults.push(...(await look(location, known)));
  } catch (error) {
    if (error instanceof NewerDatabase) return [{ problem: error.problem, remedy: 'upgrade' }];
    const detail = (error as Error).message;
    if (NO_FAULT.has(codeOf(error)))
      return [{ problem: fileProblem('not-checked', { detail }), remedy: 'look', state: 'advice' }];
    const code = codeOf(error) === NOT_A_DATABASE ? 'not-a-database' : 'structure';
    faults.push({ problem: fileProblem(code, { detail }), remedy: 'restore' });
  }
  return faults.slice(0, MOST_FAULTS).map((fault) => (remedy === 'rebuild' ? { ...fault, remedy } : fault));
}

class NewerDatabase extends Error {
  readonly problem: FileProblem;

  constructor(version: number, understood: number) {
    super(`version ${version}`);
    this.problem = fileProblem('newer-version', { version, understood });
  }
}

function codeOf(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff;
}

async function look(location: string, known: KnownDatabase | undefined): Promise<Found[]> {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(location, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
    if (known && (await isOther(database, known.schema, version)))
      return withRemedy([fileProblem('other-database')], 'restore');
    if (known && version > known.schema.version) throw new NewerDatabase(version, known.schema.version);
    const rows = database.prepare(`PRAGMA integrity_check(${MOST_LINES})`).all();
    const broken = rows.flatMap((row) => Object.values(row).map(String)).filter((text) => text !== 'ok');
    if (broken.length > 0) {
      const problems = broken.map((detail) => fileProblem('structure', { detail }));
      return withRemedy(problems, broken.every(isOfIndex) ? 'in-place' : 'restore');
    }
    // Only a person can tell whether a backup would be better than the rest of the file.
    const rowFaults = foreignKeyFaults(database);
    if (rowFaults.length > 0) return withRemedy(rowFaults, 'look');
    const missing = known ? await missingTables(database, known.schema, version) : [];
    if (missing.length > 0) return withRemedy(missing, missing[0]?.code === 'no-tables' ? 'restore' : 'look');
    const changed = (await known?.look?.(database)) ?? [];
    if (changed.length > 0) return withRemedy(changed, 'restore');
  } finally {
    database.close();
  }
  return withRemedy(fullTextFaults(location), 'in-place');
}

function withRemedy(problems: readonly FileProblem[], remedy: Found['remedy']): Found[] {
  return problems.map((problem) => ({ problem, remedy }));
}

/** The rows are sound: the index can be made again from them. */
function isOfIndex(fault: string): boolean {
  return /^(?:row \d+ missing from index|wrong # of entries in index|non-unique entry in index|(?:malformed|unable to validate the) inverted index) ?/.test(
    fault,
  );
}

function foreignKeyFaults(database: DatabaseSync): FileProblem[] {
  const { length: count } = database.prepare('PRAGMA foreign_key_check').all();
  return count > 0 ? [fileProblem('missing-rows', { count })] : [];
}

/** True where most of the tables are missing that a file of this version has: another database lies in its place. */
async function isOther(database: DatabaseSync, schema: Schema, version: number): Promise<boolean> {
  const found = new Set(tablesOf(database));
  const expected = await expectedTables(schema, version);
  return found.size > 0 && expected.filter((name) => found.has(name)).length < expected.length / 2;
}

/** Only of the current version: an earlier one gets its tables when it is opened. */
async function missingTables(database: DatabaseSync, schema: Schema, version: number): Promise<FileProblem[]> {
  const found = new Set(tablesOf(database));
  // Files from before versions were kept have tables and no version.
  if (version !== schema.version) return found.size === 0 ? [fileProblem('no-tables')] : [];
  const missing = (await expectedTables(schema, version)).filter((name) => !found.has(name));
  return missing.map((table) => fileProblem('no-table', { table }));
}

/** Of a newer version, those that this one knows; of a file from before versions were kept, none. */
async function expectedTables(schema: Schema, version: number): Promise<string[]> {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const fresh = new DatabaseSync(':memory:');
  try {
    for (const step of (await schema.steps()).slice(0, version)) step(fresh);
    return tablesOf(fresh);
  } finally {
    fresh.close();
  }
}

function tablesOf(database: DatabaseSync): string[] {
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL");
  // A search index has a number that grows with each rebuild.
  return rows.all().flatMap(({ name }) => (/\d/.test(String(name)) ? [] : [String(name)]));
}

/** SQLite compares the index with the texts that it was made of. The command is an INSERT that changes nothing. */
function fullTextFaults(location: string): FileProblem[] {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(location, { timeout: BUSY_TIMEOUT_MS });
  try {
    const names = database
      .prepare(
        "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE% USING fts5%' AND sql NOT LIKE '%fts5vocab%'",
      )
      .all();
    return names.flatMap(({ name }) => {
      try {
        database.exec(`INSERT INTO "${name}" ("${name}", rank) VALUES ('integrity-check', 1)`);
        return [];
      } catch (error) {
        if (NO_FAULT.has(codeOf(error))) throw error;
        return [fileProblem('search-index', { index: String(name), detail: (error as Error).message })];
      }
    });
  } finally {
    database.close();
  }
}
