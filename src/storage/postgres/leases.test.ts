// Leases under everything that can happen to their holders: many at once, kills, freezes, cut connections, late statements. What is
// proven is the order of tokens in a table that is written only under the fence of a lock.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCutProxy } from '../../../test/support/cut-proxy.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newId } from '../../lib/new-id.ts';
import type { Fence, Lock } from '../locks.ts';
import { openDatabase } from './connect.ts';
import type { PostgresDatabase, Query } from './database.ts';
import { requireFence } from './fence.ts';
import { createPostgresLocks, type PostgresLocks, type PostgresLocksOptions } from './leases.ts';

const FENCED_INSERT = `
  WITH fence AS (SELECT 1 FROM lainclaw.leases WHERE name = $1 AND token = $2 FOR SHARE)
  INSERT INTO history (name, token) SELECT $1, $2 FROM fence RETURNING seq`;

let database: TestDatabase;
let opened: { close(): Promise<unknown> }[];
const children: ReturnType<typeof spawn>[] = [];

beforeEach(async () => {
  database = await testDatabase();
  opened = [];
  const owner = openDatabase({ url: database.ownerUrl });
  await owner.query(
    'CREATE TABLE public.history (seq bigserial PRIMARY KEY, name text NOT NULL, token bigint NOT NULL)',
  );
  await owner.query('GRANT ALL ON public.history, public.history_seq_seq TO PUBLIC');
  await owner.close();
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const each of opened.reverse()) await each.close();
  await database.drop();
});

interface Node {
  locks: PostgresLocks;
  query: Query;
  database: PostgresDatabase;
  /** Whether it was written. */
  write(fence: Fence): Promise<boolean>;
}

function node(options: Partial<PostgresLocksOptions> = {}, url = database.url): Node {
  const own = openDatabase({ url, connections: 4 });
  const locks = createPostgresLocks({ query: own.query, newId, ...options });
  opened.push(own, locks);
  return {
    locks,
    query: own.query,
    database: own,
    write: async ({ name, token }) => (await own.query(FENCED_INSERT, [name, token])).length > 0,
  };
}

/** Ends a lease as time does. */
const expire = (by: Node, name: string): Promise<unknown> =>
  by.query(`UPDATE lainclaw.leases SET expires_at = '-infinity' WHERE name = $1`, [name]);

async function tokensWritten(by: Node, name: string): Promise<number[]> {
  const rows = await by.query<{ token: number }>('SELECT token FROM history WHERE name = $1 ORDER BY seq', [name]);
  return rows.map(({ token }) => token);
}

const isRising = (tokens: readonly number[]): boolean =>
  tokens.every((token, index) => index === 0 || token >= (tokens[index - 1] ?? 0));

