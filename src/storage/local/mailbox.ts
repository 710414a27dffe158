// The mailbox in the one SQLite file. A handled message keeps its id and loses its body; what is waiting is found through
// indexes that hold nothing else, so the cost does not grow with what was.
import type { BotKey, ChatKey } from '../../vocabulary/chat-name.ts';
import type { Fence, Lock } from '../locks.ts';
import type { ChatPerson, Mailbox, MessageKey, OutboxDraft, Received } from '../mailbox.ts';
import { chatOf, outboxOf, partsOf, unfinishedOf } from '../mailbox-rows.ts';
import type { Database } from './database.ts';
import type { LocalLocks } from './locks.ts';
import { claimMessages, insertMessage, isUnfinished, otherOwners, ownerName, ownerOf } from './mailbox-claims.ts';
import { createStatements, type Prepare } from './statements.ts';
import { createSyncedDatabase, type UseDatabase } from './synced-database.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';
import { createWriteTogether } from './write-together.ts';

const headsOf = (bot: BotKey | undefined): string =>
  `SELECT min(seq) FROM outbox WHERE state = 'waiting' ${bot ? 'AND channel = ? AND account = ?' : ''} GROUP BY channel, account, chat`;

export interface LocalMailboxOptions {
  database: Database;
  log: WriteAheadLog;
  locks: LocalLocks;
}

