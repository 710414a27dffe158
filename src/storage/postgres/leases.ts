// Locks as leases in PostgreSQL. A lock is a row with a token that grows with each acquisition and an end by the server's clock,
// which the holder moves forward while it lives. A lease that has ended is free to everybody; its former holder learns that at its
// next renewal or write.
//
// The token is what protects data: a write checks it in its own statement and locks the row (`FOR SHARE`), and an acquisition
// updates that row, so it waits for writes under the old token and lets none through after it. Clocks decide only when somebody else may acquire.
// A lease that ended while the database was away, and that nobody else acquired, is renewed: its holder continues.
//
// A statement that was reported as timed out may still run later. An acquisition is therefore made under a name of its own: repeating
// it changes nothing, and a late one that nobody waits for ends by itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireInTurn, createLockQueue, type Place } from '../lock-queue.ts';
import type { Fence, Lock, Locks } from '../locks.ts';
import { lockLost, StorageError } from '../storage.ts';
import type { PostgresDatabase, Query } from './database.ts';
import { KNOWN_VERSION } from './migrations.ts';
import type { SessionReads } from './session-reads.ts';
import { signal as sendSignal } from './signals.ts';

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
  /** Since when no renewal was so late that the lease may have ended before it. */
  unbrokenSince: number;
  isRenewing: boolean;
  isLasting: boolean;
  lose(): void;
}

export const LEASE_MS = 3_000;
const GIVE_UP_MS = 12_000;
const RENEWALS_PER_LEASE = 4;
const FIRST_WAIT_MS = 15;
const LONGEST_WAIT_MS = 200;
/** Between two looks at a lasting lock that another holder has. */
const LASTING_WAIT_MS = 1_000;

// The condition of the SELECT only spares a held row the lock; the one after ON CONFLICT decides, on the locked row.
const acquisition = (token: { first: string; next: string }, from = ''): string => `
  INSERT INTO lainclaw.leases AS lease (name, token, holder, expires_at)
  SELECT $1, ${token.first}, $2, clock_timestamp() + $3 * interval '1 ms' ${from}
  WHERE NOT EXISTS (
    SELECT 1 FROM lainclaw.leases WHERE name = $1 AND holder <> $2 AND expires_at > clock_timestamp()
  )
  ON CONFLICT (name) DO UPDATE SET
    token = CASE WHEN lease.holder = $2 THEN lease.token ELSE ${token.next} END,
    holder = $2,
    expires_at = clock_timestamp() + $3 * interval '1 ms'
  WHERE lease.holder = $2 OR lease.expires_at <= clock_timestamp()
  RETURNING token`;

const ACQUIRE = acquisition({ first: '1', next: 'lease.token + 1' });

// Does not wait for the disk, so a crash of the database may take it back. Its token comes from the clock: no later acquisition gets the same one, and writes
// under a token that was taken back are refused.
const CLOCK_TOKEN = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';
const ACQUIRE_SOON = acquisition(
  { first: CLOCK_TOKEN, next: `greatest(lease.token + 1, ${CLOCK_TOKEN})` },
  `FROM (SELECT set_config('synchronous_commit', 'off', true)) AS soon`,
);

/** A program that a migration excludes renews nothing: it loses its locks, and a newer one acquires them. */
const IS_ADMITTED = `NOT EXISTS (SELECT 1 FROM lainclaw.migrations WHERE oldest_program > ${KNOWN_VERSION})`;

// A row that a write has locked is skipped: one slow write must not end the other leases of its process. A renewal that arrives after the release finds no holder.
const RENEW_UNLOCKED = `
  UPDATE lainclaw.leases AS lease SET expires_at = clock_timestamp() + $3 * interval '1 ms'
  FROM (
    SELECT name FROM lainclaw.leases JOIN unnest($1::text[], $2::bigint[]) AS held (name, token) USING (name, token)
    WHERE holder <> '' AND ${IS_ADMITTED} FOR NO KEY UPDATE OF leases SKIP LOCKED
  ) AS free WHERE lease.name = free.name RETURNING lease.name`;

const RENEW_ONE = `
  UPDATE lainclaw.leases SET expires_at = clock_timestamp() + $3 * interval '1 ms'
  WHERE name = $1 AND token = $2 AND holder <> '' AND ${IS_ADMITTED} RETURNING name`;

const HOLDS = `
  SELECT 1 FROM lainclaw.leases
  WHERE name = $1 AND token = $2 AND expires_at > clock_timestamp() + $3 * interval '1 ms'`;

const LEFT = `
  SELECT CASE WHEN expires_at > clock_timestamp() THEN 1000 * extract(epoch FROM expires_at - clock_timestamp()) ELSE 0 END::float8 AS left
  FROM lainclaw.leases WHERE name = $1`;

