// Rows of the database, as a copy reads and adds them. Each page is one statement, which may run twice.
import type { CopiedRecord, RecordSet } from '../copy/record-set.ts';
import {
  type ColumnType,
  isWhole,
  placesOf,
  RECORD_TABLES,
  type RecordTable,
  recordOf,
} from '../copy/record-tables.ts';
import { spendingRecord } from '../copy/spending-record.ts';
import type { PostgresDatabase, Query } from './database.ts';

const ARRAYS: Record<ColumnType, string> = {
  text: 'text[]',
  integer: 'bigint[]',
  real: 'double precision[]',
  bytes: 'bytea[]',
};

export function createPostgresRecordSets({ query }: PostgresDatabase): RecordSet[] {
  return [...RECORD_TABLES.map((table) => tableRecords(table, query)), spendingRecords(query)];
}

/** For statements that are the same in every database: `?` for each value. */
export function rowsOf({
  query,
}: PostgresDatabase): (sql: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]> {
  return (sql, values) => {
    let number = 0;
    return query(
      sql.replaceAll('?', () => {
        number += 1;
        return `$${number}`;
      }),
      values,
    );
  };
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

function tableRecords(spec: RecordTable, query: Query): RecordSet {
  const { columns, order } = spec;
  const names = Object.keys(columns);
  const table = `lainclaw.${spec.table}`;
  const arrays = (some: readonly string[]): string =>
    some.map((name, index) => `$${index + 1}::${ARRAYS[columns[name] ?? 'text']}`).join(', ');
  const positions = order.map((name, index) => `"${name}" AS position_${index}`).join(', ');

  function page(after: readonly unknown[] | undefined): Promise<Record<string, unknown>[]> {
    const where = after ? `WHERE (${quoted(order)}) > (${after.map((_, index) => `$${index + 1}`).join(', ')})` : '';
    return query(
      `SELECT ${quoted(names)}, ${positions} FROM ${table} ${where} ORDER BY ${quoted(order)} LIMIT ${spec.page}`,
      after,
    );
  }

  return {
    kind: spec.kind,
    async count() {
      const [row] = await query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
      return row?.count ?? 0;
    },
    async *pages() {
      for (let rows = await page(undefined); ; ) {
        const last = rows.at(-1);
        if (!last) return;
        yield rows.map((row) => recordOf(spec, row));
        rows = await page(order.map((_, index) => last[`position_${index}`]));
      }
    },
    async find(records) {
      const found: CopiedRecord[] = [];
      for (const unique of spec.unique) {
        const whole = records.filter(({ fields }) => isWhole(unique, fields));
        if (whole.length === 0) continue;
        const rows = await query(
          `SELECT ${quoted(names)} FROM ${table} WHERE (${quoted(unique)}) IN (SELECT * FROM unnest(${arrays(unique)}))`,
          unique.map((name) => whole.map(({ fields }) => fields[name])),
        );
        found.push(...rows.map((row) => recordOf(spec, row)));
      }
      return placesOf(spec, records, found);
    },
    async add(records) {
      if (spec.numbered !== undefined) await reachNumber(query, spec.table, spec.numbered, records);
      await query(
        `INSERT INTO ${table} (${quoted(names)}) OVERRIDING SYSTEM VALUE
         SELECT ${quoted(names)} FROM unnest(${arrays(names)}) WITH ORDINALITY AS row (${quoted(names)}, ordinality)
         ORDER BY ordinality ON CONFLICT DO NOTHING`,
        names.map((name) => records.map(({ fields }) => fields[name])),
      );
    },
  };
}

/** The next number that the database gives is higher than these. The role may use a sequence and not set it, so numbers are taken one by one. */
async function reachNumber(
  query: Query,
  table: string,
  column: string,
  records: readonly CopiedRecord[],
): Promise<void> {
  const highest = records.reduce((most, { fields }) => Math.max(most, Number(fields[column])), 0);
  const sequence = `pg_get_serial_sequence('lainclaw.${table}', '${column}')`;
  const [next] = await query<{ number: number }>(`SELECT nextval(${sequence}) AS number`);
  const missing = highest - (next?.number ?? 0);
  if (missing > 0) await query(`SELECT max(nextval(${sequence})) FROM generate_series(1, $1::bigint)`, [missing]);
}

interface SpendingRow {
  day: string;
  process: string;
  tokens: number;
  costUsd: number;
}

function spendingRecords(query: Query): RecordSet {
  const select = 'SELECT day, process, tokens, cost_usd AS "costUsd" FROM lainclaw.spending';
  const recordOfRow = ({ day, process, ...spent }: SpendingRow): CopiedRecord => spendingRecord(day, process, spent);
  return {
    kind: 'spending',
    async count() {
      const [row] = await query<{ count: number }>('SELECT count(*) AS count FROM lainclaw.spending');
      return row?.count ?? 0;
    },
    async *pages() {
      for (let last: SpendingRow | undefined; ; ) {
        const rows: SpendingRow[] = await query<SpendingRow>(
          `${select} WHERE $1::text IS NULL OR (day, process) > ($1, $2) ORDER BY day, process LIMIT 200`,
          [last?.day ?? null, last?.process ?? null],
        );
        if (rows.length === 0) return;
        yield rows.map(recordOfRow);
        last = rows.at(-1);
      }
    },
    async find(records) {
      const rows = await query<SpendingRow>(
        `${select} WHERE (day, process) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
        [records.map(({ fields }) => fields.day), records.map(({ fields }) => fields.process)],
      );
      return new Map(rows.map(recordOfRow).map((record) => [record.key, [record]]));
    },
    async add(records) {
      const column = (name: string): unknown[] => records.map(({ fields }) => fields[name]);
      await query(
        `INSERT INTO lainclaw.spending (day, process, tokens, cost_usd)
         SELECT * FROM unnest($1::text[], $2::text[], $3::float8[], $4::float8[]) ON CONFLICT DO NOTHING`,
        [column('day'), column('process'), column('tokens'), column('costUsd')],
      );
    },
  };
}
