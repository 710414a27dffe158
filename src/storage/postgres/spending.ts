// What models cost. Each process has a row a day and writes its whole sum, so that a write that runs twice adds nothing, and no two processes wait for each other.
// Calls that run now are in one row of the limits, which is locked for a moment by each that begins: of two that begin at the same time, the second sees the first.
// One ends after what it used was added. So what is read after a call has begun, together with the others that it saw then, leaves nothing out.
import type { RunningCall, Spending, Spent } from '../storage.ts';
import type { PostgresDatabase } from './database.ts';

/** A call of a process that is lost counts for so long. */
const CALL_SECONDS = 30;
const RENEW_MS = 10_000;
const ROW = 'running model calls';

const NOW = 'extract(epoch FROM clock_timestamp())::float8';

// A call is an array: the second of the epoch at which it counts no more, and its tokens.
const BEGIN = `
  INSERT INTO lainclaw.limits AS kept (name, until, places)
  VALUES ('${ROW}', clock_timestamp() + interval '${CALL_SECONDS} seconds',
    jsonb_build_object($1::text, jsonb_build_array(${NOW} + ${CALL_SECONDS}, $2::float8)))
  ON CONFLICT (name) DO UPDATE SET until = excluded.until,
    places = coalesce(
      (SELECT jsonb_object_agg(key, value) FROM jsonb_each(kept.places) WHERE (value ->> 0)::float8 > ${NOW}), '{}'
    ) || excluded.places
  RETURNING (SELECT coalesce(sum((value ->> 1)::float8), 0) FROM jsonb_each(kept.places) WHERE key <> $1) AS "othersTokens"`;

const END = `UPDATE lainclaw.limits SET places = places - $1::text WHERE name = '${ROW}'`;

export function createPostgresSpending(
  { query }: Pick<PostgresDatabase, 'query'>,
  process: string,
): Required<Spending> & { close(): void } {
  const sums = new Map<string, Spent>();
  /** Tokens of the calls that run in this process, by their names. */
  const running = new Map<string, number>();
  let begun = 0;
  let renewing: NodeJS.Timeout | undefined;

  async function renew(): Promise<void> {
    for (const [name, tokens] of running) {
      await query(BEGIN, [name, tokens]).catch(() => {});
      if (!running.has(name)) await end(name);
    }
  }

  /** Where it fails, the call ends by time. */
  async function end(name: string): Promise<void> {
    running.delete(name);
    if (running.size === 0) stopRenewing();
    await query(END, [name]).catch(() => {});
  }

  function stopRenewing(): void {
    clearInterval(renewing);
    renewing = undefined;
  }

  return {
    async add(day, { tokens, costUsd }) {
      const before = sums.get(day) ?? { tokens: 0, costUsd: 0 };
      const sum = { tokens: before.tokens + tokens, costUsd: before.costUsd + costUsd };
      sums.set(day, sum);
      // Of two writes on their way, the later one may arrive first. None waits for the disk: what a crash of the database takes back is in the next sum.
      await query(
        `INSERT INTO lainclaw.spending AS kept (day, process, tokens, cost_usd)
         SELECT $1, $2, $3, $4 FROM (SELECT set_config('synchronous_commit', 'off', true)) AS soon
         ON CONFLICT (day, process) DO UPDATE
         SET tokens = greatest(kept.tokens, excluded.tokens), cost_usd = greatest(kept.cost_usd, excluded.cost_usd)`,
        [day, process, sum.tokens, sum.costUsd],
      );
    },
    async on(day) {
      const [sum] = await query<Spent>(
        `SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_usd), 0) AS "costUsd"
         FROM lainclaw.spending WHERE day = $1`,
        [day],
      );
      return sum ?? { tokens: 0, costUsd: 0 };
    },
    async begin(tokens): Promise<RunningCall> {
      begun += 1;
      const name = `${process} ${begun}`;
      running.set(name, tokens);
      renewing ??= setInterval(() => void renew(), RENEW_MS).unref();
      try {
        const [row] = await query<Pick<RunningCall, 'othersTokens'>>(BEGIN, [name, tokens]);
        return { othersTokens: row?.othersTokens ?? 0, end: () => end(name) };
      } catch (error) {
        // It may be counted all the same.
        void end(name);
        throw error;
      }
    },
    close: stopRenewing,
  };
}
