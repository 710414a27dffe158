// The mailbox in PostgreSQL. What concerns one chat is decided under a lock of that chat, which lasts as long as the transaction: two gateways never claim
// messages of one chat at the same moment. Each transaction takes that lock first and reads in a later statement, which then sees what the one before it wrote.
import type { BotKey, ChatKey } from '../../vocabulary/chat-name.ts';
import type { ChatPerson, InboxMessage, Mailbox, MessageKey, Received } from '../mailbox.ts';
import { chatOf, outboxOf, partsOf, unfinishedOf } from '../mailbox-rows.ts';
import { type PostgresDatabase, type Query, withoutAwaiting } from './database.ts';
import {
  beginMessages,
  claimMessages,
  finishMessages,
  insertMessage,
  isSameMessage,
  lockChats,
  receivedBefore,
  releaseMessages,
} from './mailbox-claims.ts';
import { addDrafts } from './outbox-drafts.ts';
import { createUnansweredClaims } from './unanswered-claims.ts';
import { withoutZeros } from './zero-bytes.ts';

const HEADS = `
  SELECT DISTINCT ON (channel, account, chat) * FROM lainclaw.outbox
  WHERE state = 'waiting' AND ($1::text IS NULL OR (channel = $1 AND account = $2))
  ORDER BY channel, account, chat, seq`;

