// Opens the schedule and its scheduler on one storage.
import type { Jobs } from '../storage/jobs.ts';
import type { Locks } from '../storage/locks.ts';
import { createHeartbeatLoader, type HeartbeatFile, type HeartbeatLoader } from './load-heartbeat.ts';
import { createSchedule, type Schedule, type ScheduleDependencies } from './schedule.ts';
import { createScheduler, type Scheduler, type SchedulerDependencies } from './scheduler.ts';
import { createSlots } from './timetable.ts';

export interface OpenScheduleDependencies
  extends Pick<ScheduleDependencies, 'now' | 'systemTimezone' | 'channels' | 'machine'> {
  jobs: Jobs;
  locks: Locks;
}

export type SchedulerOptions = Pick<SchedulerDependencies, 'fire' | 'deliver' | 'log'> &
  Partial<Pick<SchedulerDependencies, 'graceMs' | 'concurrency' | 'settleEveryMs' | 'longestWaitMs' | 'onLost'>>;

export interface OpenSchedule {
  schedule: Schedule;
  heartbeat(file: HeartbeatFile, log: (text: string) => void): HeartbeatLoader;
  /** With a heartbeat, loads its file whenever it has changed. */
  scheduler(options: SchedulerOptions, heartbeat?: HeartbeatLoader): Scheduler;
}

export function openSchedule({ jobs, locks, ...rest }: OpenScheduleDependencies): OpenSchedule {
  const slots = createSlots();
  const schedule = createSchedule({ jobs, slots, ...rest });
  return {
    schedule,
    heartbeat: (file, log) => createHeartbeatLoader({ file, schedule, jobs, log }),
    scheduler: (options, heartbeat) =>
      createScheduler({
        jobs,
        locks,
        slots,
        now: rest.now,
        timer: (ms, callback) => {
          const timer = setTimeout(callback, ms);
          return () => clearTimeout(timer);
        },
        ...options,
        ...(heartbeat && { beforeLook: () => heartbeat.load() }),
      }),
  };
}
