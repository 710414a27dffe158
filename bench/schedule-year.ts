// A year of mixed schedules under a simulated clock: the scheduler is killed and started again at random, also in the middle of
// runs. What should have happened to every slot is worked out apart from it: the slots by looking at every minute of the year
// (test/support/slot-oracle.ts), their fate by the written policies (schedule-model.ts).
import { createSchedule } from '../src/schedule/schedule.ts';
import { createScheduler } from '../src/schedule/scheduler.ts';
import { createSlots } from '../src/schedule/timetable.ts';
import type { Jobs, Misfire, PassedOver } from '../src/storage/jobs.ts';
import { createLocalStorage } from '../src/storage/local/local-storage.ts';
import type { Lock } from '../src/storage/locks.ts';
import { seededRandom } from '../test/support/random.ts';
import { createSimulatedClock } from '../test/support/simulated-clock.ts';
import { expectedSlots, wallMinutes } from '../test/support/slot-oracle.ts';
import { expectedFates, type Fates } from './schedule-model.ts';

interface YearJob {
  name: string;
  cron: string;
  timezone: string;
  misfire: Misfire;
  slots: number[];
}

export interface YearResult {
  slots: number;
  fired: number;
  interrupted: number;
  restarts: number;
  /** Slots that should have run and did not, or were not recorded as they should. */
  missed: number;
  doubled: number;
  /** Ran although they should not have. */
  unexpected: number;
}

const GRACE_MS = 15_000;
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Cairo', 'Asia/Kolkata'];
const PATTERNS = ['30 2 * * *', '0 0 * * *', '15 */2 * * 1-5', '59 23 31 * *', '0 12 29 2 *', '20 1,2,3 * * 0,6'];

export async function simulateYear(
  home: string,
  { days, restarts, seed }: { days: number; restarts: number; seed: number },
) {
  const random = seededRandom(seed);
  const begin = Date.parse('2028-01-01T00:00:00.531Z');
  const end = begin + days * 86_400_000;
  const clock = createSimulatedClock(begin);
  const open = () => createLocalStorage({ home, now: clock.now });
  const slotsOf = createSlots();

  const first = open();
  const schedule = createSchedule({
    jobs: await first.jobs(),
    slots: slotsOf,
    now: clock.now,
    systemTimezone: () => 'UTC',
    channels: [],
  });
  const jobs: YearJob[] = planned(begin, end);
  for (const { name, cron, timezone, misfire } of jobs)
    await schedule.add({ name, cron, timezone, misfire, message: 'm' }, 'cli', { kind: 'nobody' });
  await first.close();

  const fired = new Map<string, number[]>(jobs.map(({ name }) => [name, []]));
  const passed = new Map<string, { skipped: number; missed: number }>(
    jobs.map(({ name }) => [name, { skipped: 0, missed: 0 }]),
  );
  const up: [from: number, to: number][] = [];
  for (let left = restarts; left >= 0; left -= 1) {
    // The rest of the year, divided among the restarts that are left.
    const share = (end - clock.now()) / (left + 1);
    const kill = left === 0 ? end : Math.round(clock.now() + share * (0.1 + 1.2 * random()));
    const from = clock.now();
    const storage = open();
    const held = new Set<Lock>();
    const keep = <L extends Lock | undefined>(lock: L): L => {
      if (lock) held.add(lock);
      return lock;
    };
    let isDead = false;
    const scheduler = createScheduler({
      jobs: clock.track(recording(await storage.jobs(), passed, () => isDead)),
      locks: clock.track({
        acquire: async (name, options) => keep(await storage.locks.acquire(name, options)),
        tryAcquire: async (name) => keep(await storage.locks.tryAcquire(name)),
        holds: (fence) => storage.locks.holds(fence),
        isHeldSince: () => false,
      } satisfies typeof storage.locks),
      slots: slotsOf,
      now: clock.now,
      timer: clock.timer,
      log: () => {},
      concurrency: 1_000,
      graceMs: GRACE_MS,
      longestWaitMs: 900_000,
      deliver: async () => 'later',
      fire: async (job, slot = 0) => {
        fired.get(job.name)?.push(slot);
        await clock.sleep(durationOf(job.name, slot));
        return { ok: true, answer: '' };
      },
    });
    await scheduler.start(new AbortController().signal);
    await clock.advanceTo(kill);
    up.push([from, kill]);
    isDead = true;
    // As the kernel does for a dead process: its timers and locks are gone, what it had not written is lost.
    clock.forgetTimers();
    for (const lock of held) await lock.release();
    await clock.rest();
    await storage.close();
    // Mostly a moment, now and then as long as it had been up.
    const down = random() < 0.6 ? random() * 60_000 : random() ** 2 * share;
    if (left > 0) clock.setWall(Math.min(Math.round(kill + down), end - 60_000));
  }
  return compare(jobs, fired, passed, up);
}

