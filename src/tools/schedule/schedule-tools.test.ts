import { expect, it } from 'vitest';
import type { JobRequest, Schedule } from '../../schedule/schedule.ts';
import { ScheduleError } from '../../schedule/schedule-error.ts';
import type { Asker } from '../../vocabulary/asker.ts';
import { OWNER, readerWithin } from '../../vocabulary/memory-scope.ts';
import { type ToolContext, ToolFailure } from '../tool.ts';
import { createScheduleAddTool } from './add.ts';
import { createScheduleDisableTool } from './disable.ts';
import { createScheduleEditTool } from './edit.ts';
import { createScheduleEnableTool } from './enable.ts';
import { createScheduleListTool } from './list.ts';
import { createScheduleRemoveTool } from './remove.ts';

const refusing = async (): Promise<Schedule> =>
  ({
    add: async () => {
      throw new ScheduleError('SCHEDULE_DUPLICATE', 'there is a job "a" already');
    },
    get: async () => {
      throw new ScheduleError('SCHEDULE_NOT_FOUND', 'there is no job "a"');
    },
    list: async () => [],
  }) as unknown as Schedule;
const context = {} as ToolContext;
const DAILY = { kind: 'cron' as const, pattern: '0 0 * * *', timezone: 'UTC' };

it('what the schedule refuses is an error for the caller', async () => {
  const add = createScheduleAddTool({
    schedule: refusing,
    isGatewayRunning: async () => true,
    answerProblem: async () => undefined,
  });
  await expect(add.execute({ name: 'a', cron: '@daily', message: 'm' }, context)).rejects.toThrow(ToolFailure);
  const remove = createScheduleRemoveTool({ schedule: refusing });
  await expect(remove.execute({ name: 'a' }, context)).rejects.toThrow('there is no job "a"');
});

it('a job belongs to the chat of its turn, and a chat that would be refused is refused at once', async () => {
  const added: Asker[] = [];
  const schedule = async (): Promise<Schedule> =>
    ({
      add: async (request: JobRequest, _source: string, asker: Asker) => {
        added.push(asker);
        return { ...request, when: request.cron, timezone: 'UTC', timetable: DAILY, next: { slot: 0, dueAt: 0 } };
      },
      upcoming: async () => [{ slot: 0, dueAt: 0 }],
    }) as unknown as Schedule;
  const answerProblem = async (chat: string, { kind }: Asker) => (kind === 'nobody' ? `${chat} is closed` : undefined);
  const add = createScheduleAddTool({ schedule, isGatewayRunning: async () => true, answerProblem });
  const job = { name: 'a', cron: '@daily', message: 'm', injectInto: 'local:anna' };
  const asker: Asker = { kind: 'chat', chat: 'local:anna' };
  const inChat = { delegation: { inherit: () => ({ asker }) } } as unknown as ToolContext;
  expect((await add.execute(job, inChat)).data).not.toHaveProperty('note');
  expect(await add.execute(job, context)).toMatchObject({
    data: { note: 'local:anna is closed' },
    text: expect.stringContaining('local:anna is closed'),
  });
  expect(added).toEqual([asker, { kind: 'nobody' }]);
});

it('a job that names no chat answers in the chat it was asked for in', async () => {
  const chats: unknown[] = [];
  const schedule = async (): Promise<Schedule> =>
    ({
      add: async (request: JobRequest) => {
        chats.push(request.injectInto);
        return { ...request, when: request.cron, timezone: 'UTC', timetable: DAILY, next: { slot: 0, dueAt: 0 } };
      },
      upcoming: async () => [{ slot: 0, dueAt: 0 }],
    }) as unknown as Schedule;
  const dependencies = { schedule, isGatewayRunning: async () => true, answerProblem: async () => undefined };
  const add = createScheduleAddTool(dependencies);
  const asker: Asker = { kind: 'chat', chat: 'local:anna' };
  const inChat = { delegation: { inherit: () => ({ asker }) } } as unknown as ToolContext;
  const job = { name: 'a', cron: '@daily', message: 'm' };
  expect((await add.execute(job, inChat)).text).toContain('answered in local:anna');
  await add.execute({ ...job, injectInto: 'local:other' }, inChat);
  expect((await add.execute(job, context)).text).toContain('no chat gets the answers: "lainclaw schedule history a"');
  expect(chats).toEqual(['local:anna', 'local:other', undefined]);
});

it("nobody removes, changes, pauses or resumes somebody else's job", async () => {
  const changed: string[] = [];
  const change = async (name: string) => {
    changed.push(name);
    return name;
  };
  const asker: Asker = { kind: 'owner' };
  const schedule = async (): Promise<Schedule> =>
    ({
      get: async (name: string) => ({ name, asker }),
      remove: change,
      edit: change,
      pause: change,
      resume: change,
    }) as unknown as Schedule;
  const stranger = { reader: readerWithin('person:telegram/7') } as ToolContext;
  const remove = createScheduleRemoveTool({ schedule });
  const edit = createScheduleEditTool({ schedule });
  for (const tool of [remove, edit, createScheduleEnableTool({ schedule }), createScheduleDisableTool({ schedule })])
    await expect(tool.execute({ name: 'a', ...(tool === edit && { message: 'x' }) }, stranger)).rejects.toThrow(
      'there is no job "a"',
    );
  expect(changed).toEqual([]);
  await remove.execute({ name: 'a' }, { reader: OWNER } as ToolContext);
  expect(changed).toEqual(['a']);
});

it('an empty list is a list', async () => {
  expect(await createScheduleListTool({ schedule: refusing }).execute({}, context)).toEqual({ data: { jobs: [] } });
});
