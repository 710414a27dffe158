import type { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startCutProxy } from '../../../test/support/cut-proxy.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { openDatabase } from './connect.ts';
import type { PostgresDatabase } from './database.ts';
import { createSignals, type Signals, signal } from './signals.ts';

/** No poll in the time of a test. */
const NEVER_MS = 3_600_000;

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

function open({ port = database.port, pollMs = NEVER_MS } = {}): PostgresDatabase & { signals: Signals } {
  const url = new URL(database.url);
  url.port = String(port);
  const own = openDatabase({ url: url.href, queryMs: 1_000 });
  const signals = createSignals({ connect: own.connectApart, pollMs });
  opened.push(own, signals);
  return { ...own, signals };
}

function counter(): { calls: number; listener(): void } {
  const counted = {
    calls: 0,
    listener() {
      counted.calls += 1;
    },
  };
  return counted;
}

/** A listener, once its connection listens; the call that comes with that is not counted. */
async function listening({ signals }: { signals: Signals }): Promise<ReturnType<typeof counter>> {
  const counted = counter();
  signals.on('jobs', counted.listener);
  await eventually(() => expect(signals.isListening).toBe(true));
  counted.calls = 0;
  return counted;
}

it('a signal is heard by every process when its transaction commits, and not before', async () => {
  const [sender, one, two] = [open(), open(), open()];
  const heard = [await listening(one), await listening(two)];
  const others = counter();
  one.signals.on('turns', others.listener);
  await sender.transaction(async (query) => {
    await signal(query, 'jobs');
    // Both connections have answered after it was sent: it would have arrived with that.
    await Promise.all([one, two].map(({ signals }) => signals.query('SELECT 1')));
    expect(heard.map(({ calls }) => calls)).toEqual([0, 0]);
  });
  await eventually(() => expect(heard.map(({ calls }) => calls)).toEqual([1, 1]));
  expect(others.calls).toBe(0);
});

it('a signal of a transaction that was rolled back is never heard', async () => {
  const own = open();
  const heard = await listening(own);
  const undone = own.transaction(async (query) => {
    await signal(query, 'jobs');
    throw new Error('changed my mind');
  });
  await expect(undone).rejects.toThrow('changed my mind');
  await own.signals.query('SELECT 1');
  expect(heard.calls).toBe(0);
});

it('a listener that was removed is not called', async () => {
  const own = open();
  const removed = counter();
  const remove = own.signals.on('jobs', removed.listener);
  const kept = await listening(own);
  removed.calls = 0;
  remove();
  await signal(own.query, 'jobs');
  await eventually(() => expect(kept.calls).toBe(1));
  expect(removed.calls).toBe(0);
});

it('after a lost connection everybody looks, and signals are heard again', async () => {
  const [own, sender] = [open(), open()];
  const heard = await listening(own);
  await sender.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`,
  );
  await eventually(() => expect(heard.calls).toBeGreaterThan(0));
  heard.calls = 0;
  await signal(sender.query, 'jobs');
  await eventually(() => expect(heard.calls).toBeGreaterThan(0));
});

it('a connection that ends late does not end the one after it', async () => {
  const own = open();
  const clients: Client[] = [];
  const signals = createSignals({
    async connect() {
      const client = await own.connectApart();
      clients.push(client);
      return client;
    },
    pollMs: NEVER_MS,
  });
  opened.push(signals);
  await listening({ signals });
  clients[0]?.emit('error', new Error('the first one fails'));
  await eventually(() => expect([clients.length, signals.isListening]).toEqual([2, true]));
  clients[0]?.emit('end');
  expect(signals.isListening).toBe(true);
  await signals.query('SELECT 1');
  expect(clients).toHaveLength(2);
});

it('without any signal everybody looks now and then, also while the connection is cut', async () => {
  const proxy = await startCutProxy(database.port);
  opened.push(proxy);
  const own = open({ port: proxy.port, pollMs: 20 });
  const heard = await listening(own);
  await eventually(() => expect(heard.calls).toBeGreaterThan(2));
  proxy.cut();
  // A cut connection says nothing: that it is lost shows when no answer comes.
  await eventually(() => expect(own.signals.isListening).toBe(false));
  heard.calls = 0;
  await eventually(() => expect(heard.calls).toBeGreaterThan(2));
  proxy.restore();
  await eventually(() => expect(own.signals.isListening).toBe(true));
});
