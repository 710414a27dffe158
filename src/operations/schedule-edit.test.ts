import { expect, it } from 'vitest';
import { afterFile, testHome } from '../../test/support/test-home.ts';
import { testRuntime } from '../../test/support/test-runtime.ts';
import { OPERATIONS } from './all.ts';
import { invokeOperation } from './invoke.ts';

const home = testHome();
const runtime = await testRuntime(home.path, { cwd: home.workspace });
afterFile(() => runtime.close());

function invoke(name: string, input: Record<string, unknown>): Promise<unknown> {
  const operation = OPERATIONS.find((each) => each.name === name);
  if (!operation) throw new Error(name);
  return invokeOperation(operation, input, { runtime, signal: new AbortController().signal, warn() {} });
}

const add = (name: string, more: object = {}) =>
  invoke('schedule.add', { name, cron: 'every 20m', message: 'hello', jitter: '30s', model: 'small', ...more });

it('changes what is given and keeps the rest, also the next run of times that stay', async () => {
  const added = (await add('tea')) as { nextRunAt: string };
  const edited = await invoke('schedule.edit', { name: 'TEA', message: 'still there?' });
  expect(edited).toMatchObject({
    name: 'tea',
    cron: 'every 20m',
    message: 'still there?',
    model: 'small',
    jitterMs: 30_000,
    nextRunAt: added.nextRunAt,
  });
  const moved = await invoke('schedule.edit', { name: 'tea', cron: '0 18 * * 5', timezone: 'Asia/Tokyo', jitter: '0' });
  expect(moved).toMatchObject({
    timezone: 'Asia/Tokyo',
    message: 'still there?',
    meaning: expect.stringMatching(/Friday/),
  });
  expect(moved).not.toHaveProperty('jitterMs');
  const [{ meaning }] = ((await invoke('schedule.list', { language: 'ru' })) as { jobs: [{ meaning: string }] }).jobs;
  expect(meaning).toMatch(/пятниц/i);
});

it('a paused job is active again once it was changed', async () => {
  await add('paused');
  await invoke('schedule.pause', { name: 'paused' });
  expect(await invoke('schedule.edit', { name: 'paused', message: 'now' })).toMatchObject({ status: 'active' });
});

it.each([
  [{ cron: 'whenever' }, 'SCHEDULE_INVALID'],
  [{ message: ' ' }, 'SCHEDULE_BAD_VALUE'],
  [{ timezone: 'Mars/Base' }, 'SCHEDULE_BAD_TIMEZONE'],
  [{ name: 'nobody' }, 'SCHEDULE_NOT_FOUND'],
])('%j is refused and changes nothing', async (changes, code) => {
  await add('kept', { message: 'as it was' }).catch(() => {});
  await expect(invoke('schedule.edit', { name: 'kept', ...changes })).rejects.toMatchObject({
    code: expect.stringContaining(code),
  });
  const { jobs } = (await invoke('schedule.list', {})) as { jobs: { name: string; message: string; cron: string }[] };
  expect(jobs.find(({ name }) => name === 'kept')).toMatchObject({ message: 'as it was', cron: 'every 20m' });
});

it('the times of a job are explained before it is stored', async () => {
  const told = await invoke('schedule.preview', { cron: '30 7 * * 1-5', timezone: 'Europe/Berlin', language: 'zh' });
  expect(told).toMatchObject({
    nextRuns: [expect.any(String), expect.any(String), expect.any(String)],
    meaning: expect.any(String),
  });
  await expect(invoke('schedule.preview', { cron: '0 0 31 2 *' })).rejects.toMatchObject({
    code: 'SCHEDULE_NEVER_FIRES',
  });
});
