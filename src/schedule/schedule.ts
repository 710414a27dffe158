// Jobs as people and models manage them: add, list, remove, pause, resume, history and upcoming runs. Reading changes nothing.
import { findByName, foldedName, givenNameProblem, normalName } from '../lib/given-name.ts';
import type { Job, JobDefinition, JobSource, Jobs, Misfire, NextSlot, Run, Timetable } from '../storage/jobs.ts';
import type { Asker } from '../vocabulary/asker.ts';
import { parseChatName } from '../vocabulary/chat-name.ts';
import { parseDuration, parseTimetable } from './parse-timetable.ts';
import { nextOf } from './plan.ts';
import { ScheduleError } from './schedule-error.ts';
import type { Slots } from './timetable.ts';

export interface JobRequest {
  name: string;
  /** Cron, @daily, "every 20m" or "at 2026-12-01T09:00". */
  cron: string;
  message: string;
  model?: string;
  injectInto?: string;
  timezone?: string;
  misfire?: Misfire;
  /** A duration such as 30s. */
  jitter?: string;
  maxFailures?: number;
}

/** What is left out stays as it is. */
export type JobChanges = Partial<Omit<JobRequest, 'name'>>;

type JobOrigin = Pick<JobDefinition, 'source' | 'asker' | 'origin' | 'originText'>;

export interface Schedule {
  /** `asker` decides where the answers may go. */
  add(request: JobRequest, source: JobSource, asker: Asker): Promise<Job>;
  /** Builds the job without storing it. Throws as `add` does. */
  define(request: JobRequest, from: JobOrigin): { definition: JobDefinition; next: NextSlot };
  /**
   * Changes a job and makes it active, without failures; its history stays. Times that stay as they are keep their next run. `asker` is who
   * changes it: a new chat for the answers is theirs to name.
   */
  edit(name: string, changes: JobChanges, asker: Asker): Promise<Job>;
  /** When a job with these times would run. Throws as `add` does. */
  preview(times: Pick<JobRequest, 'cron' | 'timezone'>, count: number): { timetable: Timetable; runs: NextSlot[] };
  list(): Promise<Job[]>;
  get(name: string): Promise<Job>;
  /** The name of the job that was removed. */
  remove(name: string): Promise<string>;
  pause(name: string): Promise<Job>;
  resume(name: string): Promise<Job>;
  /** Newest first. */
  history(name: string, limit: number): Promise<Run[]>;
  /** The next runs, jitter included. */
  upcoming(name: string, count: number): Promise<NextSlot[]>;
}

export interface ScheduleDependencies {
  jobs: Jobs;
  slots: Slots;
  now(): number;
  systemTimezone(): string;
  /** The names of the channels. */
  channels: readonly string[];
  /** Names this machine where the storage is shared with others. */
  machine?(): Promise<string | undefined>;
}

const DEFAULT_MAX_FAILURES = 5;
const LONGEST_MESSAGE = 20_000;

