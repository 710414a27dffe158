import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createSimulatedClock, type SimulatedClock } from '../../test/support/simulated-clock.ts';
import type { Job, Jobs, Run } from '../storage/jobs.ts';
import { createLocalStorage } from '../storage/local/local-storage.ts';
import type { Lock, Locks } from '../storage/locks.ts';
import { type Storage, StorageError } from '../storage/storage.ts';
import type { FireResult } from './runner.ts';
import { createSchedule, type JobRequest, type Schedule } from './schedule.ts';
import { createScheduler, type Scheduler } from './scheduler.ts';
import { createSlots } from './timetable.ts';

const START = Date.parse('2026-03-10T08:59:30Z');
const MINUTE = 60_000;
const slots = createSlots();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

type Behave = (job: Job, slot: number | undefined, signal: AbortSignal) => Promise<FireResult>;

interface World {
  clock: SimulatedClock;
  schedule: Schedule;
  fired: string[];
  sent: string[];
  behave(change: Behave): void;
  /** A process of its own: a door to the storage and a scheduler on it. */
  process(): Promise<{ scheduler: Scheduler; start(): Promise<void>; abort(): void; kill(): void }>;
  add(request: Partial<JobRequest> & { cron: string }): Promise<Job>;
  history(name?: string): Promise<string[]>;
  chatIsThere: boolean;
  /** How many ends of runs the storage will fail to take. */
  failingEnds: number;
}

async function world(start = START): Promise<World> {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-scheduler-'));
  const clock = createSimulatedClock(start);
  const time = (at: number | undefined): string => (at === undefined ? '' : new Date(at).toISOString().slice(11, 19));
  const open = (): Storage => {
    const storage = createLocalStorage({ home, now: clock.now });
    cleanups.push(() => storage.close());
    return storage;
  };
  const jobs = clock.track(await open().jobs());
  const schedule = createSchedule({ jobs, slots, now: clock.now, systemTimezone: () => 'UTC', channels: ['local'] });
  let behaviour: Behave = async () => ({ ok: true, answer: 'done' });
  const self: World = {
    clock,
    schedule,
    fired: [],
    sent: [],
    chatIsThere: true,
    failingEnds: 0,
    behave(change) {
      behaviour = change;
    },
    async process() {
      const storage = open();
      const ended = new AbortController();
      const dead = new AbortController();
      const held = new Set<Lock>();
      const keep = <L extends Lock | undefined>(lock: L): L => {
        if (lock) held.add(lock);
        return lock;
      };
      const stored = await storage.jobs();
      const finish: Jobs['finish'] = async (end) => {
        if (self.failingEnds <= 0) return stored.finish(end);
        self.failingEnds -= 1;
        throw new StorageError('STORAGE_UNREACHABLE', 'the database is away');
      };
      const scheduler = createScheduler({
        jobs: clock.track({ ...stored, finish }),
        locks: clock.track<Locks>({
          acquire: async (name, options) => keep(await storage.locks.acquire(name, options)),
          tryAcquire: async (name) => keep(await storage.locks.tryAcquire(name)),
          holds: (fence) => storage.locks.holds(fence),
          isHeldSince: () => false,
        }),
        slots,
        now: clock.now,
        timer: clock.timer,
        log: () => {},
        fire: async (job, slot, signal) => {
          self.fired.push(`${job.name} ${time(slot)}`.trim());
          const result = await behaviour(job, slot, signal);
          // What a killed process would have done next never happens.
          return dead.signal.aborted ? new Promise(() => {}) : result;
        },
        deliver: async ({ chat, text }) => {
          if (!self.chatIsThere) return 'later';
          self.sent.push(`${chat} ${text}`);
          return 'sent';
        },
      });
      cleanups.push(() => void scheduler.stop().catch(() => {}));
      return {
        scheduler,
        async start() {
          await scheduler.start(ended.signal);
          await clock.rest();
        },
        abort: () => ended.abort(),
        kill() {
          dead.abort();
          clock.forgetTimers();
          // As the kernel does for a dead process.
          for (const lock of held) void lock.release();
          held.clear();
        },
      };
    },
    add: (request) => schedule.add({ name: 'job', message: 'm', ...request }, 'cli', { kind: 'nobody' }),
    async history(name = 'job') {
      const line = ({ status, slot, lastSlot, count, late, trigger }: Run): string =>
        [
          trigger === 'manual' ? 'by hand' : time(slot),
          lastSlot === undefined || lastSlot === slot ? '' : `…${time(lastSlot)}`,
          status,
          late ? 'late' : '',
          count > 1 ? `×${count}` : '',
        ]
          .filter((part) => part !== '')
          .join(' ');
      return (await jobs.history(name, 1_000)).toReversed().map(line);
    },
  };
  cleanups.push(() => rmSync(home, { recursive: true, force: true }));
  return self;
}

