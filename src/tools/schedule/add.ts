import type { JobRequest, Schedule } from '../../schedule/schedule.ts';
import { NOBODY } from '../../vocabulary/asker.ts';
import type { AnswerProblem } from '../answer-problem.ts';
import { defineTool } from '../define-tool.ts';
import { repliesIn } from '../languages/replies.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

export interface ScheduleAddDependencies {
  schedule(): Promise<Schedule>;
  /** Whether a process runs that starts jobs when they are due. */
  isGatewayRunning(): Promise<boolean>;
  answerProblem: AnswerProblem;
}

/**
 * Needs no permission: what is added only asks a question later, in a turn where nobody approves anything. In a tainted turn it
 * asks, like every write outside the workspace.
 */
export function createScheduleAddTool({
  schedule,
  isGatewayRunning,
  answerProblem,
}: ScheduleAddDependencies): ToolSpec {
  return defineTool({
    name: 'schedule_add',
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
      required: ['name', 'cron', 'message'],
      additionalProperties: false,
    },
    effect: 'write',
    subject: noSubject,
    requiresPermission: false,
    lasts: true,
    timeoutMs: 20_000,
    async execute(args, { delegation, language }) {
      const replies = repliesIn({ language });
      const asker = delegation?.inherit().asker ?? NOBODY;
      // Who asks in a chat waits for the answer there.
      const here = asker.kind === 'chat' ? { injectInto: asker.chat } : {};
      const request: JobRequest = { ...here, ...args };
      const job = await (await schedule()).add(request, 'tool', asker).catch(orToolFailure);
      const { name, when, timezone, next, injectInto } = job;
      const nextRunAt = new Date(next?.dueAt ?? 0).toISOString();
      const notes = [
        ...((await isGatewayRunning()) ? [] : [replies.jobWaits]),
        ...(injectInto === undefined ? [] : [await answerProblem(injectInto, asker)]),
      ];
      const note = notes.filter((text) => text !== undefined).join('\n');
      return {
        data: { name, cron: when, timezone, nextRunAt, ...(injectInto && { injectInto }), ...(note && { note }) },
        text: `${replies.jobAdded({ name, nextRunAt, timezone })}${injectInto ? `, ${replies.jobAnswersIn(injectInto)}` : ''}${note ? `\n${note}` : ''}`,
      };
    },
  });
}
