// What models cost. Each process has a row a day and writes its whole sum, so that a write that runs twice adds nothing, and no two processes wait for each other.
import type { Spending, Spent } from '../storage.ts';
import type { PostgresDatabase } from './database.ts';

export function createPostgresSpending({ query }: PostgresDatabase, process: string): Spending {
  const sums = new Map<string, Spent>();
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
  };
}
