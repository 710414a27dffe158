// Scheduled jobs with what they need: HEARTBEAT.md of the workspace, and the door through which their turns enter.
import { join } from 'node:path';
import type { HeartbeatLoader } from '../schedule/load-heartbeat.ts';
import { type OpenScheduleDependencies, openSchedule, type SchedulerOptions } from '../schedule/open-schedule.ts';
import type { Schedule } from '../schedule/schedule.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import { readWholeFile } from '../workspace/file-access.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Gateway } from './gateway.ts';
import { askForJob, type JobTurnSettings } from './job-turn.ts';

const HEARTBEAT = 'HEARTBEAT.md';
const LARGEST_HEARTBEAT_BYTES = 262_144;

export interface OpenJobsDependencies extends OpenScheduleDependencies {
  workspace(): Promise<Pick<Workspace, 'root' | 'openFile'>>;
  gateway(): Promise<Gateway>;
}

export interface ScheduledJobs {
  schedule: Schedule;
  /** HEARTBEAT.md of the workspace. */
  heartbeat(): Promise<HeartbeatLoader>;
  /** What runs the jobs, in turns with the settings of the moment; one for each process that does. */
  scheduler(turns: () => JobTurnSettings, options: Omit<SchedulerOptions, 'fire'>): Promise<Scheduler>;
}

export function openJobs({ workspace, gateway, ...rest }: OpenJobsDependencies): ScheduledJobs {
  const opened = openSchedule(rest);
  async function heartbeat(): Promise<HeartbeatLoader> {
    const files = await workspace();
    return opened.heartbeat({
      path: join(files.root, HEARTBEAT),
      async read() {
        const file = await readWholeFile(files, HEARTBEAT, { maxBytes: LARGEST_HEARTBEAT_BYTES });
        return file && { text: file.bytes.toString('utf8'), state: file.fingerprint };
      },
    });
  }
  return {
    schedule: opened.schedule,
    heartbeat,
    async scheduler(turns, options) {
      const door = await gateway();
      const fire: SchedulerOptions['fire'] = (job, _slot, signal) => askForJob(door, job, turns(), signal);
      return opened.scheduler({ ...options, fire }, await heartbeat());
    },
  };
}