// Does not wait for the disk: a lease whose release a crash of the database took back ends by itself.
const RELEASE = `
  UPDATE lainclaw.leases AS lease SET expires_at = '-infinity', holder = ''
  FROM (SELECT set_config('synchronous_commit', 'off', true)) AS soon, unnest($1::text[], $2::bigint[]) AS held (name, token)
  WHERE lease.name = held.name AND lease.token = held.token`;

const WITHDRAW = `UPDATE lainclaw.leases SET expires_at = '-infinity', holder = '' WHERE name = $1 AND holder = $2`;

export function createPostgresLocks(options: PostgresLocksOptions): PostgresLocks {
  const { query, reads, renewalQuery = query, newId, now = Date.now } = options;
  const { leaseMs = LEASE_MS, giveUpMs = GIVE_UP_MS } = options;
  const { onReleased = () => () => {} } = options;
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
    const { token, read } = await sendAcquisition(attempt).catch((error: unknown) => {
      // It may have been acquired all the same, for nobody.
      void query(WITHDRAW, [name, holder]).catch(() => {});
      throw error;
    });
    if (token === undefined) return undefined;
    const lock = hold({ name, token }, { ...sentAt, isLasting: attempt.isLasting ?? false }, leave);
    if (read) reads?.sessions.keep(lock, read);
    return lock;
  }

  async function sendAcquisition({ name, holder, soon }: Attempt): Promise<{ token?: number; read?: object[] }> {
    const acquire = { text: soon ? ACQUIRE_SOON : ACQUIRE, values: [name, holder, leaseMs] };
    const read = soon ? reads?.sessions.statement(name) : undefined;
    if (!reads || !read) return { ...(await query<{ token: number }>(acquire.text, acquire.values))[0] };
    const [acquired = [], rows] = await reads.queries([acquire, read]);
    const [row] = acquired as { token: number }[];
    return { ...row, read: rows };
  }

  const moment = () => ({ renewedAt: performance.now(), renewedAtClock: now() });

  function hold(
    { name, token }: Fence,
    acquired: ReturnType<typeof moment> & Pick<HeldLease, 'isLasting'>,
    leave: () => void,
  ): Lock {
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

  async function sendRenewal(values: readonly unknown[]): Promise<{ name: string }[]> {
    let failure: unknown;
    for (const send of renewalQueries)
      try {
        return await send<{ name: string }>(RENEW_UNLOCKED, values);
      } catch (error) {
        failure = error;
      }
    throw failure;
  }

  /** Moments are of before the statement was sent, so the lease lasts at least as long as from then. */
  function renewed(lease: HeldLease, sentAt: ReturnType<typeof moment>): void {
    if (!isCertain(lease)) lease.unbrokenSince = performance.now();
    Object.assign(lease, sentAt);
  }

  /** Not if the lease may have ended by now. Both clocks are asked: one of them stops while the machine sleeps. */
  function isCertain({ renewedAt, renewedAtClock }: HeldLease): boolean {
    return Math.max(performance.now() - renewedAt, now() - renewedAtClock) < leaseMs - renewMs;
  }

  async function renewAll(): Promise<void> {
    const sentAt = moment();
    const leases = [...held.values()];
    if (leases.length === 0) return;
    try {
      const rows = await sendRenewal([...namesAndTokens(leases), leaseMs]);
      const names = new Set(rows.map(({ name }) => name));
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
      const rows = await query(RENEW_ONE, [lease.lock.name, lease.lock.token, leaseMs]);
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
      const leases = [...held.values()];
      for (const lease of leases) lease.lose();
      if (leases.length > 0) await query(RELEASE, namesAndTokens(leases)).catch(() => {});
      if (leases.some(({ isLasting }) => isLasting)) await sendSignal(query, 'locks').catch(() => {});
    },
  };
}

/** Rejects when no answer comes in time, and at once while an earlier statement has no answer yet. */
function answerWithin(query: Query, ms: number): Query {
  let isWaiting = false;
  return async <Row extends object>(text: string, values?: readonly unknown[]) => {
    if (isWaiting) throw new Error('an earlier statement has no answer yet');
    isWaiting = true;
    const answer = query<Row>(text, values).finally(() => {
      isWaiting = false;
    });
    const timeout = new AbortController();
    const late = sleep(ms, undefined, { signal: timeout.signal, ref: false }).then(() => {
      throw new Error('no answer came in time');
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      timeout.abort();
      // Nobody waits for the one that lost.
      for (const each of [answer, late]) each.catch(() => {});
    }
  };
}

function namesAndTokens(leases: readonly HeldLease[]): [string[], number[]] {
  return [leases.map(({ lock }) => lock.name), leases.map(({ lock }) => lock.token)];
}