export function createPostgresMailbox({ query, transaction }: PostgresDatabase): Mailbox {
  // Their sender got an error and sends them again.
  const unansweredReceived = createUnansweredClaims<MessageKey & Pick<InboxMessage, 'receivedAt'>>();
  const unansweredClaimed = createUnansweredClaims();
  const botOf = (bot: BotKey | undefined): (string | null)[] => [bot?.channel ?? null, bot?.account ?? null];

  return {
    async receive(claimant, message) {
      const { chat, id, receivedAt, from } = message;
      const before = claimant ? unansweredReceived.take(claimant, (other) => isSameMessage(other, message)) : [];
      try {
        let received = Promise.resolve<Received>('known');
        await transaction(async (inside) => {
          withoutAwaiting(lockChats(inside, [chat]));
          received = insertMessage(inside, claimant, message);
          withoutAwaiting(received);
          if (from) withoutAwaiting(keepPerson(inside, chat, from));
          if (!claimant || before.length === 0) return;
          if ((await received) === 'known') received = receivedBefore(inside, claimant, message, before);
        });
        return await received;
      } catch (error) {
        if (claimant) unansweredReceived.add(claimant, [...before, { chat, id, receivedAt }]);
        throw error;
      }
    },

    claim: (claimant, where) => claimMessages({ query, transaction }, claimant, where, unansweredClaimed),

    release: (claimant, messages) => releaseMessages(query, claimant, messages),

    async unfinished(chat) {
      const rows = await query(
        `SELECT * FROM lainclaw.inbox
         WHERE finished_at IS NULL AND ($1::text IS NULL OR (channel = $1 AND account = $2 AND chat = $3))
         ORDER BY channel, account, chat, position, seq`,
        chat ? partsOf(chat) : [null, null, null],
      );
      return rows.map(unfinishedOf);
    },

    async unclaimed(chat) {
      const rows = await query(
        `SELECT * FROM lainclaw.inbox
         WHERE finished_at IS NULL AND channel = $1 AND account = $2 AND chat = $3 AND owner IS NULL ORDER BY position, seq`,
        partsOf(chat),
      );
      return rows.map(unfinishedOf);
    },

    async begin(claimant, messages, turnId) {
      let begun: Promise<unknown[]> = Promise.resolve([]);
      await transaction(async (inside) => {
        withoutAwaiting(
          lockChats(
            inside,
            messages.map(({ chat }) => chat),
          ),
        );
        begun = beginMessages(inside, claimant, messages, turnId);
        withoutAwaiting(begun);
      });
      return (await begun).length > 0;
    },

    async finish(claimant, messages, replies, now) {
      let finished: Promise<unknown[]> = Promise.resolve([]);
      await transaction(async (inside) => {
        withoutAwaiting(
          lockChats(
            inside,
            messages.map(({ chat }) => chat),
          ),
        );
        finished = finishMessages(inside, claimant, messages, replies, now);
        withoutAwaiting(finished);
      });
      return (await finished).length > 0;
    },

    enqueue: (drafts, now) => addDrafts(query, drafts, now),

    async sentMessage(key) {
      const [row] = await query<{ id: string | null }>(
        `SELECT message_id AS id FROM lainclaw.outbox WHERE key = $1 AND state = 'sent'`,
        [key],
      );
      return row?.id ?? undefined;
    },

    async due(now, limit, bot) {
      const rows = await query(
        `SELECT * FROM (${HEADS}) AS head WHERE due_at <= $3 OR waits_since > $3 ORDER BY seq LIMIT $4`,
        [...botOf(bot), now, limit],
      );
      return rows.map(outboxOf);
    },

    async nextDueAt(bot) {
      const [row] = await query<{ due: number | null }>(
        `SELECT min(due_at) AS due FROM (${HEADS}) AS head`,
        botOf(bot),
      );
      return row?.due ?? undefined;
    },

    async hasWaiting(chat) {
      const rows = await query(
        `SELECT 1 FROM lainclaw.outbox
         WHERE state = 'waiting' AND channel = $1 AND account = $2 AND chat = $3 LIMIT 1`,
        partsOf(chat),
      );
      return rows.length > 0;
    },

    async sent(key, messageId, now) {
      await query(
        `UPDATE lainclaw.outbox SET state = 'sent', message_id = $2, ended_at = $3, body = ''
         WHERE key = $1 AND state = 'waiting'`,
        [key, withoutZeros(messageId), now],
      );
    },

    retryAt: (key, dueAt, error, now) =>
      transaction(async (inside) => {
        await inside(
          `UPDATE lainclaw.outbox SET attempts = attempts + 1, due_at = $2, waits_since = $3, last_error = $4
           WHERE key = $1 AND state = 'waiting'`,
          [key, dueAt, now, withoutZeros(error)],
        );
      }),

    async holdBack({ channel, account }, until, now) {
      await query(
        `UPDATE lainclaw.outbox
         SET due_at = CASE WHEN waits_since > $4 THEN $3 ELSE greatest(due_at, $3) END, waits_since = $4
         WHERE state = 'waiting' AND channel = $1 AND account = $2`,
        [channel, account, until, now],
      );
    },

    async die(key, error, now) {
      await query(
        `UPDATE lainclaw.outbox SET state = 'dead', attempts = attempts + 1, last_error = $2, ended_at = $3
         WHERE key = $1 AND state = 'waiting'`,
        [key, withoutZeros(error), now],
      );
    },

    async deadLetters(limit) {
      const rows = await query(
        `SELECT * FROM lainclaw.outbox WHERE state = 'dead' ORDER BY ended_at DESC, seq DESC LIMIT $1`,
        [limit],
      );
      return rows.map((row) => ({ ...outboxOf(row), diedAt: Number(row.ended_at) }));
    },

    revive: (key, now) =>
      transaction(async (inside) => {
        // A new place in the order: behind what waits.
        const rows = await inside(
          `UPDATE lainclaw.outbox AS letter
           SET seq = placed.seq, state = 'waiting', attempts = 0, due_at = $2, waits_since = $2, ended_at = NULL
           FROM (
             SELECT key, nextval('lainclaw.outbox_order') AS seq FROM (
               SELECT key FROM lainclaw.outbox WHERE state = 'dead' AND ($1::text IS NULL OR key = $1)
               ORDER BY seq FOR UPDATE
             ) AS dead
           ) AS placed WHERE letter.key = placed.key RETURNING 1`,
          [key ?? null, now],
        );
        return rows.length;
      }),

    async counts() {
      const [row] = await query<{ inbox: number; outbox: number; dead: number }>(`
        SELECT (SELECT count(*) FROM lainclaw.inbox WHERE finished_at IS NULL) AS inbox,
          (SELECT count(*) FROM lainclaw.outbox WHERE state = 'waiting') AS outbox,
          (SELECT count(*) FROM lainclaw.outbox WHERE state = 'dead') AS dead`);
      return row ?? { inbox: 0, outbox: 0, dead: 0 };
    },

    people: (chat) =>
      query<ChatPerson>(
        `SELECT person AS id, chat_kind AS "chatKind" FROM lainclaw.chat_people
         WHERE channel = $1 AND account = $2 AND chat = $3 ORDER BY person`,
        partsOf(chat),
      ),

    async chats() {
      const rows = await query(`
        SELECT channel, account, chat FROM lainclaw.inbox WHERE body <> ''
        UNION SELECT channel, account, chat FROM lainclaw.outbox WHERE body <> ''
        ORDER BY channel, account, chat`);
      return rows.map(chatOf);
    },

    forgetChat: (chat, now) =>
      transaction(async (inside) => {
        withoutAwaiting(lockChats(inside, [chat]));
        const where = `channel = $1 AND account = $2 AND chat = $3 AND body <> ''`;
        const values = [...partsOf(chat), now];
        await inside(
          `UPDATE lainclaw.inbox SET body = '', finished_at = coalesce(finished_at, $4::bigint) WHERE ${where}`,
          values,
        );
        await inside(
          `UPDATE lainclaw.outbox
           SET body = '', last_error = NULL, state = 'sent', ended_at = coalesce(ended_at, $4::bigint) WHERE ${where}`,
          values,
        );
      }),

    choices: (chat) => choicesOf(query, chat),

    async allChoices() {
      const rows = await query('SELECT * FROM lainclaw.chat_choices');
      return rows.map((row) => ({ chat: chatOf(row), choices: String(row.choices) }));
    },

    changeChoices: (chat, change) =>
      transaction(async (inside) => {
        withoutAwaiting(lockChats(inside, [chat]));
        await inside(
          `INSERT INTO lainclaw.chat_choices (channel, account, chat, choices) VALUES ($1, $2, $3, $4)
           ON CONFLICT (channel, account, chat) DO UPDATE SET choices = excluded.choices`,
          [...partsOf(chat), change(await choicesOf(inside, chat))],
        );
      }),

    prune: ({ handledMs, deadMs }, limit, now) =>
      transaction(async (inside) => {
        await inside('UPDATE lainclaw.inbox SET finished_at = $1 WHERE finished_at > $1', [now]);
        await inside(`UPDATE lainclaw.outbox SET ended_at = $1 WHERE state <> 'waiting' AND ended_at > $1`, [now]);
        const forget = async (table: string, where: string, before: number): Promise<number> => {
          const oldest = `SELECT seq FROM lainclaw.${table} WHERE ${where} < $1 LIMIT $2 FOR UPDATE SKIP LOCKED`;
          return (await inside(`DELETE FROM lainclaw.${table} WHERE seq IN (${oldest}) RETURNING 1`, [before, limit]))
            .length;
        };
        return Math.max(
          await forget('inbox', 'finished_at', now - handledMs),
          await forget('outbox', `state = 'sent' AND ended_at`, now - handledMs),
          await forget('outbox', `state = 'dead' AND ended_at`, now - deadMs),
        );
      }),
  };
}

async function keepPerson(query: Query, chat: ChatKey, { id, chatKind }: ChatPerson): Promise<void> {
  await query(
    `INSERT INTO lainclaw.chat_people AS kept (channel, account, chat, person, chat_kind) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (channel, account, chat, person) DO UPDATE SET chat_kind = excluded.chat_kind
     WHERE kept.chat_kind <> excluded.chat_kind`,
    [...partsOf(chat), id, chatKind],
  );
}

async function choicesOf(query: Query, chat: ChatKey): Promise<string | undefined> {
  const [row] = await query<{ choices: string }>(
    'SELECT choices FROM lainclaw.chat_choices WHERE channel = $1 AND account = $2 AND chat = $3',
    partsOf(chat),
  );
  return row?.choices;
}
