import type { JobRequest, Schedule } from '../../schedule/schedule.ts';
import { momentIn, sentenceOf } from '../../schedule/sentence.ts';
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

/** How many of the next runs are said, so that a person can see whether the times are what was meant. */
const RUNS_NAMED = 3;

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
      const runs = await (await schedule()).upcoming(name, RUNS_NAMED);
      const sentence = await sentenceOf(job.timetable, language ?? 'en');
      const notes = [
        ...((await isGatewayRunning()) ? [] : [replies.jobWaits]),
        ...(injectInto === undefined ? [] : [await answerProblem(injectInto, asker)]),
      ];
      const note = notes.filter((text) => text !== undefined).join('\n');
      return {
        data: {
          name,
          cron: when,
          ...(sentence !== undefined && { meaning: sentence }),
          timezone,
          nextRunAt,
          nextRuns: runs.map(({ dueAt }) => new Date(dueAt).toISOString()),
          ...(injectInto && { injectInto }),
          ...(note && { note }),
        },
        text: `${replies.jobAdded({
          name,
          meaning: sentence ?? when,
          runs: runs.map(({ dueAt }) => momentIn(timezone, dueAt)),
          timezone,
        })}${injectInto ? `, ${replies.jobAnswersIn(injectInto)}` : `\n${replies.jobAnswersKept(name)}`}${note ? `\n${note}` : ''}`,
      };
    },
  });
}
