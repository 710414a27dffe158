import type { Schedule } from '../../schedule/schedule.ts';
import { summaryOf } from '../../schedule/summary.ts';
import { NOBODY } from '../../vocabulary/asker.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { noSubject } from '../subject.ts';
import { ToolFailure, type ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';
import { visibleJob } from './visible-job.ts';

export function createScheduleEditTool({ schedule }: { schedule(): Promise<Schedule> }): ToolSpec {
  return defineTool({
    name: 'schedule_edit',
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        cron: { type: 'string' },
        message: { type: 'string' },
        model: { type: 'string' },
        injectInto: { type: 'string' },
        timezone: { type: 'string' },
      },
      required: ['name'],
      additionalProperties: false,
    },
    effect: 'write',
    isFolded: true,
    subject: noSubject,
    requiresPermission: false,
    lasts: true,
    timeoutMs: 20_000,
    async execute({ name: given, ...changes }, context) {
      if (Object.keys(changes).length === 0) throw new ToolFailure('say what to change', { code: 'invalid_args' });
      const jobs = await schedule();
      const { name } = await visibleJob(jobs, given, context);
      const asker = context.delegation?.inherit().asker ?? NOBODY;
      const job = summaryOf(await jobs.edit(name, changes, asker).catch(orToolFailure));
      return { data: { job }, text: repliesIn(context).jobChanged(job.name, job.status, job.nextRunAt) };
    },
  });
}
