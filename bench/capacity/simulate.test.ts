import { expect, it } from 'vitest';
import { logNormal, seededRandom, tenantDatabases } from './random.ts';
import { quantile, simulate, type Work } from './simulate.ts';

const DATABASE_ONLY: Work = {
  turnsPerSecond: 100,
  nextDatabase: () => 0,
  modelCalls: 1,
  nextModelSeconds: () => 0,
  gatewaySeconds: { turn: 0, furtherCall: 0 },
  databaseSeconds: { turn: 0.035, furtherCall: 0 },
};

/** Erlang's formula: the share of those who wait, at so much offered work for so many servers. */
function erlangC(offered: number, servers: number): number {
  let term = 1;
  let sum = 1;
  for (let each = 1; each < servers; each += 1) {
    term *= offered / each;
    sum += term;
  }
  const last = ((term * offered) / servers) * (servers / (servers - offered));
  return last / (sum + last);
}

it('waits as long as the theory of queues says, where the theory has a formula', () => {
  const installation = { gateways: 1, turnsAtOnce: 1e9, databases: 1, databaseCores: 4 };
  const result = simulate(installation, DATABASE_ONLY, {
    random: seededRandom(1),
    seconds: 3_000,
    warmUp: 100,
    after: 0,
  });
  const mean = result.added.reduce((sum, seconds) => sum + seconds, 0) / result.added.length;
  const offered = 100 * 0.035;
  const expected = 0.035 + (erlangC(offered, 4) * 0.035) / (4 - offered);
  expect(mean / expected).toBeGreaterThan(0.95);
  expect(mean / expected).toBeLessThan(1.05);
  expect(result.databaseBusy).toBeCloseTo(offered / 4, 2);
  expect(result.isOverloaded).toBe(false);
});

it('says so when more turns come than the installation can run', () => {
  const installation = { gateways: 1, turnsAtOnce: 1e9, databases: 1, databaseCores: 3 };
  const result = simulate(installation, DATABASE_ONLY, { random: seededRandom(2), seconds: 600, warmUp: 10, after: 0 });
  expect(result.isOverloaded).toBe(true);
  expect(result.databaseBusy).toBeGreaterThan(0.99);
});

it('a gateway without a free place lets turns wait although nothing else is busy', () => {
  const work: Work = {
    ...DATABASE_ONLY,
    turnsPerSecond: 8,
    nextModelSeconds: () => 1,
    databaseSeconds: { turn: 0, furtherCall: 0 },
  };
  const added = (turnsAtOnce: number): number => {
    const installation = { gateways: 1, turnsAtOnce, databases: 1, databaseCores: 1 };
    return quantile(
      simulate(installation, work, { random: seededRandom(3), seconds: 600, warmUp: 50, after: 0 }).added,
      0.95,
    );
  };
  expect(added(100)).toBe(0);
  expect(added(9)).toBeGreaterThan(0.5);
});

it('draws what it says it draws', () => {
  const random = seededRandom(4);
  const seconds = Float64Array.from({ length: 50_000 }, logNormal({ half: 3, most: 12 }, random)).sort();
  expect(quantile(seconds, 0.5)).toBeCloseTo(3, 0);
  expect(quantile(seconds, 0.95) / 12).toBeCloseTo(1, 1);
  const next = tenantDatabases(1_000, 4, random);
  const shares = new Map<number, number>();
  for (let turn = 0; turn < 40_000; turn += 1) {
    const database = next();
    shares.set(database, (shares.get(database) ?? 0) + 1);
  }
  expect([...shares.keys()].sort()).toEqual([0, 1, 2, 3]);
  expect(Math.max(...shares.values())).toBeGreaterThan(11_000);
});
