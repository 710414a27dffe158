// Rows of the home's databases and its spending, as a copy reads and adds them. Reading makes no file.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import { type CopiedRecord, type FieldValue, pagesOf, type RecordSet } from '../copy/record-set.ts';
import { isWhole, placesOf, RECORD_TABLES, type RecordTable, recordOf } from '../copy/record-tables.ts';
import { SPENDING_OF_HOME, spendingRecord } from '../copy/spending-record.ts';
import type { Spent } from '../storage.ts';
import { createDatabase } from './database.ts';
import { createLainclawDb, lainclawDbPath } from './lainclaw-db/schema.ts';
import { inTransaction } from './open-database.ts';
import { appendSpent } from './spending.ts';
import { createSyncedDatabase, type UseDatabase } from './synced-database.ts';
import { PRAGMAS, SCHEMA } from './undo/local-undo-records.ts';

export interface LocalRecordSets {
  sets: RecordSet[];
  /** Of lainclaw.db; none where there is no such file. */
  rows(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

interface OpenedFile {
  path: string;
  use: UseDatabase;
}

export function createLocalRecordSets(home: string): LocalRecordSets {
  const undoPath = join(home, 'undo', 'undo.db');
  const main = createLainclawDb(home);
  const undo = createDatabase({ path: undoPath, schema: SCHEMA, pragmas: PRAGMAS });
  const mainFile = { path: lainclawDbPath(home), use: createSyncedDatabase(main) };
  const undoFile = { path: undoPath, use: createSyncedDatabase(undo) };
  const sets = RECORD_TABLES.map((table) =>
    tableRecords(table, table.undoTable === undefined ? mainFile : undoFile, table.undoTable ?? table.table),
  );
  return {
    sets: [...sets, spendingRecords(join(home, 'spending'))],
    async rows(sql, values = []) {
      if (!existsSync(mainFile.path)) return [];
      return mainFile.use((db) => db.prepare(sql).all(...(values as SQLInputValue[])));
    },
    async close() {
      await main.close();
      await undo.close();
    },
  };
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');
const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');

function tableRecords(spec: RecordTable, { path, use }: OpenedFile, table: string): RecordSet {
  const columns = Object.keys(spec.columns);
  const order = spec.localOrder ?? spec.order;
  const positions = order.map((name, index) => `"${name}" AS position_${index}`).join(', ');

  function page(after: readonly SQLInputValue[] | undefined) {
    const where = after ? `WHERE (${quoted(order)}) > (${marks(order.length)})` : '';
    const statement = `SELECT ${quoted(columns)}, ${positions} FROM "${table}" ${where} ORDER BY ${quoted(order)} LIMIT ${spec.page}`;
    return use((db) => db.prepare(statement).all(...(after ?? [])));
  }

  return {
    kind: spec.kind,
    async count() {
      if (!existsSync(path)) return 0;
      return use((db) => Number(db.prepare(`SELECT count(*) AS count FROM "${table}"`).get()?.count ?? 0));
    },
    async *pages() {
      if (!existsSync(path)) return;
      for (let rows = await page(undefined); ; ) {
        const last = rows.at(-1);
        if (!last) return;
        yield rows.map((row) => recordOf(spec, row));
        rows = await page(order.map((_, index) => last[`position_${index}`] ?? null));
      }
    },
    async find(records) {
      if (!existsSync(path)) return new Map();
      const found = await use((db) =>
        spec.unique.flatMap((names) => {
          const keys = records.flatMap(({ fields }) => (isWhole(names, fields) ? [valuesOf(names, fields)] : []));
          if (keys.length === 0) return [];
          const statement = `SELECT ${quoted(columns)} FROM "${table}" WHERE (${quoted(names)}) IN (VALUES ${keys.map((key) => `(${marks(key.length)})`).join(', ')})`;
          return db.prepare(statement).all(...keys.flat());
        }),
      );
      return placesOf(
        spec,
        records,
        found.map((row) => recordOf(spec, row)),
      );
    },
    async add(records) {
      const statement = `INSERT INTO "${table}" (${quoted(columns)}) VALUES (${marks(columns.length)}) ON CONFLICT DO NOTHING`;
      await use((db) =>
        inTransaction(db, () => {
          const insert = db.prepare(statement);
          for (const { fields } of records) insert.run(...valuesOf(columns, fields));
        }),
      );
    },
  };
}

function valuesOf(names: readonly string[], fields: CopiedRecord['fields']): SQLInputValue[] {
  return names.map((name) => {
    const value: FieldValue = fields[name] ?? null;
    return typeof value === 'boolean' ? Number(value) : value;
  });
}

/** What was copied here keeps the process that spent it; the other lines of a day are one sum. */
function spendingRecords(directory: string): RecordSet {
  async function days(): Promise<string[]> {
    const names = existsSync(directory) ? await readdir(directory) : [];
    return names.flatMap((name) => (name.endsWith('.jsonl') ? [name.slice(0, -'.jsonl'.length)] : [])).toSorted();
  }

  async function read(day: string): Promise<CopiedRecord[]> {
    const path = join(directory, `${day}.jsonl`);
    if (!existsSync(path)) return [];
    const sums = new Map<string, Spent>();
    for (const line of (await readFile(path, 'utf8')).split('\n')) {
      const spent = parse(line);
      if (!spent) continue;
      const sum = sums.get(spent.process) ?? { tokens: 0, costUsd: 0 };
      sums.set(spent.process, { tokens: sum.tokens + spent.tokens, costUsd: sum.costUsd + spent.costUsd });
    }
    return [...sums].map(([process, sum]) => spendingRecord(day, process, sum));
  }

  return {
    kind: 'spending',
    count: async () => (await days()).length,
    async *pages() {
      for (const page of pagesOf(await days(), 100)) yield (await Promise.all(page.map(read))).flat();
    },
    async find(records) {
      const wanted = new Set(records.map(({ key }) => key));
      const found = await Promise.all([...new Set(records.map(({ fields }) => String(fields.day)))].map(read));
      return new Map(found.flat().flatMap((record) => (wanted.has(record.key) ? [[record.key, [record]]] : [])));
    },
    async add(records) {
      for (const { fields } of records) {
        const { day, process, tokens, costUsd } = fields;
        await appendSpent(directory, String(day), { tokens, costUsd, process });
      }
    },
  };
}

function parse(line: string): (Spent & { process: string }) | undefined {
  try {
    const { tokens, costUsd, process } = JSON.parse(line) as Partial<Spent & { process: string }>;
    return { tokens: Number(tokens) || 0, costUsd: Number(costUsd) || 0, process: process ?? SPENDING_OF_HOME };
  } catch {
    return undefined;
  }
}
