import type { Schedule } from '../../schedule/schedule.ts';
import { summaryOf } from '../../schedule/summary.ts';
import type { ToolSpec } from '../tool.ts';

export function createScheduleListTool({ schedule }: { schedule(): Promise<Schedule> }): ToolSpec {
  return {
    name: 'schedule_list',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    requiresPermission: false,
    timeoutMs: 20_000,
    async execute() {
      const jobs = (await (await schedule()).list()).map(summaryOf);
      // What a job asks may be written by anyone who can write HEARTBEAT.md.
      const isOutside = jobs.some(({ source }) => source === 'heartbeat');
      return { data: { jobs }, ...(isOutside && { meta: { outside: true } }) };
    },
  };
}
