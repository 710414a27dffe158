import { expect, it } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { createLastingScheduler, type RunningScheduler } from './lasting-scheduler.ts';

interface Made {
  scheduler: RunningScheduler;
  did: string[];
  lose(): void;
}

function world({ failing = 0 } = {}) {
  const made: Made[] = [];
  let fails = failing;
  const logged: string[] = [];
  const scheduler = createLastingScheduler({
    async open(onLost) {
      const did: string[] = [];
      const each: Made = {
        did,
        lose: onLost,
        scheduler: {
          async start() {
            if (made.length > 1 && fails > 0) {
              fails -= 1;
              throw new Error('the database is away');
            }
            did.push('started');
          },
          wake: () => void did.push('woken'),
          stop: async () => void did.push('stopped'),
        },
      };
      made.push(each);
      return each.scheduler;
    },
    log: (text) => logged.push(text),
    retryMs: 1,
  });
  return { scheduler, made, logged };
}

const never = new AbortController().signal;

it('after a lost lock another one runs, is woken and stopped', async () => {
  const { scheduler, made, logged } = world();
  await scheduler.start(never);
  made[0]?.lose();
  await eventually(() => expect(made[1]?.did).toEqual(['started']));
  await eventually(() => {
    scheduler.wake();
    expect(made[1]?.did).toContain('woken');
  });
  await scheduler.stop();
  expect(made[0]?.did).toEqual(['started']);
  expect(made[1]?.did.at(-1)).toBe('stopped');
  expect(logged).toEqual([expect.stringContaining('begins again')]);
});

it('it tries again until the next one can begin', async () => {
  const { scheduler, made } = world({ failing: 3 });
  await scheduler.start(never);
  made[0]?.lose();
  await eventually(() => expect(made[4]?.did).toEqual(['started']));
  await scheduler.stop();
});

it('once stopped, a lost lock begins nothing', async () => {
  const { scheduler, made } = world();
  await scheduler.start(never);
  await scheduler.stop();
  made[0]?.lose();
  await new Promise((resolve) => setImmediate(resolve));
  expect(made).toHaveLength(1);
});

it('one that cannot begin the first time says why', async () => {
  const scheduler = createLastingScheduler({ open: () => Promise.reject(new Error('no place')), log() {} });
  await expect(scheduler.start(never)).rejects.toThrow('no place');
});
