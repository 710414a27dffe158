// What gateways tell each other of their turns. Each gateway numbers its lines and adds them one statement after the other, so that others see them in the order
// of their numbers; a reader keeps a position for each gateway. Commands are written to one gateway, which removes what it has obeyed.
import type { ToldLines, TurnExchangeStore } from '../cluster.ts';
import type { PostgresDatabase } from './database.ts';
import { pruneLimits } from './limits.ts';
import type { Sealing } from './sealed-text.ts';
import { signal } from './signals.ts';

const ROWS_OF_GATEWAY = 100;
const MESSAGES_AT_ONCE = 100;
const LINES = 'turn lines';
const MESSAGES = 'gateway messages';
/** A turn that has ended is kept as long as in the memory of its own gateway. */
const KEPT = `interval '10 minutes'`;
/** Of a turn that does not end. */
const KEPT_AT_MOST = `interval '1 day'`;

export function createTurnExchangeStore({ query, transaction }: PostgresDatabase, sealing: Sealing): TurnExchangeStore {
  return {
    async tell(gateway, told) {
      const sealed = await Promise.all(told.map(({ text }) => sealing.seal(LINES, text)));
      const ended = told.filter(({ isEnd }) => isEnd).map(({ turnId }) => turnId);
      await transaction(async (inside) => {
        await inside(
          `INSERT INTO lainclaw.turn_lines (gateway, number, turn, lines)
           SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bytea[]) ON CONFLICT DO NOTHING`,
          [gateway, told.map(({ number }) => number), told.map(({ turnId }) => turnId), sealed],
        );
        if (ended.length > 0)
          await inside('UPDATE lainclaw.turn_lines SET ended_at = now() WHERE turn = ANY($1)', [ended]);
        await signal(inside, 'turns');
      });
    },

    async read(reader, after) {
      const rows = await query<{ number: number; gateway: string; lines: Buffer }>(
        `SELECT told.* FROM lainclaw.leases AS lease
         LEFT JOIN unnest($2::text[], $3::bigint[]) AS seen (gateway, number) ON seen.gateway = lease.name
         CROSS JOIN LATERAL (
           SELECT turn_lines.number, gateway, lines FROM lainclaw.turn_lines
           WHERE gateway = lease.name AND turn_lines.number > coalesce(seen.number, 0) ORDER BY turn_lines.number LIMIT ${ROWS_OF_GATEWAY}
         ) AS told
         WHERE lease.name LIKE 'turns:%' AND lease.name <> $1 AND (lease.expires_at > clock_timestamp() OR seen.gateway IS NOT NULL)
         ORDER BY told.number`,
        [reader, [...after.keys()], [...after.values()]],
      );
      const open = async ({ number, gateway, lines }: (typeof rows)[number]): Promise<ToldLines> => ({
        number,
        gateway,
        text: await sealing.open(LINES, lines),
      });
      return Promise.all(rows.map(open));
    },

    async post(gateway, text) {
      const sealed = await sealing.seal(MESSAGES, text);
      await transaction(async (inside) => {
        await inside('INSERT INTO lainclaw.gateway_messages (gateway, body) VALUES ($1, $2)', [gateway, sealed]);
        await signal(inside, 'commands');
      });
    },

    async messages(gateway) {
      const rows = await query<{ number: number; body: Buffer }>(
        'SELECT seq AS number, body FROM lainclaw.gateway_messages WHERE gateway = $1 ORDER BY seq LIMIT $2',
        [gateway, MESSAGES_AT_ONCE],
      );
      return Promise.all(rows.map(async ({ number, body }) => ({ number, text: await sealing.open(MESSAGES, body) })));
    },

    async remove(gateway, numbers) {
      await query('DELETE FROM lainclaw.gateway_messages WHERE gateway = $1 AND seq = ANY($2)', [gateway, numbers]);
    },

    async gone(locks) {
      const rows = await query<{ name: string }>(
        `SELECT name FROM unnest($1::text[]) AS named (name) WHERE NOT EXISTS (
           SELECT 1 FROM lainclaw.leases AS lease WHERE lease.name = named.name AND lease.expires_at > clock_timestamp()
         )`,
        [locks],
      );
      return rows.map(({ name }) => name);
    },

    async isWatched(except) {
      const rows = await query(
        `SELECT 1 FROM lainclaw.leases
         WHERE name LIKE 'watches:%' AND name <> $1 AND expires_at > clock_timestamp() LIMIT 1`,
        [except],
      );
      return rows.length > 0;
    },

    signal: () => signal(query, 'watchers'),

    async prune() {
      await query(
        `DELETE FROM lainclaw.turn_lines WHERE ended_at < now() - ${KEPT} OR written_at < now() - ${KEPT_AT_MOST}
         OR (written_at < now() - ${KEPT} AND NOT EXISTS (
           SELECT 1 FROM lainclaw.leases AS lease WHERE lease.name = gateway AND lease.expires_at > clock_timestamp()
         ))`,
      );
      await query(`DELETE FROM lainclaw.gateway_messages WHERE written_at < now() - interval '1 minute'`);
      // Their names are of one process each, and never used again.
      await query(
        `DELETE FROM lainclaw.leases WHERE expires_at < now() - interval '1 hour'
         AND (name LIKE 'turns:%' OR name LIKE 'watches:%' OR name LIKE 'gateway:%')`,
      );
      await pruneLimits(query);
    },
  };
}
