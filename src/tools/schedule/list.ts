import type { Schedule } from '../../schedule/schedule.ts';
import { summaryOf } from '../../schedule/summary.ts';
import { readerOf } from '../../vocabulary/asker.ts';
import { maySee } from '../../vocabulary/memory-scope.ts';
import { taintSource } from '../../vocabulary/taint-source.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';

export function createScheduleListTool({ schedule }: { schedule(): Promise<Schedule> }): ToolSpec {
  return defineTool({
    name: 'schedule_list',
    schema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    isFolded: true,
    subject: noSubject,
    timeoutMs: 20_000,
    async execute(_args, { reader }) {
      const all = await (await schedule()).list();
      const jobs = all.filter(({ asker }) => maySee(reader, readerOf(asker).scope)).map(summaryOf);
      // What a job asks may be written by anyone who can write HEARTBEAT.md.
      const tainted = jobs.some(({ source }) => source === 'heartbeat');
      return {
        data: { jobs },
        ...(tainted && { meta: { tainted: true, taintedBy: [taintSource('file', 'HEARTBEAT.md')] } }),
      };
    },
  });
}
