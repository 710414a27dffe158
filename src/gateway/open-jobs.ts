// Scheduled jobs in one workspace: its HEARTBEAT.md, and the turns that its jobs are.
import { join } from 'node:path';
import type { Language } from '../config/settings.ts';
import type { HeartbeatLoader } from '../schedule/load-heartbeat.ts';
import type { OpenSchedule, SchedulerOptions } from '../schedule/open-schedule.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import { readWholeFile } from '../workspace/file-access.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Gateway } from './gateway.ts';
import { askForJob, type JobTurnSettings } from './job-turn.ts';

const HEARTBEAT = 'HEARTBEAT.md';
const LARGEST_HEARTBEAT_BYTES = 262_144;

export interface OpenJobsDependencies {
  opened: OpenSchedule;
  files: Pick<Workspace, 'root' | 'openFile'>;
  /** Names this machine where the storage is shared with others. */
  machine?: string;
  gateway(): Promise<Gateway>;
  /** The language of what the model reads about its work. */
  language?: Language;
  log(text: string): void;
}

export interface WorkspaceJobs {
  heartbeat: HeartbeatLoader;
  /** Runs the jobs, in turns with the settings of the moment; one for each process that does. */
  scheduler(
    turns: () => JobTurnSettings,
    options: Omit<SchedulerOptions, 'fire' | 'log'> & Partial<Pick<SchedulerOptions, 'log'>>,
  ): Promise<Scheduler>;
}

export function openJobs({ opened, files, machine, gateway, language, log }: OpenJobsDependencies): WorkspaceJobs {
  const heartbeat = opened.heartbeat(
    {
      path: join(files.root, HEARTBEAT),
      machine,
      async read() {
        const file = await readWholeFile(files, HEARTBEAT, { maxBytes: LARGEST_HEARTBEAT_BYTES });
        return file && { text: file.bytes.toString('utf8'), state: file.fingerprint };
      },
    },
    log,
  );
  return {
    heartbeat,
    async scheduler(turns, options) {
      const { ask } = await gateway();
      const fire: SchedulerOptions['fire'] = (job, _slot, signal) => askForJob({ ask, language }, job, turns(), signal);
      return opened.scheduler({ log, ...options, fire }, heartbeat);
    },
  };
}
