// The owner's side of pairing: who waits, admitting, revoking. Used by the command line; the gateway need not run.
import { counted } from '../../lib/counted.ts';
import type { OwnerFiles } from '../../storage/storage.ts';
import type { ChatKey } from '../../vocabulary/chat-name.ts';
import { AccessError } from './access-error.ts';
import { createAllowLists } from './allow-lists.ts';
import { createAttempts } from './attempts.ts';
import { accountOf, createRequests, type PairingRequest, type PendingLimits } from './requests.ts';

/** Channels and, of them, one account or all. */
export interface PairingScope {
  channels: readonly string[];
  account?: string;
}

export interface Waiting extends PairingRequest {
  channel: string;
  account: string;
  expiresAt: string;
}

export interface Allowed {
  channel: string;
  /** Absent: for every account of the channel. */
  account?: string;
  entry: string;
}

export interface Approved {
  allowed: Allowed;
  /** A message to them is on its way, or goes out when the gateway runs. */
  isTold: boolean;
}

export interface Pairing {
  waiting(scope: PairingScope): Promise<Waiting[]>;
  allowed(scope: PairingScope): Promise<Allowed[]>;
  /** Throws AccessError for a wrong code, which counts, and after too many of them. */
  approve(code: string, scope: PairingScope): Promise<Approved>;
  /** Takes a sender off the lists and ends a request of theirs. Throws AccessError when there is neither. */
  revoke(entry: string, scope: PairingScope): Promise<{ removed: Allowed[]; endedRequests: number }>;
}

export interface PairingDependencies {
  files: OwnerFiles;
  limits(bot: { channel: string; account: string }): PendingLimits;
  /** Every account of a channel that could have a list. */
  accounts(channel: string): readonly string[];
  now(): number;
  /** Sends one message to an admitted person, in the chat they asked from. False: no message was sent. */
  tell(request: PairingRequest, chat: ChatKey): Promise<boolean>;
}

export function createPairing({ files, limits, accounts, now, tell }: PairingDependencies): Pairing {
  const lists = createAllowLists(files);
  const requests = createRequests({ files, now });
  const attempts = createAttempts({ files, now });

  async function waiting({ channels, account }: PairingScope): Promise<Waiting[]> {
    const found = await Promise.all(
      channels.map(async (channel) => {
        const pending = await requests.list(channel, (name) => limits({ channel, account: name }));
        return pending.map((request) => ({ channel, account: accountOf(request), request }));
      }),
    );
    return found
      .flat()
      .filter((item) => account === undefined || item.account === account)
      .map(({ channel, account: name, request }) => {
        const expires = Date.parse(request.createdAt) + limits({ channel, account: name }).ttlMs;
        return { ...request, channel, account: name, expiresAt: new Date(expires).toISOString() };
      });
  }

  /** A channel's own list, unless one account is meant, and the accounts'. */
  const listNames = ({ channels, account }: PairingScope): Omit<Allowed, 'entry'>[] =>
    channels.flatMap((channel) =>
      account === undefined
        ? [{ channel }, ...accounts(channel).map((name) => ({ channel, account: name }))]
        : [{ channel, account }],
    );

  return {
    waiting,
    async allowed(scope) {
      const found = await Promise.all(
        listNames(scope).map(async (name) => (await lists.list(name)).map((entry) => ({ ...name, entry }))),
      );
      return found.flat();
    },
    async approve(code, scope) {
      const attempt = await attempts.count();
      const matching: { allowed: Allowed; request: PairingRequest }[] = [];
      for (const channel of scope.channels) {
        const found = await requests.find(channel, code, (account) => limits({ channel, account }));
        if (!found || (scope.account !== undefined && accountOf(found) !== scope.account)) continue;
        // A request that names no account is admitted everywhere on its channel.
        const allowed = { channel, account: found.meta?.account ?? scope.account, entry: found.id };
        matching.push({ allowed, request: found });
      }
      const [match] = matching;
      if (!match)
        throw new AccessError(
          'PAIRING_CODE_UNKNOWN',
          `no request has this code (${counted(attempt.left, 'attempt')} left): "lainclaw pairing list" shows who waits`,
        );
      const { allowed, request } = match;
      await lists.add(allowed, allowed.entry);
      // Before the request goes: cut short here, the approval can be repeated.
      const chatId = request.meta?.chatId;
      const chat = { channel: allowed.channel, account: accountOf(request), chatId: String(chatId) };
      const isTold = typeof chatId === 'string' && (await tell(request, chat));
      await requests.remove(allowed.channel, allowed.entry, allowed.account);
      await attempt.forgive();
      return { allowed, isTold };
    },
    async revoke(entry, scope) {
      const removed: Allowed[] = [];
      for (const name of listNames(scope)) if (await lists.remove(name, entry)) removed.push({ ...name, entry });
      let endedRequests = 0;
      for (const channel of scope.channels)
        if (await requests.remove(channel, entry, scope.account)) endedRequests += 1;
      if (removed.length === 0 && endedRequests === 0)
        throw new AccessError(
          'PAIRING_ENTRY_UNKNOWN',
          `"${entry}" is on no list: "lainclaw pairing list" shows who was admitted`,
        );
      return { removed, endedRequests };
    },
  };
}
