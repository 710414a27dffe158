// schedule_edit, schedule_enable and schedule_disable, and the tools for background runs, through the program.
import { expect, it } from 'vitest';
import { testOperations } from '../../../test/support/test-operations.ts';

type Invoke = Awaited<ReturnType<typeof testOperations>>['invoke'];

function calling(invoke: Invoke) {
  return async (name: string, args: object): Promise<unknown> =>
    ((await invoke('tools.invoke', { name, args, mode: 'auto' })) as { result: unknown }).result;
}

it('jobs are changed, paused and resumed by name', async () => {
  const { invoke } = await testOperations();
  const call = calling(invoke);
  await invoke('schedule.add', { name: 'daily', cron: '@daily', message: 'hello' });
  expect(await call('schedule_edit', { name: 'DAILY', message: 'good morning' })).toMatchObject({
    ok: true,
    data: { job: { name: 'daily', message: 'good morning', cron: '@daily' } },
  });
  expect(await call('schedule_disable', { name: 'daily' })).toMatchObject({
    data: { job: { status: 'paused', nextRunAt: null } },
  });
  expect(await call('schedule_enable', { name: 'daily' })).toMatchObject({ data: { job: { status: 'active' } } });
  for (const name of ['schedule_edit', 'schedule_enable', 'schedule_disable'])
    expect(await call(name, { name: 'other', ...(name === 'schedule_edit' && { message: 'x' }) })).toMatchObject({
      ok: false,
    });
  expect(await call('schedule_edit', { name: 'daily' })).toMatchObject({ error: { code: 'invalid_args' } });
});

it('background runs of sub-agents are listed, read and ended', async () => {
  const { invoke, runtime } = await testOperations();
  const call = calling(invoke);
  const runs = await runtime.agentRuns();
  const draft = { name: 'researcher', message: 'look it up', asker: { kind: 'owner' as const }, request: '{}' };
  await runs.add({ ...draft, id: 'run-1' }, 1_000);
  await runs.add({ ...draft, id: 'run-2' }, 2_000);
  await runs.end('run-2', { state: 'done', result: 'found' }, 3_000);
  expect(await call('subagent_list', {})).toMatchObject({
    data: {
      runs: [
        { id: 'run-2', state: 'done' },
        { id: 'run-1', state: 'queued' },
      ],
    },
  });
  expect(await call('subagent_status', { id: 'run-2' })).toMatchObject({
    data: { result: 'found' },
    meta: { tainted: true },
  });
  expect(await call('subagent_cancel', { id: 'run-1' })).toMatchObject({ data: { cancelled: true } });
  expect(await call('subagent_cancel', { id: 'run-2' })).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/ended already/) },
  });
  expect(await call('subagent_status', { id: 'run-3' })).toMatchObject({
    ok: false,
    error: { message: expect.stringMatching(/subagent_list/) },
  });
});
