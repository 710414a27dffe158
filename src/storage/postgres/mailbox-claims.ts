// Who handles which messages of the inbox. A claim is valid while the lease that it names is held with the same token.
import type { BotKey, ChatKey } from '../../vocabulary/chat-name.ts';
import type { Fence } from '../locks.ts';
import type { InboxMessage, MessageKey, OutboxDraft, Received, UnfinishedMessage } from '../mailbox.ts';
import { chatOf, partsOf, unfinishedOf } from '../mailbox-rows.ts';
import { type PostgresDatabase, type Query, withoutAwaiting } from './database.ts';
import { draftColumns, insertDrafts } from './outbox-drafts.ts';
import { CHANNEL, type Topic } from './signals.ts';
import type { UnansweredClaims } from './unanswered-claims.ts';

/** Chats that are claimed in one transaction. */
const CHATS_AT_ONCE = 100;

/** Until the transaction ends nobody else decides about these chats. In one order, so that two callers never wait for each other. */
export async function lockChats(query: Query, chats: readonly ChatKey[]): Promise<void> {
  const names = [...new Set(chats.map((chat) => JSON.stringify(['chat', ...partsOf(chat)])))];
  await query(
    `SELECT pg_advisory_xact_lock(key) FROM (
       SELECT DISTINCT hashtextextended(name, 0) AS key FROM unnest($1::text[]) AS name ORDER BY key
     ) AS keys`,
    [names],
  );
}

/** Claims the message when every other unfinished one of its chat is the claimant's; without a claimant, signals it. The caller has locked the chat. */
export async function insertMessage(
  query: Query,
  claimant: Fence | undefined,
  { chat, id, order, receivedAt, body, from, isApart = false }: InboxMessage,
): Promise<Received> {
  const [row] = await query<{ owner: string | null }>(
    `WITH added AS (
       INSERT INTO lainclaw.inbox (channel, account, chat, id, position, received_at, body, owner, owner_token, person, is_owner)
       SELECT $1, $2, $3, $4, $5, $6, $7, CASE WHEN is_free THEN $8 END, CASE WHEN is_free THEN $9::bigint END, $10, $11
       FROM (
         SELECT $12 OR NOT EXISTS (
           SELECT 1 FROM lainclaw.inbox WHERE finished_at IS NULL AND channel = $1 AND account = $2 AND chat = $3
           AND (owner IS DISTINCT FROM $8 OR owner_token IS DISTINCT FROM $9)
         ) AS is_free
       ) AS chat_now
       ON CONFLICT (channel, account, id) DO NOTHING RETURNING owner
     )
     SELECT owner, CASE WHEN $8 IS NULL THEN pg_notify($13, $14) END FROM added`,
    [
      ...[...partsOf(chat), id, order, receivedAt, body],
      ...[claimant?.name ?? null, claimant?.token ?? null, from?.id ?? null, from?.isOwner ?? false, isApart],
      ...[CHANNEL, 'inbox' satisfies Topic],
    ],
  );
  if (row === undefined) return 'known';
  return row.owner === null ? 'queued' : 'claimed';
}

/**
 * What the sender of a message learns that sends it again after an error: the message is stored, perhaps, and nobody here has it. One that was stored by
 * neither of these attempts had been answered. The caller has locked the chat.
 */
export async function receivedBefore(
  query: Query,
  claimant: Fence,
  { chat, id }: MessageKey,
  attempts: readonly Pick<InboxMessage, 'receivedAt'>[],
): Promise<Received> {
  const [row] = await query<{ owner: string | null; token: number | null }>(
    `SELECT owner, owner_token AS token FROM lainclaw.inbox
     WHERE channel = $1 AND account = $2 AND id = $3 AND received_at = ANY ($4) AND finished_at IS NULL AND turn IS NULL`,
    [chat.channel, chat.account, id, attempts.map(({ receivedAt }) => receivedAt)],
  );
  if (row === undefined) return 'known';
  if (row.owner === null) return 'queued';
  return row.owner === claimant.name && row.token === claimant.token ? 'claimed' : 'known';
}

