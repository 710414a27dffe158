// The tables' version: how many steps were run. Each step is one transaction, under a lock of the table that counts them, so that two programs never run the
// same step. A program runs on newer tables as long as their steps say that it can; otherwise it changes nothing.
import { newerVersion, StorageError } from '../storage.ts';
import { setUpVectors } from './archive/pgvector.ts';
import type { PostgresDatabase, Query } from './database.ts';
import { STEPS } from './steps/all.ts';

export interface TablesVersion {
  /** 0: there are no tables. */
  version: number;
  /** The number of steps that a program must know. */
  oldestProgram: number;
}

export interface StepDone {
  number: number;
  name: string;
}

/** The number of steps that this program knows. */
export const KNOWN_VERSION = STEPS.length;

/** As PostgreSQL calls them. */
const NO_TABLE = '42P01';
const NO_SCHEMA = '3F000';

export async function readVersion(query: Query): Promise<TablesVersion> {
  const [found] = await query<{ exists: boolean }>(`SELECT to_regclass('lainclaw.migrations') IS NOT NULL AS exists`);
  return found?.exists ? readCounted(query) : { version: 0, oldestProgram: 0 };
}

async function readCounted(query: Query): Promise<TablesVersion> {
  const [row] = await query<TablesVersion>(
    'SELECT coalesce(max(number), 0) AS version, coalesce(max(oldest_program), 0) AS "oldestProgram" FROM lainclaw.migrations',
  );
  return row ?? { version: 0, oldestProgram: 0 };
}

/** Rejects where this program cannot work with the tables as they are. Changes nothing. One statement: it is sent every few seconds, and never in a transaction. */
export async function requireVersion(query: Query, address: string): Promise<void> {
  const { version, oldestProgram } = await readCounted(query).catch((error: { code?: unknown }) => {
    if (error.code !== NO_TABLE && error.code !== NO_SCHEMA) throw error;
    return { version: 0, oldestProgram: 0 };
  });
  if (oldestProgram > KNOWN_VERSION) throw newerVersion(address, version, KNOWN_VERSION);
  if (version >= KNOWN_VERSION) return;
  const message =
    version === 0
      ? `${address} has no tables of Lainclaw: run "lainclaw store init"`
      : `${address} has tables of an older Lainclaw (version ${version}, this one needs version ${KNOWN_VERSION}): run "lainclaw store migrate"`;
  throw new StorageError('STORAGE_FAILED', message);
}

/** Runs the missing steps, and uses pgvector where the server has it. With `role`, that role may then read and write rows, and nothing else. Running it again changes nothing. */
export async function migrate(
  database: PostgresDatabase,
  { role, onStep = () => {} }: { role?: string; onStep?: (step: StepDone) => void } = {},
): Promise<StepDone[]> {
  await makeSchema(database);
  const done: StepDone[] = [];
  for (let next = await runNextStep(database); next !== undefined; next = await runNextStep(database)) {
    done.push(next);
    onStep(next);
  }
  await setUpVectors(database);
  if (role !== undefined) await grantTo(database, role);
  return done;
}

async function makeSchema({ query }: PostgresDatabase): Promise<void> {
  const make = () =>
    query(`
      CREATE SCHEMA IF NOT EXISTS lainclaw;
      CREATE TABLE IF NOT EXISTS lainclaw.migrations (
        number integer PRIMARY KEY,
        name text NOT NULL,
        oldest_program integer NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
      );
    `);
  const [found] = await query<{ exists: boolean }>(`SELECT to_regclass('lainclaw.migrations') IS NOT NULL AS exists`);
  // Two programs that make it at the same moment: one of them fails, and finds it made.
  if (!found?.exists) await make().catch(make);
}

function runNextStep(database: PostgresDatabase): Promise<StepDone | undefined> {
  const work = async (query: Query): Promise<StepDone | undefined> => {
    await query('LOCK TABLE lainclaw.migrations IN EXCLUSIVE MODE');
    const { version, oldestProgram } = await readVersion(query);
    if (oldestProgram > KNOWN_VERSION) throw newerVersion(database.address, version, KNOWN_VERSION);
    const step = STEPS[version];
    if (step === undefined) return undefined;
    await query(step.sql);
    await query('INSERT INTO lainclaw.migrations (number, name, oldest_program) VALUES ($1, $2, $3)', [
      version + 1,
      step.name,
      step.oldestProgram,
    ]);
    return { number: version + 1, name: step.name };
  };
  return database.transaction(work, { isLong: true });
}

/** Rows of every table of now and of later steps, and reading the version; no table can be made, changed or dropped. */
async function grantTo(database: PostgresDatabase, role: string): Promise<void> {
  const name = `"${role.replaceAll('"', '""')}"`;
  await database.query(`
    GRANT USAGE ON SCHEMA lainclaw TO ${name};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA lainclaw TO ${name};
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA lainclaw TO ${name};
    REVOKE INSERT, UPDATE, DELETE ON lainclaw.migrations FROM ${name};
    ALTER DEFAULT PRIVILEGES IN SCHEMA lainclaw GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${name};
    ALTER DEFAULT PRIVILEGES IN SCHEMA lainclaw GRANT USAGE ON SEQUENCES TO ${name};
  `);
}
