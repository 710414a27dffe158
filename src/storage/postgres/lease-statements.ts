// The statements of leases. A lease with a `presence` names the connection that its holder had when it wrote the row (presence.ts).
import { KNOWN_VERSION } from './migrations.ts';
import { PRESENT } from './presence-key.ts';

// The condition of the SELECT only spares a held row the lock; the one after ON CONFLICT decides, on the locked row.
const acquisition = (token: { first: string; next: string }, from = ''): string => `
  INSERT INTO lainclaw.leases AS lease (name, token, holder, expires_at, presence, presence_holder)
  SELECT $1, ${token.first}, $2, clock_timestamp() + $3 * interval '1 ms', $4::integer, $2 ${from}
  WHERE NOT EXISTS (
    SELECT 1 FROM lainclaw.leases WHERE name = $1 AND holder <> $2 AND expires_at > clock_timestamp()
  )
  ON CONFLICT (name) DO UPDATE SET
    token = CASE WHEN lease.holder = $2 THEN lease.token ELSE ${token.next} END,
    holder = $2,
    expires_at = clock_timestamp() + $3 * interval '1 ms',
    presence = $4::integer,
    presence_holder = $2
  WHERE lease.holder = $2 OR lease.expires_at <= clock_timestamp()
  RETURNING token`;

export const ACQUIRE = acquisition({ first: '1', next: 'lease.token + 1' });

// Does not wait for the disk, so a crash of the database may take it back. Its token comes from the clock: no later acquisition gets the same one, and writes
// under a token that was taken back are refused.
const CLOCK_TOKEN = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';
export const ACQUIRE_SOON = acquisition(
  { first: CLOCK_TOKEN, next: `greatest(lease.token + 1, ${CLOCK_TOKEN})` },
  `FROM (SELECT set_config('synchronous_commit', 'off', true)) AS soon`,
);

/** A program that a migration excludes renews nothing: it loses its locks, and a newer one acquires them. */
const IS_ADMITTED = `NOT EXISTS (SELECT 1 FROM lainclaw.migrations WHERE oldest_program > ${KNOWN_VERSION})`;

const RENEWED = `expires_at = clock_timestamp() + $3 * interval '1 ms', presence = $4::integer, presence_holder = holder`;

// A row that a write has locked is skipped: one slow write must not end the other leases of its process. A renewal that arrives after the release finds no holder.
// It also reads which processes are connected.
export const RENEW_UNLOCKED = `
  WITH renewed AS (
    UPDATE lainclaw.leases AS lease SET ${RENEWED}
    FROM (
      SELECT name FROM lainclaw.leases JOIN unnest($1::text[], $2::bigint[]) AS held (name, token) USING (name, token)
      WHERE holder <> '' AND ${IS_ADMITTED} FOR NO KEY UPDATE OF leases SKIP LOCKED
    ) AS free WHERE lease.name = free.name RETURNING lease.name
  )
  SELECT ARRAY(SELECT name FROM renewed) AS names, ARRAY(SELECT key::float8 FROM (${PRESENT}) AS present) AS present`;

export const RENEW_ONE = `
  UPDATE lainclaw.leases SET ${RENEWED}
  WHERE name = $1 AND token = $2 AND holder <> '' AND ${IS_ADMITTED} RETURNING name`;

export const HOLDS = `
  SELECT 1 FROM lainclaw.leases
  WHERE name = $1 AND token = $2 AND expires_at > clock_timestamp() + $3 * interval '1 ms'`;

export const LEFT = `
  SELECT CASE WHEN expires_at > clock_timestamp() THEN 1000 * extract(epoch FROM expires_at - clock_timestamp()) ELSE 0 END::float8 AS left
  FROM lainclaw.leases WHERE name = $1`;

// Does not wait for the disk: a lease whose release a crash of the database took back ends by itself.
export const RELEASE = `
  UPDATE lainclaw.leases AS lease SET expires_at = '-infinity', holder = ''
  FROM (SELECT set_config('synchronous_commit', 'off', true)) AS soon, unnest($1::text[], $2::bigint[]) AS held (name, token)
  WHERE lease.name = held.name AND lease.token = held.token`;

export const WITHDRAW = `UPDATE lainclaw.leases SET expires_at = '-infinity', holder = '' WHERE name = $1 AND holder = $2`;
