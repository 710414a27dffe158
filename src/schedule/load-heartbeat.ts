// Keeps the stored jobs in step with HEARTBEAT.md: adds jobs for new sections, redefines changed ones, removes missing ones. An
// unusable section pauses its job, so that nobody waits for it in vain.
import type { Job, Jobs } from '../storage/jobs.ts';
import { NOBODY } from '../vocabulary/asker.ts';
import { type HeartbeatProblem, type HeartbeatSection, parseHeartbeat } from './heartbeat.ts';
import type { JobRequest, Schedule } from './schedule.ts';
import { ScheduleError } from './schedule-error.ts';

export interface HeartbeatFile {
  /** Path of the file, for people. */
  path: string;
  /** Set where the storage is shared: names this machine, whose jobs alone follow the file. */
  machine?: string;
  /** Undefined: there is no file. `state` changes with the content. */
  read(): Promise<{ text: string; state: string } | undefined>;
}

export interface HeartbeatLoader {
  /** Loads the file when it changed since the last time. */
  load(): Promise<void>;
  /** The problems of the current file. Changes nothing. */
  problems(): Promise<HeartbeatProblem[]>;
}

export interface HeartbeatDependencies {
  file: HeartbeatFile;
  schedule: Pick<Schedule, 'define'>;
  jobs: Jobs;
  log(text: string): void;
}

export function createHeartbeatLoader({ file, schedule, jobs, log }: HeartbeatDependencies): HeartbeatLoader {
  let loaded: { state: string | undefined } | undefined;
  const origin = file.machine === undefined ? file.path : `${file.machine}:${file.path}`;
  // Only one file of a machine is active at a time: its jobs replace those of another workspace's file.
  const isOurs = ({ source, origin: from = '' }: Job): boolean =>
    source === 'heartbeat' && (file.machine === undefined || from.startsWith(`${file.machine}:`) || from === file.path);
  const isSame = ({ origin: from, originText }: Job, section: HeartbeatSection): boolean =>
    from === origin && originText === JSON.stringify(requestOf(section));
  const define = (section: HeartbeatSection) => {
    const request = requestOf(section);
    const originText = JSON.stringify(request);
    // A person who can write the file must not choose which chat gets the answers.
    return schedule.define(request, { source: 'heartbeat', asker: NOBODY, origin, originText });
  };

  /** Compares the file with the stored jobs: returns the changes to make, and the problems. */
  function compare(text: string, existing: readonly Job[]) {
    const { sections, problems } = parseHeartbeat(text);
    const taken = new Map(existing.map((job) => [job.name, job]));
    const usable = sections.filter((section) => {
      const job = taken.get(section.name);
      if (job && !isOurs(job) && job.status !== 'done') {
        problems.push({
          line: section.line,
          name: section.name,
          message: `another job is named "${section.name}": rename one`,
        });
        return false;
      }
      // Unchanged: a past moment or a pause stays as it is.
      if (job && isOurs(job) && isSame(job, section)) return true;
      try {
        define(section);
        return true;
      } catch (error) {
        if (!(error instanceof ScheduleError)) throw error;
        const line = /^SCHEDULE_(INVALID|NEVER_FIRES)$/.test(error.code) ? section.cronLine : section.line;
        problems.push({ line, name: section.name, message: error.message });
        return false;
      }
    });
    problems.sort((a, b) => a.line - b.line);
    return { usable, problems, taken };
  }

  async function apply(text: string): Promise<void> {
    const existing = await jobs.list();
    const { usable, problems, taken } = compare(text, existing);
    for (const section of usable) {
      const job = taken.get(section.name);
      if (job && isOurs(job) && isSame(job, section)) {
        if (job.status !== 'paused' || !job.reason?.startsWith(`${file.path}:`)) continue;
      }
      const { definition, next } = define(section);
      if (job && isOurs(job)) await jobs.redefine(section.name, definition, next);
      else await jobs.add(definition, next);
    }
    for (const { line, message } of problems) log(`${file.path}:${line}: ${message}`);
    const kept = new Set(usable.map(({ name }) => name));
    for (const job of existing.filter(isOurs)) {
      if (kept.has(job.name)) continue;
      const problem = problems.find(({ name }) => name === job.name);
      if (problem) await jobs.pause(job.name, `${file.path}:${problem.line}: ${problem.message}`);
      else await jobs.remove(job.name);
    }
  }

  return {
    async load() {
      try {
        const found = await file.read();
        if (loaded && loaded.state === found?.state) return;
        await apply(found?.text ?? '');
        loaded = { state: found?.state };
      } catch (error) {
        // Jobs stay as they are: an unreadable file is not an empty one.
        const message = `${file.path} could not be loaded: ${(error as Error).message}`;
        if (loaded?.state !== message) log(message);
        loaded = { state: message };
      }
    },
    async problems() {
      const found = await file.read();
      return found ? compare(found.text, await jobs.list()).problems : [];
    },
  };
}

function requestOf({ line: _line, cronLine: _cronLine, ...request }: HeartbeatSection): JobRequest {
  return request;
}
