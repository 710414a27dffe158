// Two gateways on one database, each with a hub: what one runs is copied to the other, whatever happens to their locks and messages.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { postgresSubject } from '../../../test/support/postgres-subject.ts';
import { createEventQueue, type EventQueue } from '../../lib/event-queue.ts';
import { newId } from '../../lib/new-id.ts';
import type { AskResult, RunEvent } from '../../pipeline/events.ts';
import type { Cluster } from '../../storage/cluster.ts';
import type { Storage } from '../../storage/storage.ts';
import { openTurnExchange, type TurnExchange } from './turn-exchange.ts';
import { createTurnHub, type TurnHub } from './turn-hub.ts';

const TEXT: RunEvent = { type: 'text-delta', text: 'Hello' };
const END: RunEvent = { type: 'run-end', result: { success: true, stage: 'answered', result: 'done' } as AskResult };

interface Node {
  hub: TurnHub;
  storage: Storage;
  /** The lock that names this gateway. */
  lock: string;
  exchange: TurnExchange;
  warnings: string[];
}

let subject: Awaited<ReturnType<typeof postgresSubject>>;
let opened: Storage[];
beforeEach(async () => {
  subject = await postgresSubject();
  opened = [];
});
afterEach(async () => {
  for (const storage of opened.reverse()) await storage.close();
  await subject.remove();
});

async function gateway(
  change: (exchange: Cluster['exchange']) => Partial<Cluster['exchange']> = () => ({}),
): Promise<Node> {
  const storage = subject.open();
  opened.push(storage);
  const { cluster, locks } = storage;
  if (!cluster) throw new Error('the storage is not shared');
  const hub = createTurnHub({ now: Date.now, newId });
  const warnings: string[] = [];
  let lock = '';
  const exchange = await openTurnExchange({
    hub,
    cluster: { on: cluster.on, exchange: { ...cluster.exchange, ...change(cluster.exchange) } },
    locks: {
      ...locks,
      acquire(name, options) {
        if (name.startsWith('turns:')) lock = name;
        return locks.acquire(name, options);
      },
    },
    newId,
    now: Date.now,
    warn: (text) => warnings.push(text),
  });
  return { hub, storage, lock, exchange, warnings };
}

/** A turn that a test writes, event by event. */
function start(hub: TurnHub, id: string): EventQueue<RunEvent> {
  const events = createEventQueue<RunEvent>();
  void hub.start({ id, sessionKey: 'main', provider: 'stub', signal: new AbortController().signal, run: () => events });
  events.push(TEXT);
  return events;
}

async function copied(hub: TurnHub, id: string): Promise<string[]> {
  const types: string[] = [];
  for await (const item of hub.read(id)) if ('event' in item) types.push(item.event.type);
  return types;
}

/** Somebody reads everything at this gateway. */
const watch = ({ hub }: Node): (() => void) => hub.watch({ seesElsewhere: true, onEvent() {}, onEnd() {} });

it('a turn that ends when its gateway stops has ended well on the other', async () => {
  const [one, two] = [await gateway(), await gateway()];
  watch(two);
  const events = start(one.hub, 'turn-1');
  await eventually(() => expect(two.hub.turn('turn-1')).toMatchObject({ state: 'running', lastNumber: 1 }));
  events.push(END);
  events.close();
  await eventually(() => expect(one.hub.turn('turn-1')).toMatchObject({ state: 'ended' }));
  await one.exchange.close();
  await eventually(() => expect(two.hub.turn('turn-1')).toMatchObject({ state: 'ended' }));
  expect(two.hub.turn('turn-1')).toMatchObject({ stage: 'answered', lastNumber: 2 });
  expect(await copied(two.hub, 'turn-1')).toEqual(['text-delta', 'run-end']);
  await two.exchange.close();
});

it('the copy of a turn survives that all locks ended while the database did not answer', async () => {
  const gone: string[][] = [];
  const two = await gateway((exchange) => ({
    async gone(names) {
      // The first look comes before the other gateway could renew its lock.
      if (gone.length === 0) await subject.breakLock(names[0] ?? '');
      const found = gone.length === 0 ? [...names] : await exchange.gone(names);
      gone.push(found);
      return found;
    },
  }));
  const one = await gateway();
  start(one.hub, 'turn-1');
  await eventually(() => expect(gone.filter((names) => names.length === 0).length).toBeGreaterThan(1));
  expect(gone[0]).toEqual([one.lock]);
  expect(two.hub.turn('turn-1')).toMatchObject({ state: 'running' });
  for (const { exchange } of [one, two]) await exchange.close();
});