function planned(begin: number, end: number): YearJob[] {
  const misfires: Misfire[] = ['once', 'skip', 'all'];
  const firstMinute = Math.ceil(begin / 60_000) * 60_000;
  const jobs = ZONES.flatMap((timezone, zone) => {
    const minutes = wallMinutes(timezone, firstMinute - 86_400_000, end);
    const own = zone === 0 ? [...PATTERNS, '*/30 * * * *'] : zone === 1 ? [...PATTERNS, '5 * * * *'] : PATTERNS;
    return own.map((cron, index) => ({
      name: `z${zone}p${index}`,
      cron,
      timezone,
      misfire: misfires[(zone + index) % 3] ?? 'once',
      slots: expectedSlots(cron, minutes).filter((slot) => slot > begin && slot <= end),
    }));
  });
  const every = misfires.map((misfire, index) => {
    const step = [2_700_000, 7_200_000, 86_400_000][index] ?? 0;
    const slots = Array.from({ length: Math.floor((end - begin) / step) }, (_, number) => begin + (number + 1) * step);
    return { name: `every${index}`, cron: `every ${step / 1_000}s`, timezone: 'UTC', misfire, slots };
  });
  return [...jobs, ...every];
}

/** From a second to half an hour and never a whole number of seconds: nothing ends exactly when something else is due. */
function durationOf(name: string, slot: number): number {
  const random = seededRandom(slot / 1_000 + name.length * 7 + name.charCodeAt(1));
  return Math.floor(random() ** 4 * 1_800) * 1_000 + 1_137;
}

/** Counts what was passed over, as it is written. */
function recording(
  jobs: Jobs,
  passed: ReadonlyMap<string, { skipped: number; missed: number }>,
  isDead: () => boolean,
): Jobs {
  const names = new Map<number, string>();
  const count = (jobId: number, entries: readonly PassedOver[]): void => {
    const counts = passed.get(names.get(jobId) ?? '');
    for (const { status, count: many } of entries) if (counts) counts[status] += many;
  };
  return {
    ...jobs,
    async due(now, limit) {
      const due = await jobs.due(now, limit);
      for (const { id, name } of due) names.set(id, name);
      return due;
    },
    async claim(owner, claims, options) {
      if (isDead()) return new Promise(() => {});
      const runs = await jobs.claim(owner, claims, options);
      for (const { jobId, passedOver } of claims) count(jobId, passedOver);
      return runs;
    },
    async finish(finish) {
      if (isDead()) return new Promise(() => {});
      const job = await jobs.jobOf(finish.runId);
      const isOurs = await jobs.finish(finish);
      if (job) names.set(job.id, job.name);
      if (isOurs && job) count(job.id, finish.passedOver);
      return isOurs;
    },
  };
}

function compare(
  jobs: readonly YearJob[],
  fired: ReadonlyMap<string, number[]>,
  passed: ReadonlyMap<string, { skipped: number; missed: number }>,
  up: readonly [number, number][],
): YearResult {
  const result: YearResult = {
    slots: 0,
    fired: 0,
    interrupted: 0,
    restarts: up.length - 1,
    missed: 0,
    doubled: 0,
    unexpected: 0,
  };
  for (const { name, misfire, slots } of jobs) {
    const fates: Fates = expectedFates({
      slots,
      misfire,
      up,
      graceMs: GRACE_MS,
      durationOf: (slot) => durationOf(name, slot),
    });
    const ran = fired.get(name) ?? [];
    const once = new Set(ran);
    const wanted = new Set([...fates.ran, ...fates.interrupted]);
    const { skipped, missed } = passed.get(name) ?? { skipped: 0, missed: 0 };
    const differences = Math.abs(skipped - fates.skipped.length) + Math.abs(missed - fates.missed.length);
    const absent = [...wanted].filter((slot) => !once.has(slot)).length;
    const unexpected = [...once].filter((slot) => !wanted.has(slot)).length;
    if (process.env.LAINCLAW_BENCH_EXPLAIN && absent + unexpected + differences > 0)
      console.error(name, misfire, {
        absent,
        unexpected,
        skipped,
        missed,
        expected: [fates.skipped.length, fates.missed.length],
      });
    result.slots += slots.length;
    result.fired += ran.length;
    result.interrupted += fates.interrupted.length;
    result.missed += absent + differences;
    result.doubled += ran.length - once.size;
    result.unexpected += unexpected;
  }
  return result;
}