/** Messages that a rejected claim got are in `unanswered`: the next claim of that claimant returns them. */
export async function claimMessages(
  { query, transaction }: Pick<PostgresDatabase, 'query' | 'transaction'>,
  claimant: Fence,
  where: { chat: ChatKey } | { bots: readonly BotKey[] },
  unanswered: UnansweredClaims,
): Promise<UnfinishedMessage[]> {
  const before = unanswered.take(claimant, ({ chat }) => isIn(where, chat));
  const claimed: UnfinishedMessage[] = [];
  let claiming: UnfinishedMessage[] = [];
  try {
    const chats = 'chat' in where ? [where.chat] : await waitingChats(query, claimant, where.bots);
    const all = distinct([...chats, ...before.map(({ chat }) => chat)]);
    for (let from = 0; from < all.length; from += CHATS_AT_ONCE) {
      const some = all.slice(from, from + CHATS_AT_ONCE);
      claiming = [];
      await transaction(async (inside) => {
        withoutAwaiting(lockChats(inside, some));
        claiming = await claimChats(inside, claimant, some, before);
      });
      claimed.push(...claiming);
    }
    return claimed;
  } catch (error) {
    unanswered.add(claimant, distinctMessages([...before, ...claimed, ...claiming]));
    throw error;
  }
}

/** Of these bots, with an unfinished message that is not the claimant's. */
async function waitingChats(query: Query, { name, token }: Fence, bots: readonly BotKey[]): Promise<ChatKey[]> {
  const rows = await query(
    `SELECT DISTINCT channel, account, chat FROM lainclaw.inbox
     JOIN unnest($1::text[], $2::text[]) AS bot (channel, account) USING (channel, account)
     WHERE finished_at IS NULL AND (owner IS DISTINCT FROM $3 OR owner_token IS DISTINCT FROM $4)
     ORDER BY channel, account, chat`,
    [bots.map(({ channel }) => channel), bots.map(({ account }) => account), name, token],
  );
  return rows.map(chatOf);
}

/** Returns the messages that were not the claimant's before, and those of `unanswered` that are. A chat with a message under another valid claim is skipped as a whole. */
async function claimChats(
  query: Query,
  { name, token }: Fence,
  chats: readonly ChatKey[],
  unanswered: readonly MessageKey[],
): Promise<UnfinishedMessage[]> {
  const parts = chats.map(partsOf);
  const rows = await query(
    `WITH named AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS chat (channel, account, chat)
     ), free AS (
       SELECT * FROM named WHERE NOT EXISTS (
         SELECT 1 FROM lainclaw.inbox AS message
         JOIN lainclaw.leases AS lease
           ON lease.name = message.owner AND lease.token = message.owner_token AND lease.expires_at > clock_timestamp()
         WHERE message.finished_at IS NULL AND message.channel = named.channel AND message.account = named.account
           AND message.chat = named.chat AND (message.owner <> $4 OR message.owner_token <> $5)
       )
     ), taken AS (
       UPDATE lainclaw.inbox AS message SET owner = $4, owner_token = $5 FROM free
       WHERE message.finished_at IS NULL AND message.channel = free.channel AND message.account = free.account
         AND message.chat = free.chat AND (
           message.owner IS DISTINCT FROM $4 OR message.owner_token IS DISTINCT FROM $5
           OR (message.channel, message.account, message.id) IN (SELECT * FROM unnest($6::text[], $7::text[], $8::text[]))
         )
       RETURNING message.*
     )
     SELECT * FROM taken ORDER BY channel, account, chat, position, seq`,
    [
      parts.map(([channel]) => channel),
      parts.map(([, account]) => account),
      parts.map(([, , chat]) => chat),
      name,
      token,
      ...columnsOf(unanswered),
    ],
  );
  return rows.map(unfinishedOf);
}

