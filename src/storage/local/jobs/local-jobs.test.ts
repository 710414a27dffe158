import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { describeJobs, type JobsSubject } from '../../../../test/conformance/jobs.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { createLocalStorage } from '../local-storage.ts';

function subject(): JobsSubject {
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-jobs-'));
  return {
    async open() {
      const storage = createLocalStorage({ home: join(base, 'home'), now: Date.now });
      return { jobs: await storage.jobs(), locks: storage.locks, close: () => storage.close() };
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

describeJobs('local storage', subject);

it('a process that watches hears of a job another one added', async () => {
  const store = subject();
  const [one, two] = [await store.open(), await store.open()];
  const ended = new AbortController();
  const onChange = vi.fn();
  await two.jobs.watch(onChange, ended.signal);
  const job = { when: '@daily', timetable: { kind: 'at', at: 9e12, timezone: 'UTC' }, timezone: 'UTC' } as const;
  const rest = {
    message: 'm',
    misfire: 'once',
    jitterMs: 0,
    maxFailures: 5,
    source: 'cli',
    asker: { kind: 'nobody' },
    createdAt: 0,
  } as const;
  await eventually(async () => {
    await one.jobs.add(
      { name: `n${Math.random().toString(36).slice(2)}`, ...job, ...rest },
      { slot: 9e12, dueAt: 9e12 },
    );
    expect(onChange).toHaveBeenCalled();
  });
  ended.abort();
  await one.close();
  await two.close();
  store.remove();
});