describe('a scheduler', () => {
  it('runs each slot when it comes, once', async () => {
    const { clock, add, process, fired, history } = await world();
    await add({ cron: '* * * * *' });
    await (await process()).start();
    await clock.advance(3 * MINUTE);
    expect(fired).toEqual(['job 09:00:00', 'job 09:01:00', 'job 09:02:00']);
    expect(await history()).toEqual(['09:00:00 ok', '09:01:00 ok', '09:02:00 ok']);
  });

  it('runs a moment once, and the job is done', async () => {
    const { clock, add, process, fired, schedule } = await world();
    await add({ cron: 'at 2026-03-10T09:00' });
    await (await process()).start();
    await clock.advance(60 * MINUTE);
    expect(fired).toEqual(['job 09:00:00']);
    expect(await schedule.get('job')).toMatchObject({ status: 'done' });
  });

  it('two processes share the slots: none twice, none left out', async () => {
    const { clock, add, process, fired } = await world();
    for (let index = 0; index < 20; index += 1) await add({ name: `j${index}`, cron: '* * * * *' });
    await (await process()).start();
    await (await process()).start();
    await clock.advance(3 * MINUTE);
    expect(fired).toHaveLength(60);
    expect(new Set(fired).size).toBe(60);
  });

  it('delays a slot by its jitter, always the same', async () => {
    const { clock, add, process, schedule } = await world();
    await add({ cron: '*/10 * * * *', jitter: '5m' });
    const seen: number[] = [];
    const planned = (await schedule.upcoming('job', 3)).map(({ dueAt }) => dueAt);
    const { start } = await process();
    const w = clock.now;
    await start();
    while (seen.length < 3) {
      await clock.advance(1_000);
      const last = (await schedule.history('job', 1))[0];
      if (last?.startedAt !== undefined && last.startedAt !== seen.at(-1)) seen.push(last.startedAt);
      if (w() > START + 60 * MINUTE) break;
    }
    expect(seen).toEqual(planned);
    expect(planned.some((dueAt) => dueAt % (10 * MINUTE) !== 0)).toBe(true);
  });

  it('hears of a job that another process adds, by itself', async () => {
    const { clock, add, process, fired } = await world();
    await (await process()).start();
    await clock.advance(5_000);
    await add({ cron: 'every 20s' });
    await clock.advance(45_000);
    expect(fired).toEqual(['job 08:59:55', 'job 09:00:15']);
  });
});

describe('what passed while nothing ran', () => {
  const down = async (misfire: 'skip' | 'once' | 'all', cron = '0 * * * *') => {
    const all = await world();
    await all.add({ cron, misfire });
    const first = await all.process();
    await first.start();
    await all.clock.advance(MINUTE);
    await first.scheduler.stop();
    all.clock.setWall(Date.parse('2026-03-10T12:30:00Z'));
    await (await all.process()).start();
    await all.clock.advance(MINUTE);
    return all;
  };
  it('once: is made up for by one late run', async () => {
    const { fired, history } = await down('once');
    expect(fired).toEqual(['job 09:00:00', 'job 12:00:00']);
    expect(await history()).toEqual(['09:00:00 ok', '10:00:00 …11:00:00 missed ×2', '12:00:00 ok late ×2']);
  });
  it('skip: is left, on record', async () => {
    const { fired, history, clock } = await down('skip');
    expect(fired).toEqual(['job 09:00:00']);
    expect(await history()).toEqual(['09:00:00 ok', '10:00:00 …12:00:00 missed ×3']);
    await clock.advance(30 * MINUTE);
    expect(fired).toEqual(['job 09:00:00', 'job 13:00:00']);
  });
  it('all: each is run in its turn', async () => {
    const { fired, history } = await down('all');
    expect(fired).toEqual(['job 09:00:00', 'job 10:00:00', 'job 11:00:00', 'job 12:00:00']);
    expect(await history()).toEqual(['09:00:00 ok', '10:00:00 ok late', '11:00:00 ok late', '12:00:00 ok late']);
  });
  it('all: no more than a hundred are made up for, the newest', async () => {
    const { fired, history } = await down('all', '* * * * *');
    // 09:01 … 12:30 are 210 slots, and 12:31 came by itself.
    expect(fired).toHaveLength(1 + 100 + 1);
    expect(fired[1]).toBe('job 10:51:00');
    expect((await history())[1]).toBe('09:01:00 …10:50:00 missed ×110');
  });
});