describe('many holders', () => {
  it('never have a lock at the same time, and their tokens rise', async () => {
    const nodes = [node(), node(), node(), node()];
    const inside = new Map<string, number>();
    const tokens = new Map<string, number[]>();
    const work = async ({ locks }: Node, name: string): Promise<void> => {
      const lock = await locks.acquire(name);
      const count = (inside.get(name) ?? 0) + 1;
      inside.set(name, count);
      expect(count).toBe(1);
      tokens.set(name, [...(tokens.get(name) ?? []), lock.token]);
      await new Promise((resolve) => setImmediate(resolve));
      inside.set(name, 0);
      await lock.release();
    };
    await Promise.all(
      nodes.flatMap((each) => Array.from({ length: 24 }, (_, index) => work(each, `name-${index % 3}`))),
    );
    for (const each of tokens.values()) expect(each).toEqual(Array.from({ length: 32 }, (_, index) => index + 1));
  });

  it('whose leases end at any moment never write with an old token after a new one', async () => {
    const step = fc.record({
      by: fc.nat(3),
      name: fc.constantFrom('a', 'b'),
      kind: fc.constantFrom(
        'acquire' as const,
        'write' as const,
        'write' as const,
        'expire' as const,
        'release' as const,
      ),
    });
    const nodes = [node(), node(), node(), node()];
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        run += 1;
        const held = new Map<string, Lock>();
        const running: Promise<unknown>[] = [];
        // Not one after the other: the statements of four processes meet in the database in any order.
        for (const { by, name: short, kind } of steps) {
          const each = nodes[by] as Node;
          const name = `${short}-${run}`;
          const key = `${by} ${name}`;
          const lock = held.get(key);
          if (kind === 'acquire') running.push(each.locks.tryAcquire(name).then((got) => got && held.set(key, got)));
          else if (kind === 'write' && lock) running.push(each.write(lock));
          else if (kind === 'expire') running.push(expire(each, name));
          else if (kind === 'release' && lock) running.push(lock.release());
          if (running.length % 5 === 0) await running[running.length - 5];
        }
        await Promise.all(running);
        for (const name of [`a-${run}`, `b-${run}`])
          expect(await tokensWritten(nodes[0] as Node, name)).toSatisfy(isRising);
        // What is still believed to be held is either ours or refused.
        for (const [key, lock] of held) {
          const each = nodes[Number(key[0])] as Node;
          const [row] = await each.query<{ token: number }>('SELECT token FROM lainclaw.leases WHERE name = $1', [
            lock.name,
          ]);
          expect(await each.write(lock)).toBe(row?.token === lock.token);
          await lock.release();
        }
      }),
      { numRuns: 30 },
    );
  });
});

