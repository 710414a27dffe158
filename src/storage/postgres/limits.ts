// Limits over all gateways, by the clock of the database. Each answer is one statement: the row of a name is locked while it is judged, so two gateways never
// both take the last one. A counter keeps the time at which its name is forgiven everything (memory-limits.ts); an occupied place ends by itself unless its
// gateway renews it. Statements may run twice: a try is then counted twice.
import { createHash } from 'node:crypto';
import type { Limits } from '../limits.ts';
import type { Query } from './database.ts';

/** A place of a gateway that is lost is free after this long. */
const PLACE_SECONDS = 30;
const RENEW_MS = 10_000;

const ms = (parameter: string): string => `(${parameter} * interval '1 millisecond')`;

// The second SELECT reads the row as it was when the statement began: there may be none yet.
const TAKE = `
  WITH taken AS (
    INSERT INTO lainclaw.limits AS kept (name, until) VALUES ($1, clock_timestamp() + ${ms('$2::float8')})
    ON CONFLICT (name) DO UPDATE SET until = greatest(kept.until, clock_timestamp()) + ${ms('$2::float8')}
    WHERE kept.until <= clock_timestamp() + ($3::float8 - 1) * ${ms('$2::float8')}
    RETURNING 0::float8 AS "waitMs"
  )
  SELECT "waitMs" FROM taken
  UNION ALL
  SELECT greatest(1, 1000 * extract(epoch FROM until - clock_timestamp())::float8 - ($3::float8 - 1) * $2::float8)
  FROM lainclaw.limits WHERE name = $1 AND NOT EXISTS (SELECT FROM taken)`;

const GIVE_BACK = `UPDATE lainclaw.limits SET until = until - ${ms('$2::float8')} WHERE name = $1`;

const NOW = 'extract(epoch FROM clock_timestamp())::float8';
const PLACES_LEFT_OVER = `SELECT key, value FROM jsonb_each(kept.places) WHERE key <> $2 AND value::float8 > ${NOW}`;
const ENTER = `
  INSERT INTO lainclaw.limits AS kept (name, until, places)
  VALUES ($1, clock_timestamp() + interval '${PLACE_SECONDS} seconds', jsonb_build_object($2::text, ${NOW} + ${PLACE_SECONDS}))
  ON CONFLICT (name) DO UPDATE SET until = excluded.until,
    places = coalesce((SELECT jsonb_object_agg(key, value) FROM (${PLACES_LEFT_OVER}) AS others), '{}') || excluded.places
  WHERE (SELECT count(*) FROM (${PLACES_LEFT_OVER}) AS others) < $3::float8
  RETURNING true AS entered`;

const HOLD = `
  INSERT INTO lainclaw.limits AS kept (name, until) VALUES ($1, clock_timestamp() + ${ms('$2::float8')})
  ON CONFLICT (name) DO UPDATE SET until = greatest(kept.until, excluded.until)`;

export function createPostgresLimits(query: Query): Limits & { close(): void } {
  /** Places of this process, by their ids. `isIn` once the database has said so. */
  const entered = new Map<string, { name: string; isIn: boolean }>();
  let renewing: NodeJS.Timeout | undefined;

  async function renew(): Promise<void> {
    for (const [place, { name, isIn }] of entered) {
      if (!isIn) continue;
      await query(ENTER, [name, place, Number.MAX_SAFE_INTEGER]).then(
        // It was left meanwhile.
        () => (entered.has(place) ? undefined : leave(name, place)),
        () => {},
      );
    }
  }

  async function leave(name: string, place: string): Promise<void> {
    entered.delete(place);
    if (entered.size === 0) stopRenewing();
    await query('UPDATE lainclaw.limits SET places = places - $2::text WHERE name = $1', [name, place]);
  }

  function stopRenewing(): void {
    clearInterval(renewing);
    renewing = undefined;
  }

  return {
    counter: (kind, { most, intervalMs }) => ({
      async attempt(name, isRight) {
        const digest = digestOf(kind, name);
        const [row] = await query<{ waitMs: number }>(TAKE, [digest, intervalMs, most]);
        const waitMs = row?.waitMs ?? intervalMs;
        if (waitMs > 0) return waitMs;
        if (!isRight()) return false;
        await query(GIVE_BACK, [digest, intervalMs]);
        return true;
      },
    }),

    places: (kind, most) => ({
      async enter(name, place) {
        const own = { name: digestOf(kind, name), isIn: false };
        entered.set(place, own);
        try {
          own.isIn = (await query(ENTER, [own.name, place, most])).length > 0;
        } finally {
          if (!own.isIn) entered.delete(place);
        }
        // Its caller did not wait for the answer.
        if (own.isIn && !entered.has(place)) await leave(own.name, place);
        if (entered.size > 0) renewing ??= setInterval(() => void renew(), RENEW_MS).unref();
        return own.isIn;
      },
      leave: (name, place) => leave(digestOf(kind, name), place),
    }),

    holds: {
      async hold(name, forMs) {
        await query(HOLD, [digestOf('hold', name), forMs]);
      },
      async leftMs(name) {
        const [row] = await query<{ leftMs: number }>(
          `SELECT greatest(0, 1000 * extract(epoch FROM until - clock_timestamp())::float8) AS "leftMs"
           FROM lainclaw.limits WHERE name = $1`,
          [digestOf('hold', name)],
        );
        return row?.leftMs ?? 0;
      },
    },

    close: stopRenewing,
  };
}

/** Removes what means nothing any more: of the limits, and when the last turn of a person began, which only matters while others wait. */
export async function pruneLimits(query: Query): Promise<void> {
  await query(`DELETE FROM lainclaw.limits WHERE until < clock_timestamp() - interval '1 minute'`);
  await query(`DELETE FROM lainclaw.person_starts WHERE started_at < clock_timestamp() - interval '1 day'`);
}

function digestOf(kind: string, name: string): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, name]))
    .digest('base64url');
}