describe('when the clock is set', () => {
  it('back an hour: no slot runs twice', async () => {
    const { clock, add, process, fired } = await world();
    await add({ cron: '*/30 * * * *' });
    await (await process()).start();
    await clock.advance(45 * MINUTE);
    clock.setWall(clock.now() - 60 * MINUTE);
    await clock.advance(120 * MINUTE);
    expect(fired).toEqual(['job 09:00:00', 'job 09:30:00', 'job 10:00:00', 'job 10:30:00']);
  });
  it('forward: what was jumped over follows the policy, within seconds', async () => {
    const { clock, add, process, fired } = await world();
    await add({ cron: '0 * * * *' });
    await (await process()).start();
    clock.setWall(Date.parse('2026-03-10T14:10:00Z'));
    await clock.advance(11_000);
    expect(fired).toEqual(['job 14:00:00']);
  });
  it.each(['skip', 'once', 'all'] as const)(
    'forth and back (%s): the slots that were jumped over run when they come, and none twice',
    async (misfire) => {
      const { clock, add, process, fired } = await world();
      await add({ cron: '0 * * * *', misfire });
      await (await process()).start();
      await clock.advance(10 * MINUTE);
      clock.setWall(Date.parse('2026-03-10T12:10:00Z'));
      await clock.advance(30_000);
      clock.setWall(Date.parse('2026-03-10T09:12:00Z'));
      await clock.advance(4 * 60 * MINUTE);
      const hours = ['job 10:00:00', 'job 11:00:00', 'job 12:00:00', 'job 13:00:00'];
      const early = hours.slice(...({ skip: [0, 0], once: [2, 3], all: [0, 3] } as const)[misfire]);
      expect(fired).toEqual(['job 09:00:00', ...early, ...hours.filter((hour) => !early.includes(hour))]);
    },
  );
  it('back and forth, again and again: every hour runs once', async () => {
    const { clock, add, process, fired } = await world();
    await add({ cron: '0 * * * *' });
    await (await process()).start();
    for (let hour = 0; hour < 6; hour += 1) {
      await clock.advance(40 * MINUTE);
      const now = clock.now();
      clock.setWall(now - 100 * MINUTE);
      await clock.advance(MINUTE);
      clock.setWall(now + MINUTE);
      await clock.advance(19 * MINUTE);
    }
    const hours = fired.filter((line) => line >= 'job 09:00:00').toSorted();
    expect(hours).toEqual(['09', '10', '11', '12', '13', '14'].map((hour) => `job ${hour}:00:00`));
  });
  it('back by years: jobs continue from now', async () => {
    const { clock, add, process, fired } = await world(Date.parse('2036-01-01T00:00:00Z'));
    await add({ cron: '0 * * * *' });
    await (await process()).start();
    await clock.advance(61 * MINUTE);
    clock.setWall(START);
    await clock.advance(61 * MINUTE);
    expect(fired).toEqual(['job 01:00:00', 'job 09:00:00', 'job 10:00:00']);
  });
});

describe('a run that takes longer than the time to the next slot', () => {
  it('is never joined by a second: slots meanwhile are skipped, on record', async () => {
    const { clock, add, process, fired, behave, history } = await world();
    await add({ cron: '* * * * *' });
    behave(async () => {
      await clock.sleep(2.5 * MINUTE);
      return { ok: true, answer: '' };
    });
    await (await process()).start();
    await clock.advance(4 * MINUTE);
    expect(fired).toEqual(['job 09:00:00', 'job 09:03:00']);
    expect(await history()).toEqual(['09:00:00 ok', '09:01:00 …09:02:00 skipped ×2', '09:03:00 running']);
  });
  it('with all, they wait for it', async () => {
    const { clock, add, process, fired, behave } = await world();
    await add({ cron: '* * * * *', misfire: 'all' });
    behave(async () => {
      await clock.sleep(1.5 * MINUTE);
      return { ok: true, answer: '' };
    });
    await (await process()).start();
    await clock.advance(5 * MINUTE);
    expect(fired).toEqual(['job 09:00:00', 'job 09:01:00', 'job 09:02:00', 'job 09:03:00']);
  });
  it('by hand, is refused while one is under way', async () => {
    const { clock, add, process, behave } = await world();
    await add({ cron: '* * * * *' });
    behave(async () => {
      await clock.sleep(10 * MINUTE);
      return { ok: true, answer: '' };
    });
    await (await process()).start();
    await clock.advance(MINUTE);
    const { scheduler } = await process();
    expect(await scheduler.runByHand('job', new AbortController().signal)).toBeUndefined();
  });
});

