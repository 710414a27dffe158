// Checks every log in the database: each as a chain, with the same code as a log in files, and this machine's also against the files of its home. So a change of
// the rows is found even by somebody who wrote the whole chain again.
import type { AuditProblem, AuditReport, AuditTail } from '../../audit.ts';
import { createAuditCheck } from '../../audit-check.ts';
import type { PostgresDatabase } from '../database.ts';

const LINES_AT_ONCE = 2_000;
const MOST_PROBLEMS = 100;

interface LogRow {
  machine: string;
  n: number;
  hash: string;
}

export interface VerifyOptions {
  /** What the check of the home's own log found. */
  home: AuditReport;
  machine: string;
  tail: AuditTail;
  signal?: AbortSignal;
}

export async function verifyLogs(database: PostgresDatabase, options: VerifyOptions): Promise<AuditReport> {
  const { home, machine, tail, signal } = options;
  const logs = await database.query<LogRow>('SELECT machine, n, hash FROM lainclaw.audit_logs ORDER BY machine');
  const known = new Set(logs.map((log) => log.machine));
  const foreign = await database.query<{ machine: string }>(
    'SELECT DISTINCT machine FROM lainclaw.audit_lines WHERE NOT machine = ANY ($1::text[])',
    [[...known]],
  );
  const checks = new Map<string, ReturnType<typeof createAuditCheck>>();
  for (const log of [...logs, ...foreign.map((row) => ({ ...row, n: 0, hash: '' }))])
    checks.set(log.machine, await checkLog(database, log, { hasHead: known.has(log.machine), signal }));
  for (const check of checks.values())
    for (const named of check.elsewhere()) checks.get(named.machine ?? '')?.excuseLines(named, 'another machine');
  const reports = [...checks].map(([name, check]) => ({ name, report: check.report() }));
  const differing = [...replacedLogs(logs), ...(await differences(database, machine, tail, signal))];
  const problems = [...home.problems, ...reports.flatMap(({ report }) => report.problems), ...differing];
  const sum = (of: (report: AuditReport) => number): number => reports.reduce((all, { report }) => all + of(report), 0);
  return {
    isSound: home.isSound && problems.length === 0,
    lines: sum(({ lines }) => lines),
    bytes: sum(({ bytes }) => bytes),
    anchor: home.anchor,
    problems: problems.slice(0, MOST_PROBLEMS),
    problemCount: home.problemCount + sum(({ problemCount }) => problemCount) + differing.length,
    notes: [...home.notes, ...reports.flatMap(({ name, report }) => report.notes.map((note) => `${name}: ${note}`))],
  };
}

/** A machine has one log. Another one begins where its home does not have the lines that the database has. */
function replacedLogs(logs: readonly LogRow[]): AuditProblem[] {
  const byMachine = Map.groupBy(logs, ({ machine }) => machine.split('+')[0] ?? '');
  return [...byMachine].flatMap(([name, own]) => {
    const inOrder = own.toSorted((a, b) => a.machine.length - b.machine.length || (a.machine < b.machine ? -1 : 1));
    return inOrder.slice(0, -1).map(({ machine, n }): AuditProblem => {
      const message = `the home of ${name} did not have line ${n} as it is here, and its log began again: files of the home were removed or restored, or these lines were written again`;
      return { problem: 'replaced', n, file: machine, line: n, message };
    });
  });
}

async function checkLog(
  { query }: PostgresDatabase,
  { machine, n, hash }: LogRow,
  { hasHead, signal }: { hasHead: boolean; signal?: AbortSignal },
) {
  const head = hasHead && n > 0 ? { n, hash, file: machine, mayLackLines: false } : undefined;
  const check = createAuditCheck([head], { headName: `${machine} in audit_logs` });
  check.beginFile(machine, 1);
  let hasLines = false;
  for (let after = 0; ; ) {
    signal?.throwIfAborted();
    const rows = await query<{ n: number; json: string }>(
      `SELECT n, json FROM lainclaw.audit_lines WHERE machine = $1 AND n > $2 ORDER BY n LIMIT ${LINES_AT_ONCE}`,
      [machine, after],
    );
    for (const { json } of rows) {
      const bytes = Buffer.from(json);
      check.line(bytes, 0, bytes.length, false);
    }
    hasLines ||= rows.length > 0;
    const last = rows.at(-1);
    if (!last) break;
    after = last.n;
  }
  check.end({ head, hasLines });
  return check;
}

/** Lines of this machine that are not in the database as they are in the home. */
async function differences(
  { query }: PostgresDatabase,
  machine: string,
  tail: AuditTail,
  signal: AbortSignal | undefined,
): Promise<AuditProblem[]> {
  const [log] = await query<{ machine: string }>(
    `SELECT machine FROM lainclaw.audit_logs WHERE machine = $1 OR starts_with(machine, $1 || '+') ORDER BY length(machine) DESC, machine DESC LIMIT 1`,
    [machine],
  );
  const found: AuditProblem[] = [];
  for (let after = 0; log; ) {
    signal?.throwIfAborted();
    const lines = await tail(after, LINES_AT_ONCE);
    const last = lines.at(-1);
    if (!last) break;
    const rows = await query<{ n: number; json: string }>(
      'SELECT n, json FROM lainclaw.audit_lines WHERE machine = $1 AND n > $2 AND n <= $3',
      [log.machine, after, last.n],
    );
    const there = new Map(rows.map(({ n, json }) => [n, json]));
    for (const { n, hash } of lines) {
      const json = there.get(n);
      // What is missing or was changed is found by the check of the chain; a hash that fits is not.
      if (json === undefined || json.startsWith(`{"hash":"${hash}"`)) continue;
      const message = `line ${n} in the database is not the one that is in the home`;
      found.push({ problem: 'replaced', n, file: log.machine, line: n, message });
    }
    after = last.n;
  }
  return found;
}
