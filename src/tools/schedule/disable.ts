import type { Schedule } from '../../schedule/schedule.ts';
import { summaryOf } from '../../schedule/summary.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';
import { visibleJob } from './visible-job.ts';

export function createScheduleDisableTool({ schedule }: { schedule(): Promise<Schedule> }): ToolSpec {
  return defineTool({
    name: 'schedule_disable',
    schema: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    },
    effect: 'write',
    isFolded: true,
    subject: noSubject,
    requiresPermission: false,
    lasts: true,
    timeoutMs: 20_000,
    async execute({ name: given }, context) {
      const jobs = await schedule();
      const { name } = await visibleJob(jobs, given, context);
      const job = summaryOf(await jobs.pause(name).catch(orToolFailure));
      return { data: { job }, text: repliesIn(context).jobChanged(job.name, job.status, job.nextRunAt) };
    },
  });
}
