// Locks as leases in PostgreSQL. A lock is a row with a token that grows with each acquisition and an end by the server's clock,
// which the holder moves forward while it lives. A lease that has ended is free to everybody; its former holder learns that at its
// next renewal or write.
//
// The token is what protects data: a write checks it in its own statement and locks the row (`FOR SHARE`), and an acquisition
// updates that row, so it waits for writes under the old token and lets none through after it. Clocks decide only when somebody else may acquire.
// A lease that ended while the database was away, and that nobody else acquired, is renewed: its holder continues.
//
// The leases of a process whose connection to the database was closed are ended before their time (presence.ts).
//
// A statement that was reported as timed out may still run later. An acquisition is therefore made under a name of its own: repeating
// it changes nothing, and a late one that nobody waits for ends by itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireInTurn, createLockQueue, type Place } from '../lock-queue.ts';
import type { Fence, Lock, Locks } from '../locks.ts';
import { lockLost, StorageError } from '../storage.ts';
import { answerWithin } from './answer-within.ts';
import type { PostgresDatabase, Query } from './database.ts';
import {
  ACQUIRE,
  ACQUIRE_SOON,
  HOLDS,
  LEFT,
  RELEASE,
  RENEW_ONE,
  RENEW_UNLOCKED,
  WITHDRAW,
} from './lease-statements.ts';
import { createPresenceWatch } from './presence.ts';
import type { SessionReads } from './session-reads.ts';
import { type Signals, signal as sendSignal } from './signals.ts';

export interface PostgresLocksOptions {
  query: Query;
  /** What is read behind an acquisition, in its round trip. */
  reads?: { queries: PostgresDatabase['queries']; sessions: SessionReads };
  /** For renewals: on a connection that nothing else waits for, so that a busy pool loses no lease. Where it does not answer, `query` renews. */
  renewalQuery?: Query;
  newId(prefix: string): string;
  /** The clock of the machine, which also counts while it sleeps. */
  now?(): number;
  leaseMs?: number;
  /** A holder that could not renew for so long gives its locks up, whatever the database would say. */
  giveUpMs?: number;
  /** Of the connection of `renewalQuery`. */
  presence?: Pick<Signals, 'presence' | 'onConnected'>;
  /** Calls the listener when a lasting lock was released. Returns what ends that. */
  onReleased?(listener: () => void): () => void;
}

export interface PostgresLocks extends Locks {
  /** A write under this fence was refused: its holder here learns that the lock is lost. */
  lose(fence: Fence): void;
  /** Every lock that is still held becomes free, and is lost to its holder. */
  close(): Promise<void>;
}

interface HeldLease {
  lock: Lock;
  /** When it was last known to be ours: when the statement that said so was sent. */
  renewedAt: number;
  /** The same by the clock of the machine. */
  renewedAtClock: number;
  /** The key that the row names. While it is not that of the open connection, others may end the lease before its time. */
  presence: number | undefined;
  /** Since when no renewal was so late that the lease may have ended before it. */
  unbrokenSince: number;
  isRenewing: boolean;
  isLasting: boolean;
  lose(): void;
}

type Moment = Pick<HeldLease, 'renewedAt' | 'renewedAtClock' | 'presence'>;

export const LEASE_MS = 3_000;
const GIVE_UP_MS = 12_000;
const RENEWALS_PER_LEASE = 6;
/** So long before its end nobody relies on a lease without asking. */
const CERTAIN_SHARE_LEFT = 1 / 4;
const FIRST_WAIT_MS = 15;
const LONGEST_WAIT_MS = 200;
/** Between two looks at a lasting lock that another holder has. */
const LASTING_WAIT_MS = 1_000;

