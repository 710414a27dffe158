import type { Schedule } from '../../schedule/schedule.ts';
import type { Job } from '../../storage/jobs.ts';
import { readerOf } from '../../vocabulary/asker.ts';
import { maySee } from '../../vocabulary/memory-scope.ts';
import { type ToolContext, ToolFailure } from '../tool.ts';
import { orToolFailure } from './failure.ts';

/** A job that the person who asks may see, and so may change. */
export async function visibleJob(schedule: Schedule, name: string, { reader }: ToolContext): Promise<Job> {
  const job = await schedule.get(name).catch(orToolFailure);
  if (maySee(reader, readerOf(job.asker).scope)) return job;
  throw new ToolFailure(`there is no job "${name}": schedule_list shows them`);
}