/** Another process that acquires the lock `name`, then writes under it as fast as it can, until it cannot. */
async function startHolder(): Promise<{ child: ReturnType<typeof spawn>; token: number; ended: Promise<string> }> {
  const here = new URL('.', import.meta.url).href;
  const code = `
    const [{ openDatabase }, { createPostgresLocks }] = await Promise.all([import('${here}connect.ts'), import('${here}leases.ts')]);
    const database = openDatabase({ url: process.argv[1] });
    const locks = createPostgresLocks({ query: database.query, newId: (prefix) => prefix + process.pid });
    const lock = await locks.acquire('name');
    process.stdout.write(lock.token + '\\n');
    for (;;) {
      const rows = await database.query(${JSON.stringify(FENCED_INSERT)}, ['name', lock.token]);
      if (rows.length === 0) break;
    }
    if (!lock.lost.aborted) await new Promise((resolve) => lock.lost.addEventListener('abort', resolve));
    process.stdout.write('lost ' + lock.lost.reason.code + '\\n', () => process.exit(0));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, database.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const ended = once(child.stdout, 'data').then(([last]) => String(last).trim());
  return { child, token: Number(said), ended };
}

describe('a holder in another process', () => {
  it('that is killed is followed by the next, and nothing of it comes after', async () => {
    const holder = await startHolder();
    const other = node();
    await eventually(async () => expect((await tokensWritten(other, 'name')).length).toBeGreaterThan(0));
    const waiting = other.locks.acquire('name');
    holder.child.kill('SIGKILL');
    const lock = await waiting;
    expect(lock.token).toBe(holder.token + 1);
    expect(await other.write(lock)).toBe(true);
    const tokens = await tokensWritten(other, 'name');
    expect(tokens).toSatisfy(isRising);
    expect(tokens).toContain(holder.token);
  });

  it('that is frozen while it writes loses the lock, notices it when it wakes, and writes nothing more', async () => {
    const holder = await startHolder();
    const other = node();
    await eventually(async () => expect((await tokensWritten(other, 'name')).length).toBeGreaterThan(20));
    holder.child.kill('SIGSTOP');
    const lock = await other.locks.acquire('name');
    expect(lock.token).toBe(holder.token + 1);
    expect(await other.write(lock)).toBe(true);
    holder.child.kill('SIGCONT');
    expect(await holder.ended).toBe('lost STORAGE_LOCK_LOST');
    expect(await other.write(lock)).toBe(true);
    expect(await tokensWritten(other, 'name')).toSatisfy(isRising);
    expect(lock.lost.aborted).toBe(false);
  });
});

describe('a holder whose connection is cut', () => {
  const through = (port: number): string => {
    const url = new URL(database.url);
    url.port = String(port);
    url.hostname = '127.0.0.1';
    return url.href;
  };

  it('is followed by another, and writes that arrive late are refused', async () => {
    const proxy = await startCutProxy(database.port);
    opened.push(proxy);
    const near = node();
    const far = node({}, through(proxy.port));
    const lock = await far.locks.acquire('name');
    expect(await far.write(lock)).toBe(true);
    proxy.cut();
    // Sent now, it reaches the server when the connection is whole again.
    const late = far.write(lock);
    const next = await near.locks.acquire('name');
    expect(await near.write(next)).toBe(true);
    proxy.restore();
    expect(await late).toBe(false);
    await eventually(() => expect(lock.lost.aborted).toBe(true));
    expect(await near.write(next)).toBe(true);
    expect(await tokensWritten(near, 'name')).toEqual([1, 2, 2]);
  });

  it('keeps a lease that ended meanwhile and that nobody acquired', async () => {
    const proxy = await startCutProxy(database.port);
    opened.push(proxy);
    const near = node();
    const far = node({ leaseMs: 400 }, through(proxy.port));
    const lock = await far.locks.acquire('name');
    proxy.cut();
    await eventually(async () =>
      expect(
        await near.query('SELECT 1 FROM lainclaw.leases WHERE name = $1 AND expires_at < clock_timestamp()', ['name']),
      ).toHaveLength(1),
    );
    proxy.restore();
    await eventually(async () =>
      expect(
        await near.query('SELECT 1 FROM lainclaw.leases WHERE name = $1 AND expires_at > clock_timestamp()', ['name']),
      ).toHaveLength(1),
    );
    expect(await far.write(lock)).toBe(true);
    expect(lock.lost.aborted).toBe(false);
  });

  it('gives up by itself when it cannot renew for long', async () => {
    let isAway = false;
    const near = node();
    const away: Query = (text, values) =>
      isAway ? Promise.reject(new Error('there is no connection')) : near.query(text, values);
    const locks = createPostgresLocks({ query: away, newId, leaseMs: 200, giveUpMs: 500 });
    const lock = await locks.acquire('name');
    isAway = true;
    await eventually(() => expect(lock.lost).toMatchObject({ aborted: true, reason: { code: 'STORAGE_LOCK_LOST' } }));
    await locks.close();
  });
});

describe('renewal', () => {
  it('reaches the other leases of a process while a write has one of them locked', async () => {
    const own = node({ leaseMs: 400 });
    const other = node();
    const busy = await own.locks.acquire('busy');
    const quiet = await own.locks.acquire('quiet');
    await other.database.transaction(async (query) => {
      await query('SELECT 1 FROM lainclaw.leases WHERE name = $1 FOR SHARE', ['busy']);
      const [before] = await other.query<{ at: Date }>(
        `SELECT expires_at AS at FROM lainclaw.leases WHERE name = 'quiet'`,
      );
      // More than two renewals later: none of them waits for the one that the write holds up.
      await eventually(async () => {
        const [now] = await query<{ at: Date }>(`SELECT expires_at AS at FROM lainclaw.leases WHERE name = 'quiet'`);
        expect(now?.at.getTime()).toBeGreaterThan((before?.at.getTime() ?? 0) + 300);
      });
    });
    expect([busy.lost.aborted, quiet.lost.aborted]).toEqual([false, false]);
    expect(await own.write(busy)).toBe(true);
  });

  it('tells a holder that lost its lock without writing anything', async () => {
    const own = node();
    const lock = await own.locks.acquire('name');
    await expire(own, 'name');
    const next = await node().locks.acquire('name');
    await eventually(() => expect(lock.lost.aborted).toBe(true));
    expect(next.token).toBe(lock.token + 1);
    await lock.release();
    expect(next.lost.aborted).toBe(false);
    expect(await own.write(next)).toBe(true);
  });
});

describe('a renewal', () => {
  const endOf = async (by: Node, name: string): Promise<number> => {
    const [row] = await by.query<{ at: Date }>('SELECT expires_at AS at FROM lainclaw.leases WHERE name = $1', [name]);
    return row?.at.getTime() ?? 0;
  };

  it('is sent by the pool while the connection for renewals is silent', async () => {
    const own = node();
    let silenced = 0;
    const silent: Query = () => {
      silenced += 1;
      return new Promise(() => {});
    };
    const locks = createPostgresLocks({ query: own.query, renewalQuery: silent, newId, leaseMs: 400 });
    opened.push(locks);
    const lock = await locks.acquire('name');
    const before = await endOf(own, 'name');
    await eventually(async () => expect(await endOf(own, 'name')).toBeGreaterThan(before + 1_000));
    expect(lock.lost.aborted).toBe(false);
    // What has no answer is not asked again: nothing piles up behind it.
    expect(silenced).toBe(1);
  });

  it.each(['of all leases', 'of one lease'])('%s that arrives after the release leaves the lock free', async (kind) => {
    const own = node();
    const arrives = Promise.withResolvers<void>();
    let sent: Promise<unknown> | undefined;
    const late: Query = (text, values) => {
      const running = arrives.promise.then(() => own.query(text, values));
      sent ??= running;
      return running as ReturnType<Query> as never;
    };
    const locks = createPostgresLocks({
      query: (text, values) =>
        /^\s*UPDATE lainclaw.leases SET/.test(text) ? late(text, values) : own.query(text, values),
      renewalQuery: kind === 'of all leases' ? late : async () => [],
      newId,
      leaseMs: 4_000,
    });
    opened.push(locks);
    const lock = await locks.acquire('name');
    await eventually(() => expect(sent).toBeDefined());
    await lock.release();
    arrives.resolve();
    await sent;
    expect(await node().locks.tryAcquire('name')).toBeDefined();
  });
});

it('an acquisition waits for a write that has checked its fence, so that its holder reads what was written', async () => {
  // No renewal comes between.
  const own = node({ leaseMs: 3_600_000 });
  const other = node();
  const lock = await own.locks.acquire('name');
  await expire(own, 'name');
  let acquiring: Promise<Lock> | undefined;
  await own.database.transaction(async (query) => {
    await requireFence(query, lock);
    acquiring ??= other.locks.acquire('name');
    const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await eventually(async () => expect(await own.query(waits)).toHaveLength(1));
    await query('INSERT INTO history (name, token) VALUES ($1, $2)', [lock.name, lock.token]);
  });
  const next = await acquiring;
  expect(next?.token).toBe(lock.token + 1);
  expect(await tokensWritten(other, 'name')).toEqual([lock.token]);
  await expect(own.database.transaction((query) => requireFence(query, lock))).rejects.toMatchObject({
    code: 'STORAGE_LOCK_LOST',
  });
});

it('an acquisition that runs a second time, late, changes nothing', async () => {
  const own = node();
  const sent: [string, readonly unknown[]][] = [];
  const recording: Query = (text, values = []) => {
    sent.push([text, values]);
    return own.query(text, values);
  };
  const locks = createPostgresLocks({ query: recording, newId });
  opened.push(locks);
  const lock = await locks.acquire('name');
  const [text, values] = sent[0] as [string, readonly unknown[]];
  expect(await own.query(text, values)).toEqual([{ token: lock.token }]);
  expect(await own.write(lock)).toBe(true);
  await lock.release();
  const next = await node().locks.acquire('name');
  expect(await own.query(text, values)).toEqual([]);
  expect(next.token).toBe(lock.token + 1);
});

it('writes under an acquisition that a crash of the database took back are refused, also after the next one', async () => {
  const [own, other] = [node(), node()];
  const owner = openDatabase({ url: database.ownerUrl });
  opened.push(owner);
  const lock = await own.locks.acquire('name', { soon: true });
  expect(await own.write(lock)).toBe(true);
  await owner.query('DELETE FROM lainclaw.leases');
  expect(await own.write(lock)).toBe(false);
  const next = await other.locks.acquire('name', { soon: true });
  expect(next.token).not.toBe(lock.token);
  expect(await own.write(lock)).toBe(false);
  expect(await other.write(next)).toBe(true);
});

describe('without asking the database', () => {
  it('a holder knows that it holds the lock, for as long as the lease lasts by every clock', async () => {
    let sleptMs = 0;
    const { locks } = node({ leaseMs: 60_000, now: () => Date.now() + sleptMs });
    const before = performance.now();
    const lock = await locks.acquire('name');
    const held = performance.now();
    expect(locks.isHeldSince(lock)).toBe(true);
    expect(locks.isHeldSince(lock, held)).toBe(true);
    expect(locks.isHeldSince(lock, before)).toBe(false);
    expect(locks.isHeldSince({ ...lock, token: lock.token + 1 })).toBe(false);
    sleptMs = 50_000;
    expect(locks.isHeldSince(lock)).toBe(false);
    expect(await locks.holds(lock)).toBe(true);
    sleptMs = 0;
    await lock.release();
    expect(locks.isHeldSince(lock)).toBe(false);
  });

  it('a renewal that came after the end of the lease begins a new time', async () => {
    const own = openDatabase({ url: database.url });
    let delay = Promise.resolve();
    const renewalQuery: Query = async (text, values) => {
      await delay;
      return own.query(text, values);
    };
    const locks = createPostgresLocks({ query: renewalQuery, newId, leaseMs: 400 });
    opened.push(own, locks);
    const lock = await locks.acquire('name');
    const since = performance.now();
    expect(locks.isHeldSince(lock, since)).toBe(true);
    const { promise, resolve } = Promise.withResolvers<void>();
    delay = promise;
    await eventually(() => expect(locks.isHeldSince(lock)).toBe(false));
    resolve();
    await eventually(() => expect(locks.isHeldSince(lock, performance.now())).toBe(true));
    expect(locks.isHeldSince(lock, since)).toBe(false);
  });
});

it('waiting for a lasting lock costs few statements, and ends at once with its release', async () => {
  const holder = node();
  const held = await holder.locks.acquire('bot', { isLasting: true });
  const listeners = new Set<() => void>();
  let statements = 0;
  const own = openDatabase({ url: database.url, connections: 2 });
  const query: Query = (text, values) => {
    statements += 1;
    return own.query(text, values);
  };
  const onReleased = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const locks = createPostgresLocks({ query, newId, onReleased });
  opened.push(own, locks);
  const waiting = locks.acquire('bot', { isLasting: true });
  await eventually(() => expect(statements).toBeGreaterThan(2));
  const startedAt = performance.now();
  const before = statements;
  await eventually(() => expect(statements - before).toBeGreaterThanOrEqual(4));
  // One look a second, where a lock that is soon free is looked for every 150 ms.
  expect(performance.now() - startedAt).toBeGreaterThan(1_500);
  await held.release();
  for (const listener of listeners) listener();
  expect((await waiting).token).toBe(2);
  expect(listeners.size).toBe(0);
});

it('a lasting lock is acquired when its holder is gone', async () => {
  const holder = node({ leaseMs: 500 });
  await holder.locks.acquire('bot', { isLasting: true });
  const waiting = node().locks.acquire('bot', { isLasting: true });
  await holder.database.close();
  expect((await waiting).token).toBe(2);
});

it('tells whether a lock is held for so much longer', async () => {
  const { locks } = node();
  const held = await locks.acquire('bot');
  expect([await locks.holds(held), await locks.holds(held, 500), await locks.holds(held, 60_000)]).toEqual([
    true,
    true,
    false,
  ]);
});
