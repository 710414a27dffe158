// A process with a scheduler in it, to be killed: writes "<job> <slot>" to a file for each firing, before anything else. Started
// with a home and the file's path.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSchedule } from '../../src/schedule/open-schedule.ts';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';

const [, , home = '', log = ''] = process.argv;
const storage = createLocalStorage({ home, now: Date.now });
const { scheduler } = openSchedule({
  jobs: await storage.jobs(),
  locks: storage.locks,
  now: Date.now,
  systemTimezone: () => 'UTC',
  channels: [],
});
await scheduler({
  fire: async (job, slot) => {
    appendFileSync(log, `${job.name} ${slot}\n`);
    await sleep(20);
    return { ok: true, answer: '' };
  },
  deliver: async () => 'later',
  log: () => {},
}).start(new AbortController().signal);
process.stdout.write('ready\n');
