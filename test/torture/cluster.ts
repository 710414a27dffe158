// Gateways that share one PostgreSQL, under load, while something breaks again and again: a gateway is killed, the database is restarted or frozen, the network
// between a gateway and the database is cut or its connections are reset. Every message must be answered once and in the order of its
// chat, every slot of a job must fire once, and the history must show one writer at a time in each conversation.
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/storage/postgres/connect.ts';
import type { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { asDelivered } from '../support/as-delivered.ts';
import { type CutProxy, startCutProxy } from '../support/cut-proxy.ts';
import { eventually } from '../support/eventually.ts';
import { judged, writtenLines } from '../support/gateway-kills.ts';
import { APP, type Cluster, databaseUrl, startCluster, TEMPLATE } from '../support/postgres-cluster.ts';
import { createSharedGateways, type Machine, type SharedGateways } from '../support/shared-gateways.ts';
import { structureProblems } from '../support/transcript-rules.ts';

export const FAULTS = ['kill', 'restart', 'freeze', 'cut', 'reset'] as const;
export type Fault = (typeof FAULTS)[number];

export interface BrokenCluster {
  /** How often each happens. */
  faults: Partial<Record<Fault, number>>;
  random(): number;
  chats: number;
  /** Longer is a problem. On a machine that runs other tests it means nothing. */
  mostTakeoverMs?: number;
}

const GATEWAYS = 3;
const JOB = 'tick';
const SLOT_MS = 5_000;
/** Below the time after which a holder gives its locks up, so some turns continue and others are taken over. */
const LONGEST_FAULT_MS = 6_000;
const LONGEST_PAUSE_MS = 500;
const PATIENCE_MS = 180_000;
const LEAST_RUNS = 2;

export async function breakCluster({
  faults,
  random,
  chats,
  mostTakeoverMs = Number.POSITIVE_INFINITY,
}: BrokenCluster): Promise<{ line: string; problems: string[] }> {
  const order = shuffled(
    FAULTS.flatMap((fault) => Array.from({ length: faults[fault] ?? 0 }, () => fault)),
    random,
  );
  const server = await startCluster({ withTemplate: true });
  const proxies = await Promise.all(Array.from({ length: GATEWAYS }, () => startCutProxy(server.port)));
  const database = openDatabase({ url: databaseUrl(server.port, APP, TEMPLATE), waitMs: 60_000 });
  const shared = createSharedGateways({
    url: (index) => databaseUrl(proxies[index]?.port ?? 0, APP, TEMPLATE),
    count: GATEWAYS,
  });
  try {
    for (const machine of shared.machines) await machine.start();
    await shared.machines[0]?.run(
      'schedule',
      'add',
      JOB,
      '--cron',
      '*/5 * * * * *',
      '--message',
      'tick',
      '--misfire',
      'all',
    );
    const lines = writtenLines(chats, order.length + 1);
    const takeovers: number[] = [];
    for (const [index, fault] of order.entries()) {
      shared.write(lines.slice(index * chats, (index + 1) * chats));
      await sleep(random() * LONGEST_PAUSE_MS);
      const ms = await apply(fault, { server, proxies, shared, random });
      if (ms !== undefined) takeovers.push(ms);
    }
    shared.write(lines.slice(order.length * chats));
    await eventually(() => {
      if (shared.answered() < lines.length) throw new Error('not yet');
    }, PATIENCE_MS).catch(() => {});
    await endJob(shared, database);
    const { lost, repeated, outOfOrder, handledOnce } = judged(lines, asDelivered(shared.outbox()), order.length);
    const slots = await slotProblems(database);
    const slowest = Math.max(0, ...takeovers);
    return {
      line: `${order.length} faults (${counted(order)}), ${lines.length} messages, ${handledOnce} of them answered once, ${slots.fired} slots, taken over after at most ${(slowest / 1_000).toFixed(1)} s`,
      problems: [
        ...lost.map((id) => `${id} is lost`),
        ...repeated.map((id) => `${id} was answered twice`),
        ...outOfOrder.map((told) => `answered in another order: ${told}`),
        ...slots.problems,
        ...(await writerProblems(database)),
        ...takeovers
          .filter((ms) => ms > mostTakeoverMs)
          .map((ms) => `a bot was taken over after ${(ms / 1_000).toFixed(1)} s`),
      ],
    };
  } finally {
    await shared.remove();
    await database.close();
    for (const proxy of proxies) await proxy.close();
    await server.stop();
  }
}

/** A turn of the job that runs while the history is read would look like one that never ended. So would one that a fault ended, until the next one begins. */
async function endJob({ machines }: SharedGateways, { query }: PostgresDatabase): Promise<void> {
  const untilLastIs = (isMeant: (status: string | undefined) => boolean) =>
    eventually(async () => {
      const [last] = await query<{ status: string }>(
        'SELECT status FROM lainclaw.schedule_runs ORDER BY id DESC LIMIT 1',
      );
      if (!isMeant(last?.status)) throw new Error(`the last run of the job is ${last?.status}`);
    });
  await eventually(async () => {
    const [runs] = await query<{ count: number }>('SELECT count(*)::int AS count FROM lainclaw.schedule_runs');
    if ((runs?.count ?? 0) < LEAST_RUNS) throw new Error(`the job fired ${runs?.count} times`);
  });
  await untilLastIs((status) => status === 'ok');
  await machines[0]?.run('schedule', 'pause', JOB);
  await untilLastIs((status) => status !== 'queued' && status !== 'running');
}

interface Parts {
  server: Cluster;
  proxies: readonly CutProxy[];
  shared: SharedGateways;
  random(): number;
}

/** Resolves when everything is whole again; with the time until the bot was taken over, where its gateway was killed. */
async function apply(fault: Fault, { server, proxies, shared, random }: Parts): Promise<number | undefined> {
  const at = Math.floor(random() * GATEWAYS);
  const lastsMs = 500 + random() * LONGEST_FAULT_MS;
  switch (fault) {
    case 'kill':
      // Every second one is the gateway that runs the bot, when there is one now.
      return killMachine((random() < 0.5 && (await runsBot(shared))) || (shared.machines[at] as Machine), shared);
    case 'restart':
      // Half of them as a crash: what was not synced is lost.
      await server.restart(random() < 0.5 ? 'SIGINT' : 'SIGQUIT');
      return undefined;
    case 'freeze':
      server.freeze();
      await sleep(lastsMs);
      server.resume();
      return undefined;
    case 'cut':
      proxies[at]?.cut();
      await sleep(lastsMs);
      proxies[at]?.restore();
      return undefined;
    case 'reset':
      proxies[at]?.reset();
      return undefined;
  }
}

async function runsBot({ machines }: SharedGateways): Promise<Machine | undefined> {
  const states = await Promise.all(machines.map((machine) => machine.stateOfBot().catch(() => undefined)));
  return machines[states.indexOf('connected')];
}

async function killMachine(machine: Machine, { machines }: SharedGateways): Promise<number | undefined> {
  const hadBot = (await machine.stateOfBot().catch(() => undefined)) === 'connected';
  const killedAt = performance.now();
  await machine.end('SIGKILL');
  let ms: number | undefined;
  if (hadBot) {
    await eventually(async () => {
      const states = await Promise.all(machines.map((each) => each.stateOfBot().catch(() => undefined)));
      if (!states.includes('connected')) throw new Error('no gateway runs the bot');
    });
    ms = performance.now() - killedAt;
  }
  await machine.start();
  return ms;
}

/** Each slot between the first and the last has one run, which asked at most once. */
async function slotProblems(database: PostgresDatabase): Promise<{ fired: number; problems: string[] }> {
  const { query } = database;
  const runs = await eventually(async () => {
    const found = await query<{ slot: number; last: number | null }>(
      `SELECT run.slot, run.last_slot AS last FROM lainclaw.schedule_runs AS run
       JOIN lainclaw.schedule_jobs AS job ON job.id = run.job_id WHERE job.name = $1 AND run.slot IS NOT NULL ORDER BY run.slot`,
      [JOB],
    );
    if (found.length < LEAST_RUNS) throw new Error(`the job fired ${found.length} times`);
    return found;
  });
  const problems: string[] = [];
  let next: number | undefined;
  let fired = 0;
  for (const { slot, last } of runs) {
    if (next !== undefined && slot > next) problems.push(`slots from ${next} to ${slot} are missing`);
    if (next !== undefined && slot < next) problems.push(`slot ${slot} fired twice`);
    next = (last ?? slot) + SLOT_MS;
    fired += ((last ?? slot) - slot) / SLOT_MS + 1;
  }
  const [asked] = await query<{ turns: number }>(
    `SELECT count(*) AS turns FROM lainclaw.transcript_lines AS line
     JOIN lainclaw.sessions AS session USING (session_id)
     WHERE session.session_key LIKE '%' || $1 || '%' AND line.json LIKE '{"type":"turn-start"%'`,
    [JOB],
  );
  if ((asked?.turns ?? 0) > runs.length) problems.push(`${asked?.turns} turns for ${runs.length} runs of the job`);
  return { fired, problems };
}

/** The lines of each conversation are whole turns, one after the other: two writers would have mixed theirs, or left a gap in the numbers. */
async function writerProblems({ query }: PostgresDatabase): Promise<string[]> {
  const rows = await query<{ id: string; number: number; json: string }>(
    'SELECT session_id AS id, number, json FROM lainclaw.transcript_lines ORDER BY session_id, number',
  );
  return [...Map.groupBy(rows, ({ id }) => id)].flatMap(([id, lines]) => [
    ...lines.flatMap(({ number }, index) =>
      number === index + 1 ? [] : [`${id}: line ${number} in place ${index + 1}`],
    ),
    ...structureProblems(lines.map(({ json }) => JSON.parse(json))).map((problem) => `${id}: ${problem}`),
  ]);
}

function counted(faults: readonly Fault[]): string {
  return [...Map.groupBy(faults, (fault) => fault)].map(([fault, all]) => `${fault} ${all.length}`).join(', ');
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}
