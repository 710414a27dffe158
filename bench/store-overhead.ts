// What a turn costs more on PostgreSQL than on the local store: the same messages at the same rate, to a gateway on each, in turns. Besides the time, which
// depends on what else the machine does, it counts what hardly does: statements, and the processor time of gateway and server.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP, databaseUrl, startCluster, TEMPLATE } from '../test/support/postgres-cluster.ts';
import { type Bench, type Figure, median } from './bench.ts';
import { bundleWorker } from './bundle.ts';
import { withTemporaryHome } from './commands.ts';
import { runLasting, startModel } from './processes.ts';

const TURNS_A_SECOND = 100;
const OVERHEAD_MS = 8;
const ROUND_TRIPS = 18;
const PROCESSOR_MS = 8;
/** Of a clock tick of /proc. */
const TICK_MS = 10;

interface Measured {
  times: number[];
  cpuMs: number;
  roundTrips: number;
  statements: Record<string, number>;
}

export const storeOverhead: Bench = {
  name: 'store-overhead',
  run: (scale) =>
    withTemporaryHome(async (home) => {
      const { turns, rounds } = scale === 'full' ? { turns: 500, rounds: 5 } : { turns: 20, rounds: 1 };
      const worker = await bundleWorker('bench/store-overhead-worker.ts', join(home, 'bundle'));
      const server = await startCluster({ withTemplate: true });
      const { baseUrl, stop } = await startModel('zero-latency-model.ts');
      const url = databaseUrl(server.port, APP, TEMPLATE);
      const measure = async (name: string, store: string): Promise<Measured> => {
        const own = join(home, name);
        mkdirSync(own);
        return JSON.parse(await runLasting(worker, own, baseUrl, store, String(TURNS_A_SECOND), String(turns)));
      };
      try {
        const local: Measured[] = [];
        const shared: (Measured & { serverMs: number })[] = [];
        for (let round = 0; round < rounds; round += 1) {
          local.push(await measure(`local-${round}`, ''));
          const before = processorMs(server.process.pid);
          const measured = await measure(`shared-${round}`, url);
          shared.push({ ...measured, serverMs: processorMs(server.process.pid) - before });
        }
        return figuresOf(local, shared, turns);
      } finally {
        stop();
        await server.stop();
      }
    }),
};

function figuresOf(
  local: readonly Measured[],
  shared: readonly (Measured & { serverMs: number })[],
  turns: number,
): Figure[] {
  const name = `a turn, ${TURNS_A_SECOND} a second`;
  const [localP95, sharedP95] = [local, shared].map((runs) =>
    median(runs.map(({ times }) => quantile(times, 0.95))),
  ) as [number, number];
  const [localP50, sharedP50] = [local, shared].map((runs) =>
    median(runs.map(({ times }) => quantile(times, 0.5))),
  ) as [number, number];
  const statements = median(shared.map((run) => Object.values(run.statements).reduce((a, b) => a + b, 0)));
  const roundTrips = median(shared.map((run) => run.roundTrips));
  const cpu = median(shared.map(({ cpuMs, serverMs }) => (cpuMs + serverMs) / turns));
  const localCpu = median(local.map(({ cpuMs }) => cpuMs / turns));
  return [
    {
      name,
      value: sharedP95 - localP95,
      unit: 'ms more at p95',
      limit: OVERHEAD_MS,
      detail: `${sharedP95.toFixed(1)} on PostgreSQL, ${localP95.toFixed(1)} on the local store; p50 ${sharedP50.toFixed(1)} and ${localP50.toFixed(1)}`,
    },
    {
      name,
      value: roundTrips,
      unit: 'round trips',
      limit: ROUND_TRIPS,
      detail: `to the database, from receipt to delivery; ${statements.toFixed(1)} statements`,
    },
    {
      name,
      value: cpu,
      unit: 'ms of processor',
      limit: PROCESSOR_MS,
      detail: `gateway and database; ${localCpu.toFixed(1)} on the local store`,
    },
  ];
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Of a process and its children, those that ended included. */
function processorMs(parent = 0): number {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const stat = readStat(pid);
    if (!stat || (Number(pid) !== parent && stat[1] !== String(parent))) continue;
    // utime, stime; of the parent also those of children that were waited for.
    ticks += Number(stat[11]) + Number(stat[12]);
    if (Number(pid) === parent) ticks += Number(stat[13]) + Number(stat[14]);
  }
  return ticks * TICK_MS;
}

/** The fields after the name, which may contain spaces. */
function readStat(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