export function createLocalMailbox({ database, log, locks }: LocalMailboxOptions): Mailbox {
  const statementsOf = createStatements();
  const withStatements =
    (use: UseDatabase) =>
    <T>(statements: (prepare: Prepare) => T): Promise<T> =>
      use((db) => statements(statementsOf(db)));
  const use = createSyncedDatabase(database, log.prepare);
  const together = createWriteTogether({ use, sync: log.sync });
  const read = withStatements(use);
  const write = withStatements(together.durably);
  // After a power cut the record that a message was sent may be missing: it is then sent again.
  const soon = withStatements(together.soon);
  // They are written, but their sender got an error and sends them again: nobody has them yet.
  const unsynced = new Map<string, Received>();

  return {
    async receive(claimant, { from, ...message }) {
      const { chat, id } = message;
      const name = JSON.stringify([chat.channel, chat.account, id]);
      let received: Received = 'known';
      try {
        await write((prepare) => {
          received = insertMessage(prepare, claimant, message);
          if (from) keepPerson(prepare, chat, from);
        });
        const before = unsynced.get(name);
        unsynced.delete(name);
        return before ?? received;
      } catch (error) {
        if (received !== 'known') unsynced.set(name, received);
        throw error;
      }
    },

    async claim(claimant, where) {
      const found = await read((prepare) => otherOwners(prepare, claimant));
      // Held until the claim is made: nobody comes back under such a name meanwhile.
      const dead: Lock[] = [];
      const gone: Fence[] = [];
      try {
        for (const owner of found) {
          const lock = locks.isCurrent(owner) && owner.name !== claimant.name && (await locks.tryAcquire(owner.name));
          if (lock === undefined) continue;
          if (lock) dead.push(lock);
          gone.push(owner);
        }
        return await write((prepare) => claimMessages(prepare, claimant, where, gone).map(unfinishedOf));
      } finally {
        for (const lock of dead) await lock.release();
      }
    },

    release: (claimant, messages) =>
      write((prepare) => {
        const release = prepare(
          `UPDATE inbox SET owner = NULL, owner_token = NULL WHERE channel = ? AND account = ? AND id = ?
           AND owner = ? AND owner_token = ? AND turn IS NULL AND finished_at IS NULL`,
        );
        for (const { chat, id } of messages) release.run(chat.channel, chat.account, id, claimant.name, claimant.token);
      }),

    unfinished: (chat) =>
      read((prepare) => {
        const where = chat ? 'AND channel = ? AND account = ? AND chat = ?' : '';
        return prepare(
          `SELECT * FROM inbox WHERE finished_at IS NULL ${where} ORDER BY channel, account, chat, position, seq`,
        )
          .all(...(chat ? partsOf(chat) : []))
          .map(unfinishedOf);
      }),

    unclaimed: (chat) =>
      read((prepare) =>
        prepare(
          `SELECT * FROM inbox WHERE finished_at IS NULL AND channel = ? AND account = ? AND chat = ? AND owner IS NULL
           ORDER BY position, seq`,
        )
          .all(...partsOf(chat))
          .map(unfinishedOf),
      ),

    begin: (claimant, messages, turnId) =>
      write((prepare) => {
        const owner = ownerName(claimant);
        if (!messages.every((message) => ownerOf(prepare, message) === owner && isUnfinished(prepare, message)))
          return false;
        const update = prepare('UPDATE inbox SET turn = ? WHERE channel = ? AND account = ? AND id = ?');
        for (const { chat, id } of messages) update.run(turnId, chat.channel, chat.account, id);
        return true;
      }),

    finish: (claimant, messages, replies, now) =>
      write((prepare) => {
        const isOthers = (owner: string | undefined): boolean => owner !== undefined && owner !== ownerName(claimant);
        if (messages.some((message) => isOthers(ownerOf(prepare, message)))) return false;
        finishMessages(prepare, messages, now);
        addDrafts(prepare, replies, now);
        return true;
      }),

    enqueue: (drafts, now) => write((prepare) => addDrafts(prepare, drafts, now)),

    sentMessage: (key) =>
      read((prepare) => {
        const row = prepare(`SELECT message_id AS id FROM outbox WHERE key = ? AND state = 'sent'`).get(key);
        return row?.id === undefined || row.id === null ? undefined : String(row.id);
      }),

    due: (now, limit, bot) =>
      read((prepare) =>
        prepare(
          `SELECT * FROM outbox WHERE seq IN (${headsOf(bot)}) AND (due_at <= ? OR waits_since > ?) ORDER BY seq LIMIT ?`,
        )
          .all(...(bot ? [bot.channel, bot.account] : []), now, now, limit)
          .map(outboxOf),
      ),

    nextDueAt: (bot) =>
      read((prepare) => {
        const row = prepare(`SELECT min(due_at) AS due FROM outbox WHERE seq IN (${headsOf(bot)})`).get(
          ...(bot ? [bot.channel, bot.account] : []),
        );
        return row?.due == null ? undefined : Number(row.due);
      }),

    hasWaiting: (chat) =>
      read((prepare) => {
        const waiting = prepare(
          "SELECT 1 FROM outbox WHERE state = 'waiting' AND channel = ? AND account = ? AND chat = ? LIMIT 1",
        );
        return waiting.get(...partsOf(chat)) !== undefined;
      }),

    sent: (key, messageId, now) =>
      soon((prepare) => {
        prepare(
          "UPDATE outbox SET state = 'sent', message_id = ?, ended_at = ?, body = '' WHERE key = ? AND state = 'waiting'",
        ).run(messageId, now, key);
      }),

    retryAt: (key, dueAt, error, now) =>
      soon((prepare) => {
        prepare(
          "UPDATE outbox SET attempts = attempts + 1, due_at = ?, waits_since = ?, last_error = ? WHERE key = ? AND state = 'waiting'",
        ).run(dueAt, now, error, key);
      }),

    holdBack: ({ channel, account }, until, now) =>
      soon((prepare) => {
        prepare(
          "UPDATE outbox SET due_at = iif(waits_since > ?, ?, max(due_at, ?)), waits_since = ? WHERE state = 'waiting' AND channel = ? AND account = ?",
        ).run(now, until, until, now, channel, account);
      }),

    die: (key, error, now) =>
      write((prepare) => {
        prepare(
          "UPDATE outbox SET state = 'dead', attempts = attempts + 1, last_error = ?, ended_at = ? WHERE key = ? AND state = 'waiting'",
        ).run(error, now, key);
      }),

    deadLetters: (limit) =>
      read((prepare) =>
        prepare("SELECT * FROM outbox WHERE state = 'dead' ORDER BY ended_at DESC, seq DESC LIMIT ?")
          .all(limit)
          .map((row) => ({ ...outboxOf(row), diedAt: Number(row.ended_at) })),
      ),

    revive: (key, now) =>
      write((prepare) => {
        const rows = prepare("SELECT seq FROM outbox WHERE state = 'dead' AND (? IS NULL OR key = ?) ORDER BY seq").all(
          key ?? null,
          key ?? null,
        );
        // A new place in the order: behind what waits.
        const update = prepare(
          "UPDATE outbox SET seq = (SELECT max(seq) + 1 FROM outbox), state = 'waiting', attempts = 0, due_at = ?, waits_since = ?, ended_at = NULL WHERE seq = ?",
        );
        for (const { seq } of rows) update.run(now, now, seq ?? null);
        return rows.length;
      }),

    counts: () =>
      read((prepare) => {
        const count = (query: string): number => Number(prepare(`SELECT count(*) AS n FROM ${query}`).get()?.n ?? 0);
        return {
          inbox: count('inbox WHERE finished_at IS NULL'),
          outbox: count("outbox WHERE state = 'waiting'"),
          dead: count("outbox WHERE state = 'dead'"),
        };
      }),

    people: (chat) =>
      read((prepare) =>
        prepare('SELECT person, chat_kind FROM chat_people WHERE channel = ? AND account = ? AND chat = ?')
          .all(...partsOf(chat))
          .map((row) => ({ id: String(row.person), chatKind: row.chat_kind as ChatPerson['chatKind'] })),
      ),

    chats: () =>
      read((prepare) =>
        prepare(
          "SELECT channel, account, chat FROM inbox WHERE body <> '' UNION SELECT channel, account, chat FROM outbox WHERE body <> ''",
        )
          .all()
          .map(chatOf),
      ),

    forgetChat: (chat, now) =>
      write((prepare) => {
        const where = "channel = ? AND account = ? AND chat = ? AND body <> ''";
        prepare(`UPDATE inbox SET body = '', finished_at = coalesce(finished_at, ?) WHERE ${where}`).run(
          now,
          ...partsOf(chat),
        );
        prepare(
          `UPDATE outbox SET body = '', last_error = NULL, state = 'sent', ended_at = coalesce(ended_at, ?) WHERE ${where}`,
        ).run(now, ...partsOf(chat));
      }),

    choices: (chat) => read((prepare) => choicesOf(prepare, chat)),
    allChoices: () =>
      read((prepare) =>
        prepare('SELECT * FROM chat_choices')
          .all()
          .map((row) => ({ chat: chatOf(row), choices: String(row.choices) })),
      ),

    changeChoices: (chat, change) =>
      write((prepare) => {
        prepare('INSERT OR REPLACE INTO chat_choices (channel, account, chat, choices) VALUES (?, ?, ?, ?)').run(
          ...partsOf(chat),
          change(choicesOf(prepare, chat)),
        );
      }),

    prune: ({ handledMs, deadMs }, limit, now) =>
      soon((prepare) => {
        prepare('UPDATE inbox SET finished_at = ? WHERE finished_at > ?').run(now, now);
        for (const state of ['sent', 'dead'])
          prepare('UPDATE outbox SET ended_at = ? WHERE state = ? AND ended_at > ?').run(now, state, now);
        const forget = (table: string, where: string, before: number): number => {
          const oldest = `SELECT seq FROM ${table} WHERE ${where} < ? LIMIT ?`;
          return Number(prepare(`DELETE FROM ${table} WHERE seq IN (${oldest})`).run(before, limit).changes);
        };
        return Math.max(
          forget('inbox', 'finished_at', now - handledMs),
          forget('outbox', "state = 'sent' AND ended_at", now - handledMs),
          forget('outbox', "state = 'dead' AND ended_at", now - deadMs),
        );
      }),
  };
}

