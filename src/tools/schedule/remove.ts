import type { Schedule } from '../../schedule/schedule.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

export function createScheduleRemoveTool({ schedule }: { schedule(): Promise<Schedule> }): ToolSpec {
  return {
    name: 'schedule_remove',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    },
    effect: 'write',
    requiresPermission: false,
    timeoutMs: 20_000,
    async execute({ name }) {
      await (await schedule()).remove(name as string).catch(orToolFailure);
      return { data: { removed: name }, text: `removed ${name}` };
    },
  };
}