describe('a process that is killed', () => {
  it('in the middle of a run: it is recorded as interrupted, reported, and not repeated', async () => {
    const { clock, add, process, fired, behave, history, sent } = await world();
    await add({ cron: '0 * * * *', injectInto: 'local:me' });
    behave(() => new Promise(() => {}));
    const first = await process();
    await first.start();
    await clock.advance(MINUTE);
    first.kill();
    behave(async () => ({ ok: true, answer: 'fine' }));
    await (await process()).start();
    await clock.advance(60 * MINUTE);
    expect(fired).toEqual(['job 09:00:00', 'job 10:00:00']);
    expect(await history()).toEqual(['09:00:00 interrupted', '10:00:00 ok']);
    expect(sent).toEqual([expect.stringContaining('interrupted'), 'local:me fine']);
  });
  it('a run that lives in another process is left alone', async () => {
    const { clock, add, process, behave, history } = await world();
    await add({ cron: '0 * * * *' });
    behave(async () => {
      await clock.sleep(30 * MINUTE);
      return { ok: true, answer: '' };
    });
    await (await process()).start();
    await clock.advance(MINUTE);
    await (await process()).start();
    await clock.advance(5 * MINUTE);
    expect(await history()).toEqual(['09:00:00 running']);
  });
  it('before it could begin: another one does', async () => {
    const { clock, add, process, fired, behave } = await world();
    for (let index = 0; index < 10; index += 1) await add({ name: `j${index}`, cron: '0 * * * *' });
    behave(() => new Promise(() => {}));
    const first = await process();
    await first.start();
    await clock.advance(MINUTE);
    expect(fired).toHaveLength(4);
    first.kill();
    behave(async () => ({ ok: true, answer: '' }));
    await (await process()).start();
    await clock.advance(MINUTE);
    expect(fired).toHaveLength(10);
    expect(new Set(fired).size).toBe(10);
  });
});

