// The chats that wait for a gateway. One statement reads the oldest messages that nobody has claimed and those whose claim is void, so it costs the
// same however much waits. Claiming one of the chats is a step of its own (mailbox-claims.ts): another gateway may be faster.
import type { BotKey } from '../../vocabulary/chat-name.ts';
import type { Cluster, UnclaimedChat } from '../cluster.ts';
import { chatOf } from '../mailbox-rows.ts';
import type { PostgresDatabase } from './database.ts';
import { readOnly } from './errors.ts';
import type { Sealing } from './sealed-text.ts';
import type { Signals } from './signals.ts';
import { createTurnExchangeStore } from './turn-exchange.ts';

const READ_MESSAGES = 2_000;
const READ_OF_OWNER = 200;

const COLUMNS = 'channel, account, chat, person, is_owner, stored_at, turn, position, seq';

const oldest = (where: string, limit: number): string => `
  SELECT message.* FROM bot CROSS JOIN LATERAL (
    SELECT ${COLUMNS} FROM lainclaw.inbox
    WHERE channel = bot.channel AND account = bot.account AND finished_at IS NULL AND owner IS NULL ${where}
    ORDER BY seq LIMIT ${limit}
  ) AS message`;

const UNCLAIMED = `
  WITH bot AS (
    SELECT * FROM unnest($1::text[], $2::text[]) AS bot (channel, account)
  ), owned AS (
    SELECT ${COLUMNS}, EXISTS (
      SELECT 1 FROM lainclaw.leases AS lease
      WHERE lease.name = inbox.owner AND lease.token = inbox.owner_token AND lease.expires_at > clock_timestamp()
    ) AS is_valid
    FROM lainclaw.inbox JOIN bot USING (channel, account) WHERE finished_at IS NULL AND owner IS NOT NULL
  ), handled AS (
    SELECT DISTINCT channel, account, chat, coalesce(person, '') AS person FROM owned WHERE is_valid
  ), waiting AS (
    ${oldest('', READ_MESSAGES)} UNION ${oldest('AND is_owner', READ_OF_OWNER)}
    UNION SELECT ${COLUMNS} FROM owned WHERE NOT is_valid
  ), unclaimed AS (
    SELECT channel, account, chat, coalesce((array_agg(person ORDER BY position, seq))[1], '') AS person,
      (array_agg(is_owner ORDER BY position, seq))[1] AS is_owner, bool_or(turn IS NOT NULL) AS is_begun,
      min(stored_at) AS first_at, max(stored_at) AS last_at
    FROM waiting
    WHERE NOT EXISTS (
      SELECT 1 FROM handled
      WHERE handled.channel = waiting.channel AND handled.account = waiting.account AND handled.chat = waiting.chat
    )
    GROUP BY channel, account, chat
  )
  SELECT unclaimed.channel, unclaimed.account, unclaimed.chat, unclaimed.person, is_owner AS "isOwner", is_begun AS "isBegun",
    extract(epoch FROM first_at)::float8 AS "waitsSince",
    1000 * extract(epoch FROM clock_timestamp() - first_at)::float8 AS "firstMs",
    1000 * extract(epoch FROM clock_timestamp() - last_at)::float8 AS "lastMs",
    coalesce(extract(epoch FROM started_at), 0)::float8 AS "lastStart",
    coalesce(of_person.chats, 0)::float8 AS "personPlaces", coalesce(of_bot.chats, 0)::float8 AS "botPlaces"
  FROM unclaimed
  LEFT JOIN lainclaw.person_starts USING (channel, account, person)
  LEFT JOIN (SELECT channel, account, person, count(*) AS chats FROM handled GROUP BY 1, 2, 3) AS of_person
    USING (channel, account, person)
  LEFT JOIN (SELECT channel, account, count(DISTINCT chat) AS chats FROM handled GROUP BY 1, 2) AS of_bot
    USING (channel, account)
  ORDER BY first_at`;

export function createPostgresCluster(database: PostgresDatabase, signals: Signals, sealing: Sealing): Cluster {
  const { query, address } = database;
  return {
    async problem() {
      const [row] = await query<{ isReadOnly: boolean }>(
        `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
      );
      if (row?.isReadOnly) return readOnly(address);
      return sealing.check().then(
        () => undefined,
        (error: Error) => error.message,
      );
    },

    exchange: createTurnExchangeStore(database, sealing),

    async unclaimedChats(bots: readonly BotKey[]) {
      const names = [bots.map(({ channel }) => channel), bots.map(({ account }) => account)];
      const rows = await query<Omit<UnclaimedChat, 'chat'> & { channel: string; account: string; chat: string }>(
        UNCLAIMED,
        names,
      );
      return rows.map(({ channel, account, chat, ...rest }) => ({ ...rest, chat: chatOf({ channel, account, chat }) }));
    },

    async countStart({ channel, account }, person) {
      await query(
        `INSERT INTO lainclaw.person_starts (channel, account, person, started_at) VALUES ($1, $2, $3, clock_timestamp())
         ON CONFLICT (channel, account, person) DO UPDATE SET started_at = excluded.started_at`,
        [channel, account, person],
      );
    },

    on: (topic, listener) => signals.on(topic, listener),
  };
}
