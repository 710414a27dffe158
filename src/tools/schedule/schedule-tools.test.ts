import { expect, it } from 'vitest';
import type { Schedule } from '../../schedule/schedule.ts';
import { ScheduleError } from '../../schedule/schedule-error.ts';
import { type ToolContext, ToolFailure } from '../tool.ts';
import { createScheduleAddTool } from './add.ts';
import { createScheduleListTool } from './list.ts';
import { createScheduleRemoveTool } from './remove.ts';

const refusing = async (): Promise<Schedule> =>
  ({
    add: async () => {
      throw new ScheduleError('SCHEDULE_DUPLICATE', 'there is a job "a" already');
    },
    remove: async () => {
      throw new ScheduleError('SCHEDULE_NOT_FOUND', 'there is no job "a"');
    },
    list: async () => [],
  }) as unknown as Schedule;
const context = {} as ToolContext;

it('what the schedule refuses is told to the caller', async () => {
  const add = createScheduleAddTool({ schedule: refusing, isGatewayRunning: async () => true });
  await expect(add.execute({ name: 'a', cron: '@daily', message: 'm' }, context)).rejects.toThrow(ToolFailure);
  const remove = createScheduleRemoveTool({ schedule: refusing });
  await expect(remove.execute({ name: 'a' }, context)).rejects.toThrow('there is no job "a"');
});

it('an empty list is a list', async () => {
  expect(await createScheduleListTool({ schedule: refusing }).execute({}, context)).toEqual({ data: { jobs: [] } });
});
