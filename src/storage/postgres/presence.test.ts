// Leases of processes whose connection ended. They last for minutes here, so that nothing but the end of the connection frees them.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newId } from '../../lib/new-id.ts';
import type { Fence } from '../locks.ts';
import { openDatabase } from './connect.ts';
import type { Query } from './database.ts';
import { requireFence } from './fence.ts';
import { createPostgresLocks, type PostgresLocks } from './leases.ts';
import { createPresenceWatch } from './presence.ts';
import { createSignals, type Signals } from './signals.ts';

const MINUTES_MS = 600_000;

let database: TestDatabase;
let opened: { close(): Promise<unknown> }[];

beforeEach(async () => {
  database = await testDatabase();
  opened = [];
});

afterEach(async () => {
  for (const each of opened.reverse()) await each.close();
  await database.drop();
});

interface Process {
  locks: PostgresLocks;
  signals: Signals;
  query: Query;
}

interface ProcessOptions {
  leaseMs?: number;
  /** The connection for renewals never answers in time. */
  isSilent?: boolean;
}

async function startProcess({ leaseMs, isSilent }: ProcessOptions = {}): Promise<Process> {
  const own = openDatabase({ url: database.url, connections: 4 });
  const signals = createSignals({ connect: own.connectApart });
  const onReleased = (listener: () => void): (() => void) => signals.on('locks', listener);
  const { query } = own;
  const locks = createPostgresLocks({
    query,
    renewalQuery: isSilent ? () => Promise.reject(new Error('no answer came in time')) : signals.query,
    presence: signals,
    newId,
    onReleased,
    ...(leaseMs && { leaseMs }),
  });
  opened.push(own, signals, locks);
  signals.on('locks', () => {});
  await eventually(() => expect(signals.presence).toBeDefined());
  return { locks, signals, query };
}

const presenceOf = async ({ query }: Process, name: string): Promise<number | null | undefined> =>
  (await query<{ presence: number | null }>('SELECT presence FROM lainclaw.leases WHERE name = $1', [name]))[0]
    ?.presence;

const endOf = async ({ query }: Process, name: string): Promise<number> => {
  const [row] = await query<{ at: Date }>('SELECT expires_at AS at FROM lainclaw.leases WHERE name = $1', [name]);
  return row?.at.getTime() ?? 0;
};

/** What somebody does who saw these keys disappear. Resolves when it is done. */
async function endLeasesOf(keys: readonly number[], by: Process, own = by.signals.presence ?? 0): Promise<void> {
  const ended = Promise.withResolvers<void>();
  const query: Query = async (text, values) => {
    const rows = await by.query(text, values);
    ended.resolve();
    return rows as never;
  };
  const watch = createPresenceWatch(query, 0);
  watch.look(own, [own, ...keys]);
  watch.look(own, [own]);
  await ended.promise;
}

it.each([
  ['', {}],
  [' by one whose renewals are sent by the pool', { isSilent: true }],
])(
  'a lock is acquired long before its time%s when the connection of its holder ended, and the holder writes nothing more',
  async (_, options) => {
    const holder = await startProcess({ leaseMs: MINUTES_MS });
    const other = await startProcess(options);
    const held = await holder.locks.acquire('bot', { isLasting: true });
    const session: Fence = await holder.locks.acquire('session:main');
    await other.locks.acquire('gateway:other');
    // A renewal has seen the connection of the holder.
    const acquiredEnd = await endOf(other, 'gateway:other');
    await eventually(async () => expect(await endOf(other, 'gateway:other')).toBeGreaterThan(acquiredEnd));
    const waiting = other.locks.acquire('bot', { isLasting: true });
    await holder.signals.close();
    expect((await waiting).token).toBe(held.token + 1);
    expect((await other.locks.acquire('session:main')).token).toBe(session.token + 1);
    for (const fence of [held, session])
      await expect(requireFence(holder.query, fence)).rejects.toMatchObject({ code: 'STORAGE_LOCK_LOST' });
  },
);

it('a holder that connects again at once keeps its locks', async () => {
  const [holder, other] = [await startProcess({ leaseMs: MINUTES_MS }), await startProcess({ leaseMs: MINUTES_MS })];
  const held = await holder.locks.acquire('bot', { isLasting: true });
  const before = holder.signals.presence as number;
  await holder.signals.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
  await eventually(() => expect(holder.signals.presence).not.toBe(before));
  await eventually(async () => {
    expect(holder.signals.presence).toBeDefined();
    expect(await presenceOf(other, 'bot')).toBe(holder.signals.presence);
  });
  await endLeasesOf([before], other);
  expect(await other.locks.holds(held)).toBe(true);
  expect(holder.locks.isHeldSince(held)).toBe(true);
});

it('a holder whose connection ended relies on nothing without asking', async () => {
  const holder = await startProcess({ leaseMs: MINUTES_MS });
  const held = await holder.locks.acquire('bot', { isLasting: true });
  expect(holder.locks.isHeldSince(held)).toBe(true);
  await holder.signals.close();
  expect(holder.locks.isHeldSince(held)).toBe(false);
  expect(await holder.locks.holds(held)).toBe(true);
});

it('nobody ends leases of a connection that is open, nor after the database has freed the lock of the observer', async () => {
  const [holder, other] = [await startProcess({ leaseMs: MINUTES_MS }), await startProcess({ leaseMs: MINUTES_MS })];
  const held = await holder.locks.acquire('bot', { isLasting: true });
  const key = holder.signals.presence as number;
  await endLeasesOf([key], other);
  expect(await other.locks.holds(held)).toBe(true);
  await holder.signals.close();
  await endLeasesOf([key], other, (other.signals.presence as number) + 1);
  expect(await other.locks.holds(held)).toBe(true);
  await endLeasesOf([key], other);
  expect(await other.locks.holds(held)).toBe(false);
});

it('a lease that an older program acquired after a holder with a connection ends by time alone', async () => {
  const [holder, other] = [await startProcess({ leaseMs: MINUTES_MS }), await startProcess({ leaseMs: MINUTES_MS })];
  const { token } = await holder.locks.acquire('bot', { isLasting: true });
  const key = holder.signals.presence as number;
  // It knows nothing of the columns for connections.
  await other.query(
    `UPDATE lainclaw.leases SET token = token + 1, holder = 'older', expires_at = now() + interval '1 hour' WHERE name = 'bot'`,
  );
  await holder.signals.close();
  await endLeasesOf([key], other);
  expect(await other.locks.holds({ name: 'bot', token: token + 1 })).toBe(true);
});
