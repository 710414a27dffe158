// Who handles which messages of the inbox. Each function runs inside the caller's transaction.
import type { SQLOutputValue } from 'node:sqlite';
import type { BotKey, ChatKey } from '../../vocabulary/chat-name.ts';
import type { Fence } from '../locks.ts';
import type { InboxMessage, MessageKey, Received } from '../mailbox.ts';
import { partsOf } from '../mailbox-rows.ts';
import type { Prepare } from './statements.ts';

type Row = Record<string, SQLOutputValue>;

/** Claims the message when every other unfinished one of its chat is the claimant's. */
export function insertMessage(
  prepare: Prepare,
  claimant: Fence | undefined,
  { chat, id, order, receivedAt, body, isApart }: Omit<InboxMessage, 'from'>,
): Received {
  const { name, token } = claimant ?? { name: null, token: null };
  const isOthers =
    !isApart &&
    prepare(
      `SELECT 1 FROM inbox WHERE finished_at IS NULL AND channel = ? AND account = ? AND chat = ?
         AND (owner IS NOT ? OR owner_token IS NOT ?) LIMIT 1`,
    ).get(...partsOf(chat), name, token);
  const { changes } = prepare(
    `INSERT INTO inbox (channel, account, chat, id, position, received_at, body, owner, owner_token)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  ).run(...partsOf(chat), id, order, receivedAt, body, isOthers ? null : name, isOthers ? null : token);
  if (changes === 0) return 'known';
  return isOthers || !claimant ? 'queued' : 'claimed';
}

/** Under whose claims unfinished messages are, besides this claimant's. */
export function otherOwners(prepare: Prepare, { name, token }: Fence): Fence[] {
  return prepare(
    `SELECT DISTINCT owner, owner_token FROM inbox
       WHERE finished_at IS NULL AND owner IS NOT NULL AND NOT (owner = ? AND owner_token = ?)`,
  )
    .all(name, token)
    .map((row) => ({ name: String(row.owner), token: Number(row.owner_token) }));
}

/** `gone`: owners whose claims are void. Returns the rows that were not the claimant's before. */
export function claimMessages(
  prepare: Prepare,
  claimant: Fence,
  where: { chat: ChatKey } | { bots: readonly BotKey[] },
  gone: readonly Fence[],
): Row[] {
  const own = ownerName(claimant);
  const free = new Set([undefined, own, ...gone.map(ownerName)]);
  const update = prepare('UPDATE inbox SET owner = ?, owner_token = ? WHERE seq = ?');
  const claimed: Row[] = [];
  for (const rows of Map.groupBy(unfinishedRows(prepare, where), chatName).values()) {
    if (!rows.every((row) => free.has(rowOwner(row)))) continue;
    const added = rows.filter((row) => rowOwner(row) !== own);
    for (const { seq } of added) update.run(claimant.name, claimant.token, seq ?? null);
    claimed.push(...added);
  }
  return claimed;
}

/** Undefined when nobody has claimed the message, or there is none. */
export function ownerOf(prepare: Prepare, { chat, id }: MessageKey): string | undefined {
  const row = prepare('SELECT owner, owner_token FROM inbox WHERE channel = ? AND account = ? AND id = ?').get(
    chat.channel,
    chat.account,
    id,
  );
  return row && rowOwner(row);
}

export function isUnfinished(prepare: Prepare, { chat, id }: MessageKey): boolean {
  const unfinished = prepare(
    'SELECT 1 FROM inbox WHERE channel = ? AND account = ? AND id = ? AND finished_at IS NULL',
  );
  return unfinished.get(chat.channel, chat.account, id) !== undefined;
}

export function ownerName({ name, token }: Fence): string {
  return `${token} ${name}`;
}

function rowOwner({ owner, owner_token }: Row): string | undefined {
  return owner == null ? undefined : ownerName({ name: String(owner), token: Number(owner_token) });
}

function unfinishedRows(prepare: Prepare, where: { chat: ChatKey } | { bots: readonly BotKey[] }): Row[] {
  const select = (filter: string, values: readonly string[]): Row[] =>
    prepare(
      `SELECT * FROM inbox WHERE finished_at IS NULL AND ${filter} ORDER BY channel, account, chat, position, seq`,
    ).all(...values);
  if ('chat' in where) return select('channel = ? AND account = ? AND chat = ?', partsOf(where.chat));
  return where.bots.flatMap(({ channel, account }) => select('channel = ? AND account = ?', [channel, account]));
}

function chatName({ channel, account, chat }: Row): string {
  return JSON.stringify([channel, account, chat]);
}
