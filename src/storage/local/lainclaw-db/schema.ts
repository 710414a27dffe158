// lainclaw.db: the one SQLite file for everything indexed or queued, but the index of sessions.
import { join } from 'node:path';
import { createDatabase, type Database } from '../database.ts';
import type { Schema } from '../open-database.ts';

export const LAINCLAW_DB_VERSION = 6;
export const SCHEMA: Schema = { version: LAINCLAW_DB_VERSION, steps: async () => (await import('./steps.ts')).STEPS };

export const lainclawDbPath = (home: string): string => join(home, 'lainclaw.db');

/** A connection of its own. */
export function createLainclawDb(home: string, beforeMigration?: (version: number) => Promise<void>): Database {
  const pragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL';
  return createDatabase({ path: lainclawDbPath(home), schema: SCHEMA, pragmas, beforeMigration });
}