export function createPostgresLocks(options: PostgresLocksOptions): PostgresLocks {
  const { query, reads, renewalQuery = query, newId, now = Date.now } = options;
  const { leaseMs = LEASE_MS, giveUpMs = GIVE_UP_MS } = options;
  const { onReleased = () => () => {}, presence } = options;
  const watch = createPresenceWatch(query);
  const queue = createLockQueue();
  const held = new Map<string, HeldLease>();
  let renewing: NodeJS.Timeout | undefined;
  let isClosed = false;
  const renewMs = leaseMs / RENEWALS_PER_LEASE;
  // The connection for renewals may be silent while the pool works: then the pool renews, before the lease ends.
  const renewalQueries = [...new Set([renewalQuery, query])].map((each) => answerWithin(each, renewMs));

  interface Attempt {
    name: string;
    holder: string;
    soon?: boolean;
    isLasting?: boolean;
  }

  /** Undefined when another holder has it. */
  async function tryLease(attempt: Attempt, { leave }: Place): Promise<Lock | undefined> {
    const { name, holder } = attempt;
    if (isClosed) throw new StorageError('STORAGE_FAILED', `the storage is closed: "${name}" cannot be locked`);
    const sentAt = moment();
    const { token, read } = await sendAcquisition(attempt, sentAt.presence).catch((error: unknown) => {
      // It may have been acquired all the same, for nobody.
      void query(WITHDRAW, [name, holder]).catch(() => {});
      throw error;
    });
    if (token === undefined) return undefined;
    const lock = hold({ name, token }, { ...sentAt, isLasting: attempt.isLasting ?? false }, leave);
    if (read) reads?.sessions.keep(lock, read);
    return lock;
  }

  async function sendAcquisition(
    { name, holder, soon }: Attempt,
    present: number | undefined,
  ): Promise<{ token?: number; read?: object[] }> {
    const acquire = { text: soon ? ACQUIRE_SOON : ACQUIRE, values: [name, holder, leaseMs, present ?? null] };
    const read = soon ? reads?.sessions.statement(name) : undefined;
    if (!reads || !read) return { ...(await query<{ token: number }>(acquire.text, acquire.values))[0] };
    const [acquired = [], rows] = await reads.queries([acquire, read]);
    const [row] = acquired as { token: number }[];
    return { ...row, read: rows };
  }

  const moment = (): Moment => ({ renewedAt: performance.now(), renewedAtClock: now(), presence: presence?.presence });

  function hold({ name, token }: Fence, acquired: Moment & Pick<HeldLease, 'isLasting'>, leave: () => void): Lock {
    const lost = new AbortController();
    const isHeld = (): boolean => held.get(name) === lease;
    const lock: Lock = {
      name,
      token,
      lost: lost.signal,
      async release() {
        if (!isHeld()) return;
        held.delete(name);
        // Where the database cannot be reached, the lease ends by itself.
        await query(RELEASE, [[name], [token]]).catch(() => {});
        if (acquired.isLasting) await sendSignal(query, 'locks').catch(() => {});
        leave();
      },
    };
    const lease: HeldLease = {
      lock,
      ...acquired,
      unbrokenSince: performance.now(),
      isRenewing: false,
      lose() {
        if (!isHeld()) return;
        held.delete(name);
        leave();
        lost.abort(lockLost(name));
      },
    };
    held.set(name, lease);
    renewLater();
    return lock;
  }

  function renewLater(): void {
    renewing ??= setTimeout(async () => {
      await renewAll();
      renewing = undefined;
      if (held.size > 0) renewLater();
    }, renewMs).unref();
  }

  interface Renewal {
    names: string[];
    present: number[];
  }

  /** Resolves with the names that were renewed. Without the connection that it listens on, nobody can tell whether this process lives: the leases name none. */
  async function sendRenewal(leases: readonly HeldLease[], sentAt: Moment): Promise<Set<string>> {
    const held = [...namesAndTokens(leases), leaseMs];
    const own = sentAt.presence;
    let failure: unknown;
    for (const send of renewalQueries) {
      try {
        const [row] = await send<Renewal>(RENEW_UNLOCKED, [...held, sentAt.presence ?? null]);
        if (row && own !== undefined) watch.look(own, row.present);
        return new Set(row?.names);
      } catch (error) {
        failure = error;
        sentAt.presence = undefined;
      }
    }
    throw failure;
  }

  /** Moments are of before the statement was sent, so the lease lasts at least as long as from then. */
  function renewed(lease: HeldLease, sentAt: Moment): void {
    if (!isCertain(lease)) lease.unbrokenSince = performance.now();
    Object.assign(lease, sentAt);
  }

  /** Not if the lease may have ended by now. Both clocks are asked: one of them stops while the machine sleeps. */
  function isCertain({ renewedAt, renewedAtClock, presence: written }: HeldLease): boolean {
    if (written !== undefined && written !== presence?.presence) return false;
    return Math.max(performance.now() - renewedAt, now() - renewedAtClock) < leaseMs * (1 - CERTAIN_SHARE_LEFT);
  }

  async function renewAll(): Promise<void> {
    const sentAt = moment();
    const leases = [...held.values()];
    if (leases.length === 0) return;
    try {
      const names = await sendRenewal(leases, sentAt);
      for (const lease of leases) {
        if (names.has(lease.lock.name)) renewed(lease, sentAt);
        else void renewOne(lease);
      }
    } catch {
      // The database cannot be reached now. The next renewal tries again.
    }
    for (const lease of leases) if (performance.now() - lease.renewedAt > giveUpMs) lease.lose();
  }

  /** A lease that is lost, or whose row a write has locked: nothing else waits for that write to end. */
  async function renewOne(lease: HeldLease): Promise<void> {
    if (lease.isRenewing) return;
    lease.isRenewing = true;
    const sentAt = moment();
    try {
      const rows = await query(RENEW_ONE, [lease.lock.name, lease.lock.token, leaseMs, sentAt.presence ?? null]);
      if (rows.length > 0) renewed(lease, sentAt);
      else lease.lose();
    } catch {
      // As above.
    }
    lease.isRenewing = false;
  }

  /** Until the lock that another holder has was released or has ended. */
  async function waitUntilFree(name: string, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const released = new AbortController();
      const stop = onReleased(() => released.abort());
      try {
        const [row] = await query<{ left: number }>(LEFT, [name]);
        if (!row || row.left === 0) return;
        const either = signal ? AbortSignal.any([signal, released.signal]) : released.signal;
        await sleep(Math.min(row.left, LASTING_WAIT_MS), undefined, { signal: either }).catch(() => {});
        signal?.throwIfAborted();
      } finally {
        stop();
      }
    }
  }

  // Leases that name the connection before it end soon.
  presence?.onConnected(() => void renewAll());

  return {
    acquire: (name, options = {}) =>
      acquireInTurn(queue, name, options, async (place, sayWaiting) => {
        const holder = newId('lease');
        for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
          const lock = await tryLease({ ...options, name, holder }, place);
          if (lock) return lock;
          sayWaiting();
          options.signal?.throwIfAborted();
          if (options.isLasting) {
            await waitUntilFree(name, options.signal);
            continue;
          }
          await sleep(wait * (0.5 + Math.random() / 2), undefined, { signal: options.signal }).catch(() =>
            options.signal?.throwIfAborted(),
          );
        }
      }),

    async tryAcquire(name, options = {}) {
      if (queue.has(name)) return undefined;
      const place = queue.enter(name);
      try {
        const lock = await tryLease({ ...options, name, holder: newId('lease') }, place);
        if (!lock) place.leave();
        return lock;
      } catch (error) {
        place.leave();
        throw error;
      }
    },

    holds: async ({ name, token }, forMs = 0) => (await query(HOLDS, [name, token, forMs])).length > 0,

    isHeldSince({ name, token }, since) {
      const lease = held.get(name);
      return lease?.lock.token === token && isCertain(lease) && (since === undefined || lease.unbrokenSince <= since);
    },

    lose({ name, token }) {
      const lease = held.get(name);
      if (lease?.lock.token === token) lease.lose();
    },

    async close() {
      isClosed = true;
      clearTimeout(renewing);
      watch.close();
      const leases = [...held.values()];
      for (const lease of leases) lease.lose();
      if (leases.length > 0) await query(RELEASE, namesAndTokens(leases)).catch(() => {});
      if (leases.some(({ isLasting }) => isLasting)) await sendSignal(query, 'locks').catch(() => {});
    },
  };
}

function namesAndTokens(leases: readonly HeldLease[]): [string[], number[]] {
  return [leases.map(({ lock }) => lock.name), leases.map(({ lock }) => lock.token)];
}