function keepPerson(prepare: Prepare, chat: ChatKey, { id, chatKind }: ChatPerson): void {
  prepare(
    `INSERT INTO chat_people (channel, account, chat, person, chat_kind) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET chat_kind = excluded.chat_kind WHERE chat_kind <> excluded.chat_kind`,
  ).run(...partsOf(chat), id, chatKind);
}

function finishMessages(prepare: Prepare, messages: readonly MessageKey[], now: number): void {
  const update = prepare(
    "UPDATE inbox SET finished_at = ?, body = '' WHERE channel = ? AND account = ? AND id = ? AND finished_at IS NULL",
  );
  for (const { chat, id } of messages) update.run(now, chat.channel, chat.account, id);
}

function addDrafts(prepare: Prepare, drafts: readonly OutboxDraft[], now: number): void {
  const insert = prepare(
    "INSERT INTO outbox (key, channel, account, chat, body, state, attempts, due_at, waits_since) VALUES (?, ?, ?, ?, ?, 'waiting', 0, ?, ?) ON CONFLICT DO NOTHING",
  );
  for (const { key, chat, body } of drafts) insert.run(key, ...partsOf(chat), body, now, now);
}

function choicesOf(prepare: Prepare, chat: ChatKey): string | undefined {
  const row = prepare('SELECT choices FROM chat_choices WHERE channel = ? AND account = ? AND chat = ?').get(
    ...partsOf(chat),
  );
  return row && String(row.choices);
}