describe('a scheduler that is stopped', () => {
  it('takes nothing new and waits for what runs', async () => {
    const { clock, add, process, behave, fired, history } = await world();
    await add({ cron: '* * * * *' });
    behave(async () => {
      await clock.sleep(30_000);
      return { ok: true, answer: '' };
    });
    const { start, scheduler } = await process();
    await start();
    await clock.advance(40_000);
    const stopped = scheduler.stop();
    await clock.advance(5 * MINUTE);
    await stopped;
    expect(fired).toEqual(['job 09:00:00']);
    expect(await history()).toEqual(['09:00:00 ok']);
  });
  it('at once: what runs is cut short, on record, and reported', async () => {
    const { clock, add, process, behave, history, sent } = await world();
    await add({ cron: '0 * * * *', injectInto: 'local:me' });
    behave(
      (_job, _slot, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const { start, abort, scheduler } = await process();
    await start();
    await clock.advance(MINUTE);
    abort();
    await scheduler.stop();
    expect(await history()).toEqual(['09:00:00 interrupted']);
    expect(sent).toEqual([expect.stringContaining('interrupted')]);
  });
  it('a run that takes too long is ended, and has failed', async () => {
    const { clock, add, process, behave, schedule } = await world();
    await add({ cron: '0 9 * * *' });
    behave(
      (_job, _slot, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    await (await process()).start();
    await clock.advance(62 * MINUTE);
    expect(await schedule.history('job', 1)).toMatchObject([{ status: 'failed' }]);
  });
});

describe('a job that fails', () => {
  it('backs off, tells once, and is paused after five in a row, with the reason', async () => {
    const { clock, add, process, fired, behave, schedule, sent } = await world();
    await add({ cron: '* * * * *', injectInto: 'local:me' });
    behave(async () => ({ ok: false, reason: 'no model' }));
    await (await process()).start();
    await clock.advance(120 * MINUTE);
    expect(fired.map((line) => line.slice(4))).toEqual(['09:00:00', '09:02:00', '09:05:00', '09:10:00', '09:19:00']);
    expect(await schedule.get('job')).toMatchObject({
      status: 'paused',
      failures: 5,
      reason: expect.stringContaining('no model'),
    });
    expect(sent).toEqual([expect.stringContaining('failed: no model'), expect.stringContaining('is paused')]);
    await schedule.resume('job');
    behave(async () => ({ ok: true, answer: 'well' }));
    await clock.advance(2 * MINUTE);
    expect(await schedule.get('job')).toMatchObject({ status: 'active', failures: 0 });
    expect(sent.at(-1)).toBe('local:me well');
  });
  it('that throws has failed too, and one success forgets the failures', async () => {
    const { clock, add, process, behave, schedule } = await world();
    await add({ cron: '0 * * * *', maxFailures: 2 });
    behave(async (_, slot) => {
      if (((slot ?? 0) / 3_600_000) % 2 === 0) throw new Error('now and then');
      return { ok: true, answer: '' };
    });
    await (await process()).start();
    await clock.advance(6 * 60 * MINUTE);
    expect(await schedule.get('job')).toMatchObject({ status: 'active' });
  });
});

describe('an answer', () => {
  it('goes to the chat, once, also when nobody could take it at first', async () => {
    const self = await world();
    await self.add({ cron: 'at 2026-03-10T09:00', injectInto: 'local:me' });
    self.chatIsThere = false;
    await (await self.process()).start();
    await self.clock.advance(5 * MINUTE);
    expect(self.sent).toEqual([]);
    self.chatIsThere = true;
    await (await self.process()).start();
    await self.clock.advance(5 * MINUTE);
    expect(self.sent).toEqual(['local:me done']);
    expect(await self.schedule.history('job', 1)).toMatchObject([{ delivery: 'sent', answer: 'done' }]);
  });
  it.each(['{"silent":true,"reason":"nothing new"}', '```json\n{"silent": true}\n```'])(
    '%s sends nothing',
    async (answer) => {
      const { add, process, clock, behave, sent, history } = await world();
      await add({ cron: '* * * * *', injectInto: 'local:me' });
      behave(async () => ({ ok: true, answer }));
      await (await process()).start();
      await clock.advance(MINUTE);
      expect(sent).toEqual([]);
      expect(await history()).toEqual(['09:00:00 ok']);
    },
  );
});

describe('while the storage is away', () => {
  it('the end of a run is stored again until it is: the answer is sent, and no interruption is reported', async () => {
    const w = await world();
    await w.add({ cron: 'at 2026-03-10T09:00', injectInto: 'local:me' });
    w.failingEnds = 90;
    await (await w.process()).start();
    await w.clock.advance(3 * MINUTE);
    expect(w.fired).toEqual(['job 09:00:00']);
    expect(await w.history()).toEqual(['09:00:00 ok']);
    expect(w.sent).toEqual(['local:me done']);
  });

  it('a scheduler that is ended at once does not wait for it', async () => {
    const w = await world();
    await w.add({ cron: 'at 2026-03-10T09:00' });
    w.failingEnds = Number.POSITIVE_INFINITY;
    const { scheduler, start, abort } = await w.process();
    await start();
    await w.clock.advance(MINUTE);
    abort();
    await scheduler.stop();
    expect(await w.history()).toEqual(['09:00:00 running']);
  });
});

describe('without a process that stays', () => {
  it('what is due now is run, and nothing else', async () => {
    const { add, process, clock, fired } = await world();
    await add({ name: 'a', cron: '0 * * * *' });
    await add({ name: 'b', cron: 'at 2026-03-10T09:10', misfire: 'all' });
    await add({ name: 'c', cron: '0 20 * * *' });
    clock.setWall(Date.parse('2026-03-10T09:30:00Z'));
    const ran = await (await process()).scheduler.runDue(new AbortController().signal);
    expect(ran.map(({ status, late }) => [status, late])).toEqual([
      ['ok', true],
      ['ok', true],
    ]);
    expect(fired).toEqual(['a 09:00:00', 'b 09:10:00']);
    expect(await (await process()).scheduler.runDue(new AbortController().signal)).toEqual([]);
  });
  it('a run by hand is beside the slots', async () => {
    const { add, process, clock, fired, history } = await world();
    await add({ cron: '* * * * *' });
    const run = await (await process()).scheduler.runByHand('job', new AbortController().signal);
    expect(run).toMatchObject({ status: 'ok', trigger: 'manual', answer: 'done' });
    await (await process()).start();
    await clock.advance(MINUTE);
    expect(fired).toEqual(['job', 'job 09:00:00']);
    expect(await history()).toEqual(['by hand ok', '09:00:00 ok']);
  });
});

it('reading the list a hundred times changes nothing', async () => {
  const { add, schedule, clock, process, fired } = await world();
  await add({ cron: '* * * * *' });
  clock.setWall(START + 10 * MINUTE);
  const before = await schedule.list();
  for (let look = 0; look < 100; look += 1) expect(await schedule.list()).toEqual(before);
  await (await process()).start();
  await clock.rest();
  expect(fired).toEqual(['job 09:09:00']);
});
