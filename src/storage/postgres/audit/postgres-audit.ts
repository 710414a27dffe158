// The audit log of every machine. A machine writes its own log into its home, as without a database: that costs a call nothing more, and the line survives the
// death of the process. The lines are brought to the database in the background, each log as a chain of its own, so that no machine waits for another.
// Showing, exporting and checking read what is in the database, after this machine's newest lines were brought there; a check compares them with the home's own log.
import type { Audit, AuditAnchor, AuditLine, AuditTail } from '../../audit.ts';
import { fits } from '../../audit-filter.ts';
import { parseLine, sha256Hex } from '../../audit-line.ts';
import { type RedactedLine, redactionEvents, withoutSession, withoutText } from '../../audit-redaction.ts';
import type { PostgresDatabase } from '../database.ts';
import { bringLines } from './bring-lines.ts';

/** Lines of so short a time are brought together. */
const BRING_AFTER_MS = 300;
/** A command that ends does not wait longer for a database that is away; the next one on this machine brings the lines. */
const LONGEST_END_MS = 3_000;
const LINES_AT_ONCE = 1_000;

export interface PostgresAuditOptions {
  database: PostgresDatabase;
  /** The log of this machine. */
  own: Audit;
  /** Its lines. */
  tail: AuditTail;
  machine(): Promise<string>;
}

interface Row {
  machine: string;
  n: number;
  at: string;
  json: string;
}

export function createPostgresAudit({ database, own, tail, machine }: PostgresAuditOptions): Audit {
  const { query } = database;
  const hash = sha256Hex();
  let timer: NodeJS.Timeout | undefined;
  let bringing: Promise<void> = Promise.resolve();
  let isBehind = true;
  let name: string | undefined;

  /** One at a time; a caller that waits for it sees all lines that were there before. */
  function bring(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    isBehind = false;
    const next = bringing.catch(() => {}).then(bringAll);
    bringing = next.catch((error: unknown) => {
      isBehind = true;
      throw error;
    });
    return bringing;
  }

  async function bringAll(): Promise<void> {
    // A machine without a log gets no name for it.
    if (name === undefined && (await tail(0, 1)).length === 0) return;
    name ??= await machine();
    await bringLines(database, name, tail);
  }

  /** In the order of time. `after`: the row before. */
  async function* rows(after?: Pick<Row, 'at' | 'machine' | 'n'>): AsyncIterable<Row> {
    for (let last = after; ; ) {
      const page: Row[] = await query<Row>(
        `SELECT machine, n, at, json FROM lainclaw.audit_lines
         WHERE $1::text IS NULL OR (at, machine, n) > ($1, $2, $3::bigint) ORDER BY at, machine, n LIMIT ${LINES_AT_ONCE}`,
        [last?.at ?? null, last?.machine ?? null, last?.n ?? null],
      );
      yield* page;
      last = page.at(-1);
      if (!last) return;
    }
  }

  async function overwrite(change: (json: string) => RedactedLine | undefined, what: string): Promise<void> {
    const found: (RedactedLine & { machine: string })[] = [];
    for await (const { machine: of, json } of rows()) {
      const line = change(json);
      if (line) found.push({ ...line, machine: of });
    }
    const mine = await machine();
    // The log of this machine has named its own lines already. Lines of others are named before they are changed.
    for (const [of, lines] of Map.groupBy(found, (line) => line.machine))
      if (of !== mine) await own.append(redactionEvents(lines, what, of));
    await bring();
    for (const { machine: of, n, bytes } of found)
      await query('UPDATE lainclaw.audit_lines SET json = $3 WHERE machine = $1 AND n = $2', [
        of,
        n,
        bytes.toString('utf8'),
      ]);
  }

  return {
    async append(events, options) {
      await own.append(events, options);
      isBehind = true;
      timer ??= setTimeout(() => void bring().catch(() => {}), BRING_AFTER_MS).unref();
    },
    async verify({ anchor, signal } = {}) {
      await bring();
      const { verifyLogs } = await import('./verify-logs.ts');
      const isElsewhere = anchor !== undefined && (await hasAnchor(database, anchor));
      const home = await own.verify({ ...(anchor && !isElsewhere && { anchor }), ...(signal && { signal }) });
      return verifyLogs(database, { home, machine: await machine(), tail, signal });
    },
    async newest(limit, filter = {}) {
      await bring();
      const found: AuditLine[] = [];
      for (let before: Row | undefined; found.length < limit; ) {
        const page: Row[] = await query<Row>(
          `SELECT machine, n, at, json FROM lainclaw.audit_lines
           WHERE $1::text IS NULL OR (at, machine, n) < ($1, $2, $3::bigint) ORDER BY at DESC, machine DESC, n DESC LIMIT ${LINES_AT_ONCE}`,
          [before?.at ?? null, before?.machine ?? null, before?.n ?? null],
        );
        for (const row of page) {
          const line = lineOf(row);
          if (line && found.length < limit && fits(line, filter)) found.push(line);
        }
        before = page.at(-1);
        if (!before) break;
      }
      return found.toReversed();
    },
    async *read(filter = {}) {
      await bring();
      for await (const row of rows()) {
        const line = lineOf(row);
        if (line && fits(line, filter)) yield { json: row.json, line };
      }
    },
    async redact(redaction, mode) {
      await bring();
      let count = 0;
      for await (const { json } of rows()) if (withoutText(json, redaction, hash)) count += 1;
      if (mode === 'remove') {
        await own.redact(redaction, mode);
        await overwrite((json) => withoutText(json, redaction, hash), 'memory.forgetEverywhere');
      }
      return count > 0 ? [{ place: 'line of the audit log', name: '', count }] : [];
    },
    async forgetSession(sessionKey) {
      await bring();
      await own.forgetSession(sessionKey);
      await overwrite((json) => withoutSession(json, sessionKey, hash), 'sessions.delete');
    },
    async close() {
      clearTimeout(timer);
      if (!isBehind) return;
      const end = new Promise<void>((resolve) => setTimeout(resolve, LONGEST_END_MS).unref());
      await Promise.race([bring().catch(() => {}), end]);
    },
  };
}

function lineOf({ json, machine }: Row): AuditLine | undefined {
  const line = parseLine(json);
  return line && { ...line, machine };
}

/** Whether the database has this line, of whichever machine. */
async function hasAnchor({ query }: PostgresDatabase, { n, hash }: AuditAnchor): Promise<boolean> {
  const rows = await query('SELECT 1 FROM lainclaw.audit_lines WHERE n = $1 AND starts_with(json, $2) LIMIT 1', [
    n,
    `{"hash":"${hash}"`,
  ]);
  return rows.length > 0;
}
