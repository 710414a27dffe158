// Brings the lines of this machine's log to the database: those after the last one that is there. A repeated or interrupted call brings each line once, because the
// row of the log is locked and says how far it came.
import type { AuditTail, TailLine } from '../../audit.ts';
import { parseLine } from '../../audit-line.ts';
import type { PostgresDatabase, Query } from '../database.ts';
import { withoutZeros } from '../zero-bytes.ts';

const LINES_AT_ONCE = 500;

interface LogRow {
  machine: string;
  n: number;
  hash: string;
}

/** Resolves when every line that was written before the call is there. */
export async function bringLines(
  { query, transaction }: PostgresDatabase,
  machine: string,
  tail: AuditTail,
): Promise<void> {
  for (let log = await currentLog(query, machine, tail); ; ) {
    const brought: number = await transaction((inside) => bringSome(inside, log, tail));
    if (brought < LINES_AT_ONCE) return;
    log = await currentLog(query, machine, tail);
  }
}

/**
 * The log of this machine that its files continue. Where somebody removed or replaced the files, another log begins beside the one that the database has, which
 * stays as it is: "machine-1", then "machine-1+2", ….
 */
async function currentLog(query: Query, machine: string, tail: AuditTail): Promise<LogRow> {
  const logs = await query<LogRow>(
    `SELECT machine, n, hash FROM lainclaw.audit_logs WHERE machine = $1 OR starts_with(machine, $1 || '+') ORDER BY length(machine), machine`,
    [machine],
  );
  const last = logs.at(-1);
  if (!last) return { machine, n: 0, hash: '' };
  const [same] = await tail(last.n - 1, 1);
  if (same === undefined || (same.n === last.n && same.hash !== last.hash))
    return { machine: `${machine}+${logs.length + 1}`, n: 0, hash: '' };
  return last;
}

/** Returns how many lines were brought. */
async function bringSome(query: Query, { machine }: LogRow, tail: AuditTail): Promise<number> {
  await query(`INSERT INTO lainclaw.audit_logs (machine, n, hash) VALUES ($1, 0, '') ON CONFLICT DO NOTHING`, [
    machine,
  ]);
  const [log] = await query<LogRow>('SELECT machine, n, hash FROM lainclaw.audit_logs WHERE machine = $1 FOR UPDATE', [
    machine,
  ]);
  const lines = await tail(log?.n ?? 0, LINES_AT_ONCE);
  const last = lines.at(-1);
  if (!last) return 0;
  await query(
    `INSERT INTO lainclaw.audit_lines (machine, n, at, json)
     SELECT $1, n, at, json FROM unnest($2::bigint[], $3::text[], $4::text[]) AS line (n, at, json) ON CONFLICT DO NOTHING`,
    [machine, lines.map(({ n }) => n), lines.map(({ at }) => at), lines.map(({ json }) => withoutZeros(json))],
  );
  await query('UPDATE lainclaw.audit_logs SET n = $2, hash = $3 WHERE machine = $1', [machine, last.n, last.hash]);
  const removed = Math.max(0, ...lines.map(removedThrough));
  if (removed > 0) await query('DELETE FROM lainclaw.audit_lines WHERE machine = $1 AND n <= $2', [machine, removed]);
  return lines.length;
}

/** The lines that the machine removed by the setting `auditMegabytes` go here as well. */
function removedThrough({ json }: TailLine): number {
  if (!json.includes('"kind":"retention"')) return 0;
  const line = parseLine(json);
  return line?.kind === 'retention' ? Number(line.what) || 0 : 0;
}
