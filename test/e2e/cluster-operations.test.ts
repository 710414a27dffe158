// Several gateways in operation: keys that differ, a database that takes no writes, a restart of one after the other under
// load, and tables that a later version changes meanwhile.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { KNOWN_VERSION } from '../../src/storage/postgres/migrations.ts';
import { eventually } from '../support/eventually.ts';
import { judged, writtenLines } from '../support/gateway-kills.ts';
import { runBinary } from '../support/lainclaw.ts';
import type { OutboxLine } from '../support/local-gateway.ts';
import { type TestDatabase, testDatabase } from '../support/postgres.ts';
import { superuser } from '../support/postgres-cluster.ts';
import { createSharedGateways, type Machine, type SharedGateways } from '../support/shared-gateways.ts';
import { testHome } from '../support/test-home.ts';

const FAULTLESS = { lost: [], repeated: [], outOfOrder: [] };

let database: TestDatabase;
let shared: SharedGateways;
beforeEach(async () => {
  database = await testDatabase();
  shared = createSharedGateways({ url: database.url, count: 3, flags: ['--debounce-ms=0'] });
});
afterEach(async () => {
  await shared.remove();
  await database.drop();
});

/** A gateway that must not start. */
async function refused(key: string): Promise<string> {
  const home = testHome();
  home.config({ provider: 'stub', store: database.url });
  const { code, stdout, stderr } = await runBinary(['gateway', 'start', '--channel=local', '--pairing-policy=open'], {
    home,
    env: { LAINCLAW_STORE_KEY: key, LAINCLAW_LOCAL_FOLDER: home.path },
  });
  expect(code).toBe(1);
  return stdout + stderr;
}

async function takesWrites(isWritable: boolean): Promise<void> {
  const { name, port } = database;
  await superuser(port, async (client) => {
    await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isWritable ? 'off' : 'on'}`);
    // Connections that are open have the setting of their beginning.
    await client.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  });
}

/** As a person sees them: an answer takes the place of the message that showed its progress. */
const seen = (): OutboxLine[] => [
  ...new Map(shared.outbox().map((line): [string, OutboxLine] => [line.messageId, line])).values(),
];
const readiness = (machine: Machine) => machine.call<{ ready: boolean; reason?: string }>('/ready');

it('a gateway with another key than the database does not start, and says what to copy', async () => {
  const [one] = shared.machines as [Machine];
  await one.start();
  const said = await refused('cd'.repeat(32));
  expect(said).toContain('the key of this machine is not the one that');
  expect(said).toContain('store.key');
});

it('a database that is read-only is named: a gateway does not start, and one that runs is not ready until it takes writes', async () => {
  const [one] = shared.machines as [Machine];
  await one.start();
  expect(await readiness(one)).toEqual({ ready: true });
  await takesWrites(false);
  await eventually(async () =>
    expect(await readiness(one)).toMatchObject({ ready: false, reason: expect.stringContaining('is read-only') }),
  );
  expect(await refused('ab'.repeat(32))).toContain('read-only');
  await takesWrites(true);
  await eventually(async () => expect(await readiness(one)).toEqual({ ready: true }));
  shared.write(writtenLines(1, 1));
  await eventually(() => expect(shared.answered()).toBe(1));
});

it('each gateway is restarted after the other while messages arrive: none is lost, repeated or out of order', async () => {
  for (const machine of shared.machines) await machine.start();
  const lines = writtenLines(6, 8);
  const parts = shared.machines.length * 2;
  const size = Math.ceil(lines.length / parts);
  let part = 0;
  const writeSome = (): void => {
    shared.write(lines.slice(part * size, (part + 1) * size));
    part += 1;
  };
  for (const machine of shared.machines) {
    writeSome();
    await machine.end('SIGTERM');
    writeSome();
    await machine.start();
  }
  await eventually(() => expect(shared.answered()).toBe(lines.length));
  expect(judged(lines, seen(), 0)).toMatchObject({ ...FAULTLESS, handledOnce: lines.length });
});

/** As a later version does; `oldestProgram` says which programs can run beside it. */
async function laterStep(number: number, oldestProgram: number): Promise<void> {
  await superuser(
    database.port,
    async (client) => {
      await client.query('BEGIN');
      for (const table of ['inbox', 'outbox', 'sessions', 'transcripts'])
        await client.query(`ALTER TABLE lainclaw.${table} ADD COLUMN later_${number} text`);
      const row = [number, 'later', oldestProgram];
      await client.query('INSERT INTO lainclaw.migrations (number, name, oldest_program) VALUES ($1, $2, $3)', row);
      await client.query('COMMIT');
    },
    database.name,
  );
}

it('tables that a later version extends are used without a restart; those that exclude this version make its gateways unready', async () => {
  const [one, two] = shared.machines as [Machine, Machine];
  for (const machine of [one, two]) await machine.start();
  const lines = writtenLines(4, 4);
  shared.write(lines.slice(0, 8));
  await eventually(() => expect(shared.answered()).toBeGreaterThan(0));
  await laterStep(KNOWN_VERSION + 1, KNOWN_VERSION);
  shared.write(lines.slice(8));
  await eventually(() => expect(shared.answered()).toBe(lines.length));
  expect(judged(lines, seen(), 0)).toMatchObject({ ...FAULTLESS, handledOnce: lines.length });
  expect(await readiness(one)).toEqual({ ready: true });
  await laterStep(KNOWN_VERSION + 2, KNOWN_VERSION + 2);
  for (const machine of [one, two])
    await eventually(async () =>
      expect(await readiness(machine)).toMatchObject({ ready: false, reason: expect.stringContaining('newer') }),
    );
});
