// How drafts of messages enter the outbox: one statement numbers them in their order, and one whose key is known changes nothing.

import type { OutboxDraft } from '../mailbox.ts';
import { partsOf } from '../mailbox-rows.ts';
import type { Query } from './database.ts';
import { CHANNEL, type Topic } from './signals.ts';

/** The time is the parameter `$at`, the columns of the drafts are the five after it. */
export const insertDrafts = (from: string, at: number): string => `
  INSERT INTO lainclaw.outbox (key, channel, account, chat, body, state, attempts, due_at, waits_since)
  SELECT key, channel, account, chat, body, 'waiting', 0, $${at}, $${at}
  FROM ${from}unnest($${at + 1}::text[], $${at + 2}::text[], $${at + 3}::text[], $${at + 4}::text[], $${at + 5}::text[])
    WITH ORDINALITY AS draft (key, channel, account, chat, body, place)
  ORDER BY place ON CONFLICT (key) DO NOTHING`;

export function draftColumns(drafts: readonly OutboxDraft[]): string[][] {
  const parts = drafts.map(({ chat }) => partsOf(chat));
  return [
    drafts.map(({ key }) => key),
    parts.map(([channel]) => channel),
    parts.map(([, account]) => account),
    parts.map(([, , chat]) => chat),
    drafts.map(({ body }) => body),
  ];
}

/** Signals them when they are committed. */
export async function addDrafts(query: Query, drafts: readonly OutboxDraft[], now: number): Promise<void> {
  if (drafts.length === 0) return;
  await query(`WITH added AS (${insertDrafts('', 1)}) SELECT pg_notify($7, $8)`, [
    ...[now, ...draftColumns(drafts)],
    ...[CHANNEL, 'outbox' satisfies Topic],
  ]);
}
