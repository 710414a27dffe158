// sessions/history.db: the archive's tables again, for the messages of transcripts, and how far each was read. It is only an index: a file of an
// earlier version is emptied, a damaged one is removed, and both are filled again from the transcripts.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isDamagedDatabase } from '../damaged-database.ts';
import { createDatabase, type Database } from '../database.ts';
import { LAINCLAW_DB_VERSION } from '../lainclaw-db/schema.ts';
import type { Migration, Schema } from '../open-database.ts';

/** The tables are those of lainclaw.db: another version of them is another version of this file. The last digits are its own. */
const VERSION = LAINCLAW_DB_VERSION * 100 + 1;
const PRAGMAS = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL';

export const historyDbPath = (home: string): string => join(home, 'sessions', 'history.db');

export function createHistoryDb(home: string): Database {
  const path = historyDbPath(home);
  const database = createDatabase({ path, schema: SCHEMA, pragmas: PRAGMAS });
  return {
    async use(statements) {
      try {
        return await database.use(statements);
      } catch (error) {
        if (!isDamagedDatabase(error)) throw error;
        await database.close();
        for (const file of [path, `${path}-wal`, `${path}-shm`]) await rm(file, { force: true });
        return database.use(statements);
      }
    },
    close: database.close,
  };
}

export const SCHEMA: Schema = {
  version: VERSION,
  async steps() {
    const { STEPS } = await import('../lainclaw-db/steps.ts');
    // Whatever version the file has, the last step is the one that counts.
    return [...Array<Migration>(VERSION - 1).fill(() => {}), (db) => makeAgain(db, STEPS)];
  },
};

function makeAgain(db: DatabaseSync, steps: readonly Migration[]): void {
  const tables = (where: string): string[] =>
    db
      .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND ${where}`)
      .all()
      .map(({ name }) => String(name));
  // The tables of words belong to an index, and an index has tables of its own, which go with it.
  for (const name of tables("sql LIKE '%fts5vocab%'")) db.exec(`DROP TABLE "${name}"`);
  for (const name of tables("sql LIKE 'CREATE VIRTUAL%'")) db.exec(`DROP TABLE "${name}"`);
  for (const name of tables('TRUE')) db.exec(`DROP TABLE "${name}"`);
  for (const step of steps) step(db);
  db.exec(`
    CREATE TABLE history_sessions (
      session TEXT PRIMARY KEY, revision TEXT NOT NULL, is_whole INTEGER NOT NULL, turn_ends INTEGER NOT NULL,
      is_left_out INTEGER NOT NULL) WITHOUT ROWID;
  `);
}