export function createSchedule({
  jobs,
  slots,
  now,
  systemTimezone,
  channels,
  machine,
}: ScheduleDependencies): Schedule {
  async function existing(name: string): Promise<Job> {
    const job = (await jobs.get(name)) ?? findJob(await jobs.list(), name);
    if (!job)
      throw new ScheduleError('SCHEDULE_NOT_FOUND', `there is no job "${name}": lainclaw schedule list shows them`);
    return job;
  }

  /** Its gateway may never return: then nobody can change its file. While it runs, it adds the job again when the file changes. */
  async function isOfAnotherMachine(origin = ''): Promise<boolean> {
    const own = await machine?.();
    return own !== undefined && !origin.startsWith('/') && !origin.startsWith(`${own}:`);
  }

  function define(request: JobRequest, from: JobOrigin) {
    const { cron, message, model, injectInto, misfire = 'once', maxFailures = DEFAULT_MAX_FAILURES } = request;
    const name = acceptedName(request.name);
    if (message.trim() === '') throw new ScheduleError('SCHEDULE_BAD_VALUE', 'the message is empty: say what to do');
    if (message.length > LONGEST_MESSAGE)
      throw new ScheduleError('SCHEDULE_BAD_VALUE', `the message is longer than ${LONGEST_MESSAGE} characters`);
    if (model?.trim() === '')
      throw new ScheduleError('SCHEDULE_BAD_VALUE', 'the model is empty: name one, or leave it out');
    if (injectInto !== undefined) checkChat(injectInto, channels);
    const timezone = request.timezone ?? systemTimezone();
    const timetable = parseTimetable(cron, { slots, timezone, now: now() });
    const jitterMs = jitterFrom(request.jitter);
    const definition: JobDefinition = {
      name,
      when: cron.trim(),
      timetable,
      timezone: timetable.kind === 'every' ? timezone : timetable.timezone,
      message,
      ...(model !== undefined && { model }),
      ...(injectInto !== undefined && { injectInto }),
      misfire,
      jitterMs,
      maxFailures,
      ...from,
      createdAt: now(),
    };
    const next = nextOf(definition, now(), slots);
    if (!next) throw new ScheduleError('SCHEDULE_NEVER_FIRES', `"${cron}" never fires`);
    const second = slots.next(timetable, next.slot);
    if (second !== undefined && jitterMs >= second - next.slot)
      throw new ScheduleError('SCHEDULE_BAD_VALUE', 'the jitter must be shorter than the time between two runs');
    return { definition, next };
  }

  return {
    define,
    async add(request, source, asker) {
      const { definition, next } = define(request, { source, asker });
      const { name } = definition;
      const like = (await jobs.list()).find(
        (each) => each.status !== 'done' && foldedName(each.name) === foldedName(name),
      );
      const job = like ? undefined : await jobs.add(definition, next);
      if (job) return job;
      throw new ScheduleError(
        'SCHEDULE_DUPLICATE',
        `there is a job "${like?.name ?? name}" already: choose another name, or remove it first (lainclaw schedule remove)`,
      );
    },
    async edit(given, changes, asker) {
      const job = await existing(given);
      const { name, source, origin } = job;
      if (source === 'heartbeat')
        throw new ScheduleError('SCHEDULE_BAD_VALUE', `"${name}" is defined in ${origin}: change its section there`);
      const isMoved = changes.injectInto !== undefined && changes.injectInto !== job.injectInto;
      const request = { name, ...requestOf(job), ...definedIn(changes) };
      const changed = define(request, { ...originOf(job), asker: isMoved ? asker : job.asker });
      const keepsTimes = request.cron.trim() === job.when && (request.timezone ?? job.timezone) === job.timezone;
      const { definition, next } =
        keepsTimes && job.next
          ? { definition: { ...changed.definition, timetable: job.timetable }, next: job.next }
          : changed;
      const edited = await jobs.redefine(name, { ...definition, createdAt: job.createdAt }, next);
      if (!edited) throw new ScheduleError('SCHEDULE_NOT_FOUND', `"${name}" was removed meanwhile: add it again`);
      return edited;
    },
    preview(times, count) {
      const request = { name: 'preview', message: 'preview', ...times };
      const { definition, next: first } = define(request, { source: 'cli', asker: { kind: 'owner' } });
      const runs: NextSlot[] = [];
      for (
        let next: NextSlot | undefined = first;
        next && runs.length < count;
        next = nextOf(definition, next.slot, slots)
      )
        runs.push(next);
      return { timetable: definition.timetable, runs };
    },
    list: () => jobs.list(),
    get: existing,
    async remove(given) {
      const { name, source, origin } = await existing(given);
      if (source === 'heartbeat' && !(await isOfAnotherMachine(origin)))
        throw new ScheduleError('SCHEDULE_BAD_VALUE', `"${name}" is defined in ${origin}: remove its section there`);
      await jobs.remove(name);
      return name;
    },
    async pause(given) {
      const { name, status } = await existing(given);
      if (status === 'done') throw new ScheduleError('SCHEDULE_BAD_VALUE', `"${name}" is done: it has no further run`);
      await jobs.pause(name, 'paused by hand');
      return existing(name);
    },
    async resume(given) {
      const job = await existing(given);
      const { name } = job;
      if (job.status === 'active') return job;
      // Slots that passed while the job was paused do not run, nor does a slot that ran already.
      const next = nextOf(job, Math.max(now(), job.lastSlot ?? 0), slots);
      if (!next)
        throw new ScheduleError('SCHEDULE_NEVER_FIRES', `"${name}" has no further run: remove it and add another`);
      await jobs.resume(name, next);
      return existing(name);
    },
    async history(given, limit) {
      const { name } = await existing(given);
      return jobs.history(name, limit);
    },
    async upcoming(name, count) {
      const job = await existing(name);
      const found: NextSlot[] = [];
      for (let next = job.next; next && found.length < count; next = nextOf(job, next.slot, slots)) found.push(next);
      return job.status === 'active' ? found : [];
    },
  };
}

/** As it was asked for. */
function requestOf({
  when,
  message,
  model,
  injectInto,
  timezone,
  misfire,
  jitterMs,
  maxFailures,
}: Job): Omit<JobRequest, 'name'> {
  const jitter = jitterMs === 0 ? undefined : `${Math.round(jitterMs / 1_000)}s`;
  return { cron: when, message, model, injectInto, timezone, misfire, jitter, maxFailures };
}

function originOf({ source, origin, originText }: Job): Omit<JobOrigin, 'asker'> {
  return { source, ...(origin !== undefined && { origin }), ...(originText !== undefined && { originText }) };
}

function definedIn(changes: JobChanges): JobChanges {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/** A section of HEARTBEAT.md is also found by its heading as it is written there, with spaces. */
function findJob(all: readonly Job[], name: string): Job | undefined {
  return findByName(all, name) ?? findByName(all, normalName(name).replaceAll(' ', '-'));
}

function acceptedName(given: string): string {
  const problem = givenNameProblem(given);
  if (problem) throw new ScheduleError('SCHEDULE_BAD_NAME', `this cannot name a job: ${problem}`);
  return normalName(given);
}

function checkChat(chat: string, channels: readonly string[]): void {
  if (!/\s/.test(chat) && channels.includes(parseChatName(chat)?.channel ?? '')) return;
  throw new ScheduleError(
    'SCHEDULE_BAD_VALUE',
    `"${chat}" is not a chat: write <channel>:<chatId>, such as telegram:123456; channels are ${channels.join(', ')}`,
  );
}

function jitterFrom(text: string | undefined): number {
  if (text === undefined) return 0;
  const jitter = text === '0' ? 0 : parseDuration(text);
  if (jitter !== undefined && jitter <= 86_400_000) return jitter;
  throw new ScheduleError('SCHEDULE_BAD_VALUE', `"${text}" is not a jitter: write a time up to 1d, such as 30s or 5m`);
}
