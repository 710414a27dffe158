// Schedulers in processes of their own on one home, killed again and again: every second of every job is run once, or was cut
// short and is on record as such.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openSchedule } from '../../src/schedule/open-schedule.ts';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import { seededRandom } from '../support/random.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const PROCESS = join(import.meta.dirname, '..', 'support', 'scheduler-process.ts');
const JOBS = 5;
const ROUNDS = 6;

it('killed schedulers lose no slot and run none twice', { timeout: 180_000 }, async () => {
  const home = testHome();
  const log = join(home.base, 'fired.log');
  writeFileSync(log, '');
  const storage = createLocalStorage({ home: home.path, now: Date.now });
  afterFile(() => storage.close());
  const jobs = await storage.jobs();
  const { schedule, scheduler } = openSchedule({
    jobs,
    locks: storage.locks,
    now: Date.now,
    systemTimezone: () => 'UTC',
    channels: [],
  });
  for (let index = 0; index < JOBS; index += 1)
    await schedule.add({ name: `j${index}`, cron: '* * * * * *', message: 'm', misfire: 'all' }, 'cli', {
      kind: 'nobody',
    });
  const first = (await schedule.get(`j${JOBS - 1}`)).next?.slot ?? 0;

  const random = seededRandom(5);
  const keeper = start();
  for (let round = 0; round < ROUNDS; round += 1) {
    const victim = start();
    await ready(victim);
    await sleep(300 + random() * 1_200);
    victim.kill('SIGKILL');
    await once(victim, 'exit');
  }
  keeper.kill('SIGKILL');
  await once(keeper, 'exit');

  // The next process settles what they left and makes up for the rest.
  const until = Date.now();
  const ran = await scheduler({
    fire: async () => ({ ok: true, answer: '' }),
    deliver: async () => 'later',
    log: () => {},
  }).runDue(new AbortController().signal);

  for (let index = 0; index < JOBS; index += 1) {
    const name = `j${index}`;
    const { id } = await schedule.get(name);
    const fired = [
      ...readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith(`${name} `))
        .map((line) => Number(line.split(' ')[1])),
      ...ran.flatMap(({ jobId, slot }) => (jobId === id && slot !== undefined ? [slot] : [])),
    ];
    expect(new Set(fired).size, 'none twice').toBe(fired.length);
    const history = await jobs.history(name, 1_000);
    const cut = history.flatMap(({ status, slot }) => (status === 'interrupted' ? [slot] : []));
    for (let slot = first; slot <= until; slot += 1_000)
      expect(fired.includes(slot) || cut.includes(slot), `${name} ${new Date(slot).toISOString()}`).toBe(true);
    expect(history.some(({ status }) => status === 'running' || status === 'queued')).toBe(false);
  }

  function start() {
    const child = spawn(process.execPath, [PROCESS, home.path, log], { stdio: ['ignore', 'pipe', 'inherit'] });
    afterFile(() => child.kill('SIGKILL'));
    return child;
  }
});

async function ready(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.stdout) await once(child.stdout, 'data');
}
