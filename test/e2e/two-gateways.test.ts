// Two gateways on one database: one of them runs the bot, the other takes it over.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { judged, writtenLines } from '../support/gateway-kills.ts';
import { type TestDatabase, testDatabase } from '../support/postgres.ts';
import { createSharedGateways, type Machine, type SharedGateways } from '../support/shared-gateways.ts';

let database: TestDatabase;
let shared: SharedGateways;
beforeEach(async () => {
  database = await testDatabase();
  shared = createSharedGateways({ url: database.url, count: 2 });
});
afterEach(async () => {
  await shared.remove();
  await database.drop();
});

async function started(): Promise<[one: Machine, two: Machine]> {
  const [one, two] = shared.machines as [Machine, Machine];
  await one.start();
  await two.start();
  return [one, two];
}

it('the bot runs in one of them, the other is on standby; killed under load, it is followed, and every message is answered once and in order', async () => {
  const [one, two] = await started();
  expect(await one.stateOfBot()).toBe('connected');
  expect(await two.stateOfBot()).toBe('standby');
  const lines = writtenLines(6, 6);
  shared.write(lines.slice(0, 24));
  await eventually(() => expect(shared.answered()).toBeGreaterThan(3));
  await one.end('SIGKILL');
  shared.write(lines.slice(24));
  await eventually(() => expect(shared.answered()).toBe(lines.length));
  expect(await two.stateOfBot()).toBe('connected');
  const { handledOnce, lost, repeated, outOfOrder } = judged(lines, shared.outbox(), 1);
  expect({ handledOnce, lost, repeated, outOfOrder }).toEqual({
    handledOnce: lines.length,
    lost: [],
    repeated: [],
    outOfOrder: [],
  });
});

it('restarted one after the other, no message is lost', async () => {
  const [one, two] = await started();
  const lines = writtenLines(4, 6);
  shared.write(lines.slice(0, 8));
  await one.end('SIGTERM');
  shared.write(lines.slice(8, 16));
  await one.start();
  await two.end('SIGTERM');
  shared.write(lines.slice(16));
  await eventually(() => expect(shared.answered()).toBe(lines.length));
  expect(await one.stateOfBot()).toBe('connected');
  expect(judged(lines, shared.outbox(), 0)).toMatchObject({ lost: [], repeated: [], outOfOrder: [] });
});
