// `npm run capacity`: what a number of users needs, by simulation with the constants that were measured. Prints the tables of
// docs/scale.md and writes its plots.
import { writeFileSync } from 'node:fs';
import {
  DATABASE_CORES,
  GATEWAY_SECONDS,
  MODEL_CALLS,
  MODEL_SECONDS,
  PEAK,
  TENANTS,
  TRANSACTIONS,
  TRANSACTIONS_PER_CORE,
  TURNS_AT_ONCE,
  TURNS_PER_USER_AND_DAY,
} from './constants.ts';
import { drawPlot, type Plot } from './plot.ts';
import { logNormal, seededRandom, tenantDatabases } from './random.ts';
import { quantile, type Result, simulate } from './simulate.ts';

const USERS = [1_000, 10_000, 100_000, 300_000, 1_000_000, 3_000_000, 6_000_000];
const DATABASES = [1, 2, 4];
const SECONDS_OF_A_DAY = 86_400;
/** Of a gateway's places that are taken at the peak, at most. */
const FULL = 0.7;
const WARM_UP = 40;
const AFTER = 120;
/** As many turns as a run needs for its last percent, whatever the number of users. */
const TURNS = 20_000;

interface Row extends Result {
  users: number;
  databases: number;
  gateways: number;
}

function turnsPerSecond(users: number): number {
  return (users * TURNS_PER_USER_AND_DAY * PEAK) / SECONDS_OF_A_DAY;
}

/** Little's law: turns at once are turns a second, times how long one takes. */
function gatewaysFor(users: number): number {
  const spread = Math.log(MODEL_SECONDS.most / MODEL_SECONDS.half) / 1.6449;
  const modelSeconds = MODEL_SECONDS.half * Math.exp(spread ** 2 / 2) * MODEL_CALLS;
  const places = turnsPerSecond(users) * modelSeconds;
  const threads = turnsPerSecond(users) * GATEWAY_SECONDS * MODEL_CALLS;
  return Math.max(2, Math.ceil(places / (TURNS_AT_ONCE * FULL)), Math.ceil(threads / FULL));
}

function row(users: number, databases: number): Row {
  const random = seededRandom(users * 10 + databases);
  const gateways = gatewaysFor(users);
  const perSecond = turnsPerSecond(users);
  const work = {
    turnsPerSecond: perSecond,
    nextDatabase: tenantDatabases(TENANTS, databases, random),
    modelCalls: MODEL_CALLS,
    nextModelSeconds: logNormal(MODEL_SECONDS, random),
    gatewaySeconds: { turn: GATEWAY_SECONDS, furtherCall: GATEWAY_SECONDS },
    databaseSeconds: {
      turn: TRANSACTIONS.turn / TRANSACTIONS_PER_CORE,
      furtherCall: TRANSACTIONS.furtherCall / TRANSACTIONS_PER_CORE,
    },
  };
  const installation = { gateways, turnsAtOnce: TURNS_AT_ONCE, databases, databaseCores: DATABASE_CORES };
  const seconds = WARM_UP + Math.max(20, TURNS / perSecond);
  return {
    users,
    databases,
    gateways,
    ...simulate(installation, work, { random, seconds, warmUp: WARM_UP, after: AFTER }),
  };
}

function shown(users: number): string {
  return users >= 1e6 ? `${users / 1e6} million` : users.toLocaleString('en-US');
}

function table(rows: readonly Row[]): string {
  const head =
    '| users | turns/s at the peak | gateways | databases | busiest database | added to the model’s time, p50 | p95 | p99 |';
  const lines = rows.map((each) => {
    const milliseconds = [0.5, 0.95, 0.99].map((share) => `${(quantile(each.added, share) * 1000).toFixed(0)} ms`);
    const added = each.isOverloaded ? ['too few databases', '', ''] : milliseconds;
    const busy = `${(each.databaseBusy * 100).toFixed(0)} %`;
    return `| ${[shown(each.users), turnsPerSecond(each.users).toFixed(1), each.gateways, each.databases, busy, ...added].join(' | ')} |`;
  });
  return [head, '|---|---|---|---|---|---|---|---|', ...lines].join('\n');
}

const ticks = (values: readonly number[], text: (value: number) => string): { at: number; text: string }[] =>
  values.map((at) => ({ at, text: text(at) }));

const usersAxis = {
  title: 'users',
  isLogarithmic: true,
  ticks: ticks([1e3, 1e4, 1e5, 1e6, 6e6], (value) => (value >= 1e6 ? `${value / 1e6} M` : `${value / 1e3} k`)),
};

function addedPlot(rows: readonly Row[]): Plot {
  return {
    title: 'What waiting and storing add to the model’s time (95 of 100 turns)',
    x: usersAxis,
    y: {
      title: 'added, ms',
      isLogarithmic: true,
      ticks: ticks([10, 30, 100], String),
    },
    lines: DATABASES.map((databases) => ({
      name: databases === 1 ? 'one database' : `${databases} databases`,
      points: rows
        .filter((each) => each.databases === databases && !each.isOverloaded)
        .map((each) => [each.users, quantile(each.added, 0.95) * 1000] as const),
    })),
  };
}

function neededPlot(rows: readonly Row[]): Plot {
  const one = rows.filter((each) => each.databases === 1);
  const cores = (users: number): number =>
    turnsPerSecond(users) *
    ((TRANSACTIONS.turn + TRANSACTIONS.furtherCall * (MODEL_CALLS - 1)) / TRANSACTIONS_PER_CORE);
  return {
    title: 'What a number of users needs at the peak',
    x: usersAxis,
    y: { title: 'number', isLogarithmic: true, ticks: ticks([0.1, 1, 10, 100, 1_000], String) },
    lines: [
      { name: 'gateways', points: one.map(({ users, gateways }) => [users, gateways] as const) },
      { name: 'busy database cores', points: one.map(({ users }) => [users, cores(users)] as const) },
    ],
  };
}

const rows = USERS.flatMap((users) => DATABASES.map((databases) => row(users, databases)));
writeFileSync('docs/images/scale-added.svg', drawPlot(addedPlot(rows)));
writeFileSync('docs/images/scale-needed.svg', drawPlot(neededPlot(rows)));
const told = rows.filter(({ databases, users }) => databases === 1 || users >= 1_000_000);
process.stdout.write(`${table(told)}\n`);