export async function releaseMessages(query: Query, { name, token }: Fence, messages: readonly MessageKey[]) {
  await query(
    `UPDATE lainclaw.inbox AS message SET owner = NULL, owner_token = NULL
     FROM unnest($1::text[], $2::text[], $3::text[]) AS named (channel, account, id)
     WHERE message.channel = named.channel AND message.account = named.account AND message.id = named.id
       AND message.owner = $4 AND message.owner_token = $5 AND message.turn IS NULL AND message.finished_at IS NULL`,
    [...columnsOf(messages), name, token],
  );
}

/** Marks the messages with their turn when all of them are the claimant's and unfinished, and returns a row then. What is marked already is not written again. */
export function beginMessages(
  query: Query,
  { name, token }: Fence,
  messages: readonly MessageKey[],
  turnId: string,
): Promise<unknown[]> {
  return query(
    `WITH named AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS message (channel, account, id)
     ), allowed AS (
       SELECT 1 WHERE NOT EXISTS (
         SELECT 1 FROM named LEFT JOIN lainclaw.inbox AS message USING (channel, account, id)
         WHERE message.owner IS DISTINCT FROM $4 OR message.owner_token IS DISTINCT FROM $5
           OR message.finished_at IS NOT NULL
       )
     ), marked AS (
       UPDATE lainclaw.inbox AS message SET turn = $6 FROM named, allowed
       WHERE message.channel = named.channel AND message.account = named.account AND message.id = named.id
         AND message.turn IS DISTINCT FROM $6
     )
     SELECT 1 FROM allowed`,
    [...columnsOf(messages), name, token, turnId],
  );
}

/**
 * Ends the messages and adds the replies unless another claimant has one of them, and returns a row then. Replies are numbered in their order and signalled when
 * they are committed. The caller has locked the chats.
 */
export function finishMessages(
  query: Query,
  { name, token }: Fence,
  messages: readonly MessageKey[],
  replies: readonly OutboxDraft[],
  now: number,
): Promise<unknown[]> {
  return query(
    `WITH named AS (
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS message (channel, account, id)
     ), allowed AS (
       SELECT 1 WHERE NOT EXISTS (
         SELECT 1 FROM named JOIN lainclaw.inbox AS message USING (channel, account, id)
         WHERE message.owner <> $4 OR message.owner_token <> $5
       )
     ), ended AS (
       UPDATE lainclaw.inbox AS message SET finished_at = coalesce(finished_at, $6::bigint), body = '' FROM named, allowed
       WHERE message.channel = named.channel AND message.account = named.account AND message.id = named.id
     ), added AS (
       ${insertDrafts('allowed, ', 6)}
     )
     SELECT CASE WHEN cardinality($7::text[]) > 0 THEN pg_notify($12, $13) END FROM allowed`,
    [...columnsOf(messages), name, token, now, ...draftColumns(replies), CHANNEL, 'outbox' satisfies Topic],
  );
}

export function isSameMessage(one: MessageKey, other: MessageKey): boolean {
  return nameOf(one) === nameOf(other);
}

function nameOf({ chat, id }: MessageKey): string {
  return JSON.stringify([chat.channel, chat.account, id]);
}

function isIn(where: { chat: ChatKey } | { bots: readonly BotKey[] }, chat: ChatKey): boolean {
  if ('chat' in where) return JSON.stringify(partsOf(where.chat)) === JSON.stringify(partsOf(chat));
  return where.bots.some(({ channel, account }) => channel === chat.channel && account === chat.account);
}

function distinct(chats: readonly ChatKey[]): ChatKey[] {
  return [...new Map(chats.map((chat) => [JSON.stringify(partsOf(chat)), chat])).values()];
}

function distinctMessages(messages: readonly MessageKey[]): MessageKey[] {
  return [...new Map(messages.map((message) => [nameOf(message), message])).values()];
}

function columnsOf(messages: readonly MessageKey[]): [string[], string[], string[]] {
  return [
    messages.map(({ chat }) => chat.channel),
    messages.map(({ chat }) => chat.account),
    messages.map(({ id }) => id),
  ];
}
