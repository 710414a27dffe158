import type { Spending } from '../storage.ts';
import type { Database } from './database.ts';

export function createSpending(database: Database): Spending {
  return {
    add: (day, { tokens, costUsd }) =>
      database.use((db) => {
        db.prepare(
          'INSERT INTO spending (day, tokens, cost_usd) VALUES (?, ?, ?) ON CONFLICT (day) DO UPDATE SET tokens = tokens + excluded.tokens, cost_usd = cost_usd + excluded.cost_usd',
        ).run(day, tokens, costUsd);
      }),
    on: (day) =>
      database.use((db) => {
        const row = db.prepare('SELECT tokens, cost_usd FROM spending WHERE day = ?').get(day);
        return { tokens: Number(row?.tokens ?? 0), costUsd: Number(row?.cost_usd ?? 0) };
      }),
  };
}
