import type { Schedule } from '../../schedule/schedule.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';
import { visibleJob } from './visible-job.ts';

export function createScheduleRemoveTool({ schedule }: { schedule(): Promise<Schedule> }): ToolSpec {
  return defineTool({
    name: 'schedule_remove',
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
      const removed = await jobs.remove(name).catch(orToolFailure);
      return { data: { removed }, text: repliesIn(context).removed(removed) };
    },
  });
}
