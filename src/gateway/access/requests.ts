// Requests to be admitted, <channel>-pairing.json. Each read drops what has expired (counted from the first message: writing
// again holds no place) and what is too much for a bot, the newest first: an earlier person keeps the place until then,
// so a flood of strangers can neither push out those who wait nor fill another bot's places.

import type { OwnerFiles } from '../../storage/storage.ts';
import { DEFAULT_ACCOUNT } from '../../vocabulary/chat-name.ts';
import { type ListFile, listFile } from './owner-json.ts';
import { isSameCode, newPairingCode } from './pairing-code.ts';

export interface PairingRequest {
  /** Of the sender. */
  id: string;
  code: string;
  createdAt: string;
  lastSeenAt: string;
  /** `chatId`: where they wrote. */
  meta?: { account?: string; name?: string; messageId?: string; chatId?: string } & Record<string, unknown>;
}

/** When somebody was last seen is written at most so often. */
const SEEN_EVERY_MS = 1_000;

export interface PendingLimits {
  ttlMs: number;
  max: number;
}

/** What holds for each account. */
export type LimitsOf = (account: string) => PendingLimits;

export interface Stranger {
  channel: string;
  account: string;
  sender: { id: string; name?: string };
  /** The message that asks: answered again when it comes again, because the first answer may have been lost. */
  messageId: string;
  chatId: string;
}

export type Asked = { outcome: 'new' | 'repeated'; code: string; expiresAt: number } | { outcome: 'full' };

export interface Requests {
  /** Durable when it resolves. */
  ask(stranger: Stranger, limits: PendingLimits): Promise<Asked>;
  list(channel: string, limitsOf: LimitsOf): Promise<PairingRequest[]>;
  /** The request with this code; every one is compared, whichever it is. */
  find(channel: string, code: string, limitsOf: LimitsOf): Promise<PairingRequest | undefined>;
  /** Whose request it was, of one account or of all. True: there was one. */
  remove(channel: string, id: string, account?: string): Promise<boolean>;
}

export function accountOf({ meta }: PairingRequest): string {
  return meta?.account ?? DEFAULT_ACCOUNT;
}

export function createRequests({ files, now }: { files: OwnerFiles; now(): number }): Requests {
  const open = (channel: string): ListFile<PairingRequest> =>
    listFile(files, `${channel}-pairing.json`, 'requests', requestOf);

  async function list(channel: string, limitsOf: LimitsOf): Promise<PairingRequest[]> {
    const requests = await open(channel).read();
    if (prune(requests, limitsOf, now()).length === requests.length) return requests;
    await open(channel).update((items) => prune(items, limitsOf, now()));
    return prune(requests, limitsOf, now());
  }

  return {
    list,
    async ask(stranger, limits) {
      const { channel } = stranger;
      const known = await open(channel).read();
      const first = answer(known, stranger, limits, now());
      // Nothing to write: a flood of strangers waits for no lock and no disk.
      if (first.requests === known) return first.asked;
      let asked = first.asked;
      await open(channel).update((items) => {
        const decided = answer(items, stranger, limits, now());
        asked = decided.asked;
        return [...decided.requests];
      });
      return asked;
    },
    async find(channel, code, limitsOf) {
      const matching = (await list(channel, limitsOf)).filter((request) => isSameCode(code, request.code));
      return matching[0];
    },
    async remove(channel, id, account) {
      let found = false;
      await open(channel).update((items) =>
        items.filter((request) => {
          const isIt = request.id === id && (account === undefined || accountOf(request) === account);
          found ||= isIt;
          return !isIt;
        }),
      );
      return found;
    },
  };
}

interface Answer {
  asked: Asked;
  /** The very same list when nothing changes. */
  requests: readonly PairingRequest[];
}

function answer(items: readonly PairingRequest[], stranger: Stranger, limits: PendingLimits, at: number): Answer {
  const { account, sender, messageId, chatId } = stranger;
  const seenAt = new Date(at).toISOString();
  // Other accounts have limits of their own, which their own reads apply.
  const isOwn = (request: PairingRequest): boolean => accountOf(request) === account;
  const own = prune(items.filter(isOwn), () => limits, at);
  const kept = items.filter((request) => !isOwn(request) || own.includes(request));
  const requests = kept.length === items.length ? items : kept;
  const known = own.find(({ id }) => id === sender.id);
  if (known) {
    const outcome = known.meta?.messageId === messageId ? 'new' : 'repeated';
    const asked: Asked = { outcome, code: known.code, expiresAt: Date.parse(known.createdAt) + limits.ttlMs };
    if (Math.abs(at - Date.parse(known.lastSeenAt)) < SEEN_EVERY_MS) return { asked, requests };
    return { asked, requests: requests.map((one) => (one === known ? { ...known, lastSeenAt: seenAt } : one)) };
  }
  if (own.length >= limits.max) return { asked: { outcome: 'full' }, requests };
  const code = unusedCode(items);
  const meta = { account, ...(sender.name !== undefined && { name: sender.name.slice(0, 200) }), messageId, chatId };
  const added = { id: sender.id, code, createdAt: seenAt, lastSeenAt: seenAt, meta };
  return { asked: { outcome: 'new', code, expiresAt: at + limits.ttlMs }, requests: [...requests, added] };
}

function prune(requests: readonly PairingRequest[], limitsOf: LimitsOf, now: number): PairingRequest[] {
  const places = new Map<string, number>();
  const kept = requests
    .filter((request) => Math.abs(now - Date.parse(request.createdAt)) < limitsOf(accountOf(request)).ttlMs)
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt))
    .filter((request) => {
      const account = accountOf(request);
      const taken = places.get(account) ?? 0;
      places.set(account, taken + 1);
      return taken < limitsOf(account).max;
    });
  return requests.filter((request) => kept.includes(request));
}

function unusedCode(requests: readonly PairingRequest[]): string {
  for (;;) {
    const code = newPairingCode();
    if (!requests.some((request) => request.code === code)) return code;
  }
}

function requestOf(value: unknown): PairingRequest | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, code, createdAt, lastSeenAt, meta } = value as Record<string, unknown>;
  if (typeof id !== 'string' || typeof code !== 'string') return undefined;
  if (meta !== undefined && (typeof meta !== 'object' || meta === null)) return undefined;
  const created = timeOf(createdAt);
  return {
    ...(value as object),
    id,
    code,
    createdAt: created,
    lastSeenAt: lastSeenAt === undefined ? created : timeOf(lastSeenAt),
  };
}

/** An invalid time counts as long past. */
function timeOf(value: unknown): string {
  const time = typeof value === 'number' || typeof value === 'string' ? new Date(value) : new Date(0);
  return Number.isNaN(time.getTime()) ? new Date(0).toISOString() : time.toISOString();
}
