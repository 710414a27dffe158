// The scheduler's figures: a year against an oracle, and ten thousand jobs in real time.
import { existsSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSchedule } from '../src/schedule/open-schedule.ts';
import { createLocalStorage } from '../src/storage/local/local-storage.ts';
import type { Bench, Figure, Scale } from './bench.ts';
import { median } from './bench.ts';
import { withTemporaryHome } from './commands.ts';
import { simulateYear } from './schedule-year.ts';

export const schedule: Bench = {
  name: 'schedule',
  async run(scale) {
    return [...(await year(scale)), ...(await many(scale)), ...(await oneSecond(scale))];
  },
};

async function year(scale: Scale): Promise<Figure[]> {
  const size = scale === 'full' ? { days: 366, restarts: 200, seed: 7 } : { days: 20, restarts: 12, seed: 7 };
  const result = await inMemory((home) => simulateYear(home, size));
  const { slots, fired, interrupted, restarts } = result;
  const detail = `${slots} slots, ${fired} runs, ${interrupted} of them cut short, ${restarts} restarts`;
  return [
    {
      name: 'a year: not as the policy says',
      value: result.missed + result.unexpected,
      unit: 'slots',
      limit: 0,
      detail,
    },
    { name: 'a year: run twice', value: result.doubled, unit: 'slots', limit: 0, detail },
  ];
}

/** What is checked is the logic, not the disk: a year of syncs takes hours. */
async function inMemory<T>(use: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'lainclaw-bench-'));
  try {
    return await use(home);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

type Opened = ReturnType<typeof openSchedule> & { close(): void };

async function opened(home: string, now: () => number = Date.now): Promise<Opened> {
  const storage = createLocalStorage({ home, now });
  const scheduling = openSchedule({
    jobs: await storage.jobs(),
    locks: storage.locks,
    now,
    systemTimezone: () => 'UTC',
    channels: [],
  });
  return { ...scheduling, close: () => storage.close() };
}

/** Resolves with how long `start` took; calls back with the lag of each firing. */
async function started(home: string, onFire: (name: string, lagMs: number) => void) {
  const { scheduler, close } = await opened(home);
  const ended = new AbortController();
  const running = scheduler({
    concurrency: 1_000,
    fire: async (job, slot) => {
      onFire(job.name, Date.now() - (slot ?? 0));
      return { ok: true, answer: '' };
    },
    deliver: async () => 'later',
    log: console.error,
  });
  const before = performance.now();
  await running.start(ended.signal);
  const startMs = performance.now() - before;
  return {
    startMs,
    async stop() {
      await running.stop();
      close();
    },
  };
}

async function many(scale: Scale): Promise<Figure[]> {
  const count = scale === 'full' ? 10_000 : 200;
  const seconds = scale === 'full' ? 30 : 2;
  const startOfNone = (): Promise<number> =>
    withTemporaryHome(async (home) => {
      // As with ten thousand, the database is there.
      const { schedule: none, close } = await opened(home);
      await none.list();
      close();
      const { startMs, stop } = await started(home, () => {});
      await stop();
      return startMs;
    });
  // The first one also loads and compiles.
  await startOfNone();
  const empty = await startOfNone();
  return withTemporaryHome(async (home) => {
    // Each once a minute, evenly over the minute, the first of them when all are added.
    const first = Date.now() + (scale === 'full' ? 30_000 : 3_000);
    let clock = 0;
    const { schedule: jobs, close } = await opened(home, () => clock);
    const add = (index: number): Promise<unknown> => {
      clock = first - 60_000 + Math.floor((index * 60_000) / count);
      return jobs.add({ name: `job-${index}`, cron: 'every 60s', message: 'm' }, 'cli', { kind: 'nobody' });
    };
    for (let index = 0; index < count; index += 500)
      await Promise.all(Array.from({ length: Math.min(500, count - index) }, (_, offset) => add(index + offset)));
    const adding: number[] = [];
    const syncing: number[] = [];
    const floor = openSync(join(home, 'floor'), 'w');
    for (let extra = 0; extra < 41; extra += 1) {
      adding.push(await timed(() => add(count + extra)));
      syncing.push(
        await timed(async () => {
          writeSync(floor, Buffer.alloc(8_192));
          fdatasyncSync(floor);
        }),
      );
    }
    close();
    const lags: number[] = [];
    const { startMs, stop } = await started(home, (_, lag) => lags.push(lag));
    await new Promise((resolve) => setTimeout(resolve, first - Date.now() + seconds * 1_000));
    await stop();
    const plain = await plainTimerLag(seconds);
    const sorted = lags.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
    return [
      {
        name: `lag with ${count} jobs, p99`,
        value: at(0.99),
        unit: 'ms',
        limit: 50,
        detail: `${lags.length} firings in ${seconds} s, median ${at(0.5)} ms, last ${at(1)} ms; here a plain timer has ${plain} ms at p99, a sync ${Math.max(...syncing).toFixed(1)} ms at worst`,
      },
      {
        name: `adding job ${count + 1}, beyond one sync`,
        value: Math.max(0, median(adding) - median(syncing)),
        unit: 'ms',
        limit: 2,
        detail: `median ${median(adding).toFixed(2)} ms, a sync of this disk alone ${median(syncing).toFixed(2)} ms`,
      },
      {
        name: `start with ${count} jobs, over none`,
        value: Math.max(0, startMs - empty),
        unit: 'ms',
        limit: 300,
        detail: `${startMs.toFixed(1)} ms against ${empty.toFixed(1)} ms`,
      },
    ];
  });
}

/** How late timers ring in a process that does nothing else. */
async function plainTimerLag(seconds: number): Promise<number> {
  const lags: number[] = [];
  const end = Date.now() + (seconds * 1_000) / 3;
  while (Date.now() < end) {
    const due = Date.now() + 6;
    await new Promise((resolve) => setTimeout(resolve, 6));
    lags.push(Math.max(0, Date.now() - due));
  }
  return lags.toSorted((a, b) => a - b)[Math.floor((lags.length - 1) * 0.99)] ?? 0;
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await action();
  return performance.now() - before;
}

async function oneSecond(scale: Scale): Promise<Figure[]> {
  const count = scale === 'full' ? 1_000 : 50;
  return withTemporaryHome(async (home) => {
    const { schedule: jobs, close } = await opened(home);
    const moment = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + (scale === 'full' ? 6_000 : 2_000)).toISOString();
    const at = `at ${moment.slice(0, 19)}Z`;
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        jobs.add({ name: `job-${index}`, cron: at, message: 'm' }, 'cli', { kind: 'nobody' }),
      ),
    );
    close();
    const ran = new Map<string, number>();
    let slowest = 0;
    const { stop } = await started(home, (name, lag) => {
      ran.set(name, (ran.get(name) ?? 0) + 1);
      slowest = Math.max(slowest, lag);
    });
    const patience = Date.parse(moment) + 30_000;
    while (ran.size < count && Date.now() < patience) await new Promise((resolve) => setTimeout(resolve, 100));
    await stop();
    const wrong = count - ran.size + [...ran.values()].filter((times) => times > 1).length;
    return [
      {
        name: `${count} jobs in one second`,
        value: wrong,
        unit: 'not run exactly once',
        limit: 0,
        detail: `the last began after ${slowest} ms`,
      },
    ];
  });
}