it('a gateway that was lost and comes back is seen with its turns, whole', async () => {
  let isLost = true;
  const two = await gateway((exchange) => ({
    gone: async (names) => (isLost ? [...names] : exchange.gone(names)),
    read: async (reader, after) => (isLost && after.size > 0 ? [] : exchange.read(reader, after)),
  }));
  const one = await gateway();
  watch(two);
  const events = start(one.hub, 'turn-1');
  await eventually(() => expect(two.hub.turn('turn-1')).toMatchObject({ state: 'ended' }));
  isLost = false;
  await eventually(() => expect(two.hub.turn('turn-1')).toMatchObject({ state: 'running', lastNumber: 1 }));
  events.push(END);
  events.close();
  await eventually(() => expect(two.hub.turn('turn-1')).toMatchObject({ state: 'ended', stage: 'answered' }));
  expect(await copied(two.hub, 'turn-1')).toEqual(['text-delta', 'run-end']);
  for (const { exchange } of [one, two]) await exchange.close();
});

it('a message to another gateway arrives once: written twice, and read again when it could not be removed', async () => {
  let removals = 0;
  const one = await gateway((exchange) => ({
    async remove(name, numbers) {
      removals += 1;
      if (removals === 1) throw new Error('the database is away');
      await exchange.remove(name, numbers);
    },
  }));
  let posts = 0;
  const two = await gateway((exchange) => ({
    async post(name, text) {
      await exchange.post(name, text);
      posts += 1;
      if (posts === 1) throw new Error('no answer came in time');
    },
  }));
  const written: unknown[] = [];
  one.hub.onWritten((message) => written.push(message));
  start(one.hub, 'turn-1');
  await eventually(() => expect(two.hub.turn('turn-1')).toBeDefined());
  await two.hub.write('turn-1', { text: 'next' });
  await eventually(() => expect(removals).toBeGreaterThan(1));
  await eventually(async () => expect(await one.storage.cluster?.exchange.messages(one.lock)).toEqual([]));
  expect(posts).toBe(2);
  expect(written).toEqual([{ text: 'next' }]);
  for (const { exchange } of [one, two]) await exchange.close();
});

it('sends events again, with more, when the database did not say whether it has them, and copies them once', async () => {
  let tells = 0;
  const one = await gateway((exchange) => ({
    async tell(name, told) {
      await exchange.tell(name, told);
      if (!told.some(({ text }) => text.includes('Hello'))) return;
      tells += 1;
      if (tells > 1) return;
      events?.push({ type: 'text-delta', text: ' again' });
      throw new Error('no answer came in time');
    },
  }));
  const two = await gateway();
  watch(two);
  const events = start(one.hub, 'turn-1');
  await eventually(() => expect(two.hub.turn('turn-1')).toMatchObject({ lastNumber: 2 }));
  events.push(END);
  events.close();
  await eventually(() => expect(two.hub.turn('turn-1')).toMatchObject({ state: 'ended', stage: 'answered' }));
  expect(await copied(two.hub, 'turn-1')).toEqual(await copied(one.hub, 'turn-1'));
  expect(tells).toBe(2);
  for (const { exchange } of [one, two]) await exchange.close();
});

it('says once, and not with each try, that the other gateways learn of no turns', async () => {
  let tries = 0;
  let isAway = true;
  const one = await gateway((exchange) => ({
    async tell(name, told) {
      tries += 1;
      if (isAway) throw new Error('the database is away');
      await exchange.tell(name, told);
    },
  }));
  const two = await gateway();
  const first = start(one.hub, 'turn-1');
  await eventually(() => expect(tries).toBeGreaterThan(3));
  expect(one.warnings).toEqual([expect.stringContaining('the database is away')]);
  isAway = false;
  await eventually(() => expect(two.hub.turn('turn-1')).toBeDefined());
  isAway = true;
  first.push(END);
  first.close();
  await eventually(() => expect(one.warnings).toHaveLength(2));
  isAway = false;
  for (const { exchange } of [one, two]) await exchange.close();
});

it('a message that cannot be stored for the other gateway is reported to its writer', async () => {
  const one = await gateway();
  const two = await gateway(() => ({
    post: async () => {
      throw new Error('the database is away');
    },
  }));
  start(one.hub, 'turn-1');
  await eventually(() => expect(two.hub.turn('turn-1')).toBeDefined());
  await expect(two.hub.write('turn-1', { text: 'next' })).rejects.toThrow('the database is away');
  expect(two.warnings).toEqual([expect.stringContaining('the database is away')]);
  for (const { exchange } of [one, two]) await exchange.close();
});

it('a gateway that is read for the first time sends its turns in statements of a bounded size', async () => {
  const sizes: number[] = [];
  const one = await gateway((exchange) => ({
    async tell(name, told) {
      sizes.push(told.reduce((sum, { text }) => sum + text.length, 0));
      await exchange.tell(name, told);
    },
  }));
  const text = 'x'.repeat(1024 * 1024);
  for (let number = 1; number <= 3; number += 1) {
    const events = start(one.hub, `turn-${number}`);
    for (let part = 0; part < 3; part += 1) events.push({ type: 'text-delta', text });
  }
  const two = await gateway();
  await eventually(() => expect(two.hub.turns()).toHaveLength(3));
  watch(two);
  await eventually(() => expect(two.hub.turns().map(({ lastNumber }) => lastNumber)).toEqual([4, 4, 4]));
  expect(Math.max(...sizes)).toBeLessThan(8 * 1024 * 1024);
  for (const { exchange } of [one, two]) await exchange.close();
});
