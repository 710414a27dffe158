// Which chat an answer of background work may go to. One that the owner has listed in sendAllow, no matter who asked; otherwise only
//
//   - exactly the chat it was asked from, as long as somebody who wrote there would still be admitted, or
//   - one that the owner named at the command line and that the bot talks with already.
//
// So neither HEARTBEAT.md nor a tool of one chat can write to another one, and a revoked person gets nothing more.

import type { ChatPerson } from '../../storage/mailbox.ts';
import type { Asker } from '../../vocabulary/asker.ts';
import type { ChatKey } from '../../vocabulary/chat-name.ts';
import { chatName, DEFAULT_ACCOUNT, parseChatName } from '../../vocabulary/chat-name.ts';
import type { Access } from '../access/access.ts';
import { nameOf } from '../chats/chat.ts';
import type { ResolvedBot } from '../settings/resolve.ts';
import { botFor, notAllowed } from './send-target.ts';

export type AnswerBot = Pick<ResolvedBot, 'channel' | 'account' | 'settings'>;

export interface AnswerRules {
  bots(): readonly AnswerBot[];
  access: Pick<Access, 'stillAdmits'>;
  /** People admitted in this chat. */
  people(chat: ChatKey): Promise<ChatPerson[]>;
  /** Whether the bot has talked there. */
  hasSession(chat: ChatKey): Promise<boolean>;
}

export type AnswerTarget = { ok: true; chat: ChatKey } | { ok: false; reason: string };

export async function answerTarget(name: string, asker: Asker, rules: AnswerRules): Promise<AnswerTarget> {
  const named = parseChatName(name);
  if (!named) return { ok: false, reason: `"${name}" is not a chat: write channel:chatId` };
  const bots = rules.bots();
  const listed = listedBot(named, bots);
  if (listed) return { ok: true, chat: { ...named, account: listed.account } };
  const hasBot = bots.some((bot) => bot.channel === named.channel && bot.account === named.account);
  const isForOwner = asker.kind !== 'chat';
  if (!hasBot || !isOwnChat(named, asker)) return { ok: false, reason: notAllowed(named, bots, isForOwner) };
  const people = await rules.people(named);
  for (const person of people) if (await rules.access.stillAdmits(person, named)) return { ok: true, chat: named };
  if (people.length > 0 || asker.kind !== 'owner') return { ok: false, reason: revokedReason(named) };
  // Nobody is known of a chat from before people were kept: there the owner's word counts.
  if (await rules.hasSession(named)) return { ok: true, chat: named };
  return { ok: false, reason: `${notAllowed(named, bots)}, or once somebody has written to the bot there` };
}

/** Whether a message that was written for this chat may still be sent: listed by the owner, or not everybody there was revoked. */
export async function mayReceive(
  chat: ChatKey,
  { bots, access, people }: Pick<AnswerRules, 'bots' | 'access' | 'people'>,
): Promise<boolean> {
  const admitted = await people(chat);
  for (const person of admitted) if (await access.stillAdmits(person, chat)) return true;
  return admitted.length === 0 || listedBot(chat, bots()) !== undefined;
}

function revokedReason(chat: ChatKey): string {
  return `${chatName(chat)} may not be written to: nobody there is admitted any more ("lainclaw pairing list" shows who is)`;
}

/** A name without an account means any bot that lists the chat. */
function listedBot({ account, ...target }: ChatKey, bots: readonly AnswerBot[]): AnswerBot | undefined {
  const meant = account === DEFAULT_ACCOUNT ? bots : bots.filter((bot) => bot.account === account);
  return botFor(target, meant);
}

function isOwnChat(chat: ChatKey, asker: Asker): boolean {
  const own = asker.kind === 'nobody' || asker.chat === undefined ? undefined : parseChatName(asker.chat);
  return own !== undefined && nameOf(own) === nameOf(chat);
}
