// What every store of jobs must do. Two doors to one store are like two processes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Claim, Finish, Job, JobDefinition, Jobs } from '../../src/storage/jobs.ts';
import type { Lock, Locks } from '../../src/storage/locks.ts';

export interface JobsSubject {
  open(): Promise<{ jobs: Jobs; locks: Locks; close(): Promise<void> }>;
  remove(): void | Promise<void>;
}

const definition = (name: string): JobDefinition => ({
  name,
  when: 'every 1s',
  timetable: { kind: 'every', everyMs: 1_000, anchor: 0 },
  timezone: 'UTC',
  message: 'do it',
  misfire: 'once',
  jitterMs: 0,
  maxFailures: 5,
  source: 'cli',
  asker: { kind: 'owner', chat: 'local:me' },
  createdAt: 0,
});
const at = (slot: number) => ({ slot, dueAt: slot });
const claimOf = (job: Job, slot: number, next: number | undefined = slot + 1_000): Claim => ({
  jobId: job.id,
  expectedSlot: job.next?.slot ?? -1,
  passedOver: [],
  run: { slot, late: false, missed: 0 },
  ...(next !== undefined && { next: at(next) }),
});
const finishOf = (runId: number, job: Job | undefined, rest: Partial<Finish> = {}): Finish => ({
  runId,
  at: 5_000,
  outcome: { status: 'ok', answer: 'done', delivery: 'none' },
  passedOver: [],
  expectedSlot: job?.next?.slot,
  next: job?.next,
  failures: 0,
  messages: [],
  ...rest,
});

export function describeJobs(name: string, create: () => JobsSubject | Promise<JobsSubject>): void {
  describe(`${name} as a store of jobs`, () => {
    let subject: JobsSubject;
    let jobs: Jobs;
    let other: Jobs;
    let locks: Locks;
    let a: Lock;
    let closeAll: () => Promise<unknown>;
    beforeEach(async () => {
      subject = await create();
      const doors = [await subject.open(), await subject.open()] as const;
      jobs = doors[0].jobs;
      other = doors[1].jobs;
      locks = doors[0].locks;
      a = await locks.acquire('a');
      closeAll = () => Promise.all(doors.map((door) => door.close()));
    });
    afterEach(async () => {
      await closeAll();
      await subject.remove();
    });

    async function added(jobName: string, slot = 1_000): Promise<Job> {
      const job = await jobs.add(definition(jobName), at(slot));
      if (!job) throw new Error('not added');
      return job;
    }
    async function claimed(job: Job, slot = 1_000, next?: number) {
      const [run] = await jobs.claim(a, [claimOf(job, slot, next)], { now: slot, begun: 1 });
      if (!run) throw new Error('not claimed');
      return run;
    }
    const again = (jobName: string): Promise<Job | undefined> => other.get(jobName);

    it('what is added is there for others, as it was given', async () => {
      const job = await added('one');
      expect(await again('one')).toEqual(job);
      expect(job).toMatchObject({ ...definition('one'), status: 'active', failures: 0, next: at(1_000) });
      expect((await other.list()).map((each) => each.name)).toEqual(['one']);
    });

    it('a name is used once, until its job is done', async () => {
      const job = await added('one');
      expect(await other.add(definition('one'), at(2_000))).toBeUndefined();
      const run = await claimed(job, 1_000, undefined);
      await jobs.finish(finishOf(run.id, await jobs.get('one'), { next: undefined }));
      expect(await other.add(definition('one'), at(2_000))).toMatchObject({ status: 'active' });
    });

    it('due are those whose time has come, the longest first, and looking changes nothing', async () => {
      await added('later', 3_000);
      await added('second', 2_000);
      await added('first', 1_000);
      expect(await jobs.nextDueAt()).toBe(1_000);
      for (let look = 0; look < 3; look += 1)
        expect((await jobs.due(2_000, 10)).map((job) => job.name)).toEqual(['first', 'second']);
      expect((await jobs.due(9_000, 1)).map((job) => job.name)).toEqual(['first']);
      expect(await jobs.due(999, 10)).toEqual([]);
    });

    it('a slot is claimed once, however many try at the same time', async () => {
      const job = await added('one');
      const doors = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? jobs : other));
      const owners = await Promise.all(doors.map((_, index) => locks.acquire(`o${index}`)));
      const runs = await Promise.all(
        owners.map((owner, index) => doors[index]?.claim(owner, [claimOf(job, 1_000)], { now: 1_000, begun: 1 })),
      );
      expect(runs.flat()).toHaveLength(1);
    });

    it('a job with an unfinished run is due for nobody, and due again when it has ended', async () => {
      const job = await added('one');
      const run = await claimed(job);
      expect(await other.due(99_000, 10)).toEqual([]);
      expect(await other.nextDueAt()).toBeUndefined();
      expect(await other.claimByHand(a, 'one', 2_000)).toBeUndefined();
      const held = await again('one');
      expect(held).toMatchObject({ runId: run.id, next: at(2_000), lastSlot: 1_000 });
      expect(await other.finish(finishOf(run.id, held))).toBe(true);
      expect(await jobs.nextDueAt()).toBe(2_000);
      expect(await jobs.finish(finishOf(run.id, held))).toBe(false);
    });

    it('a slot that is on record is not handed out again, even when the pointer is put back', async () => {
      const job = await added('one');
      const run = await claimed(job);
      await jobs.finish(finishOf(run.id, await jobs.get('one')));
      expect((await jobs.ahead(500, 9_000)).map((each) => each.name)).toEqual(['one']);
      expect(await jobs.rewind(job.id, 2_000, at(1_000))).toBe(true);
      expect(await jobs.rewind(job.id, 2_000, at(1_000))).toBe(false);
      const back = await jobs.get('one');
      if (!back) throw new Error('gone');
      expect(await jobs.claim(a, [claimOf(back, 1_000)], { now: 1_000, begun: 1 })).toEqual([]);
      expect(await jobs.get('one')).toMatchObject({ next: at(2_000) });
    });

    it('an owner that lost its lock claims and begins nothing', async () => {
      const both = [await added('one'), await added('two')];
      const late = await locks.acquire('late');
      const claims = both.map((job) => claimOf(job, 1_000));
      const [, waiting] = await jobs.claim(late, claims, { now: 1_000, begun: 1 });
      await added('three');
      await late.release();
      await (await locks.acquire('late')).release();
      const lost = { code: 'STORAGE_LOCK_LOST' };
      await expect(jobs.begin(late, waiting?.id ?? 0, 1_500)).rejects.toMatchObject(lost);
      await expect(jobs.claimByHand(late, 'three', 1_500)).rejects.toMatchObject(lost);
      await expect(jobs.adopt(waiting?.id ?? 0, 'late', late)).rejects.toMatchObject(lost);
      const third = (await other.due(9_000, 10)).map((job) => claimOf(job, 1_000));
      await expect(jobs.claim(late, third, { now: 1_500, begun: 1 })).rejects.toMatchObject(lost);
      expect((await other.due(9_000, 10)).map((job) => job.name)).toEqual(['three']);
      expect((await other.unfinished()).map(({ status }) => status)).toEqual(['running', 'queued']);
    });

    it('runs beyond the first few wait, begin once, and can be taken over by one', async () => {
      const both = [await added('one'), await added('two')];
      const [b, c] = [await locks.acquire('b'), await locks.acquire('c')];
      const runs = await jobs.claim(
        a,
        both.map((job) => claimOf(job, 1_000)),
        { now: 1_000, begun: 1 },
      );
      expect(runs.map(({ status }) => status)).toEqual(['running', 'queued']);
      const waiting = runs[1]?.id ?? 0;
      expect(await other.begin(b, waiting, 1_500)).toBe(false);
      const tried = await Promise.all([jobs.adopt(waiting, 'a', b), other.adopt(waiting, 'a', c)]);
      expect(tried.toSorted()).toEqual([false, true]);
      const taker = tried[0] ? b : c;
      expect(await jobs.begin(a, waiting, 1_500)).toBe(false);
      expect(await other.begin(taker, waiting, 1_500)).toBe(true);
      expect(await other.adopt(waiting, taker.name, a)).toBe(false);
      expect((await other.unfinished()).map(({ status, owner }) => [status, owner])).toEqual([
        ['running', 'a'],
        ['running', taker.name],
      ]);
    });

    it('an end pauses, keeps messages and records what was passed over, all at once', async () => {
      const job = await added('one');
      const run = await claimed(job);
      const skipped = { status: 'skipped', reason: 'busy', firstSlot: 2_000, lastSlot: 4_000, count: 3 } as const;
      await jobs.finish(
        finishOf(run.id, await jobs.get('one'), {
          outcome: { status: 'failed', reason: 'no model' },
          passedOver: [skipped],
          next: at(5_000),
          failures: 5,
          pause: '5 failures',
          messages: [{ key: 'k', chat: 'local:me', text: 'paused', isAnswer: false, asker: { kind: 'nobody' } }],
        }),
      );
      expect(await again('one')).toMatchObject({
        status: 'paused',
        reason: '5 failures',
        failures: 5,
        lastSlot: 4_000,
      });
      expect(await other.nextDueAt()).toBeUndefined();
      expect((await other.history('one', 10)).map(({ status, slot, count }) => [status, slot, count])).toEqual([
        ['skipped', 2_000, 3],
        ['failed', 1_000, 0],
      ]);
      expect(await other.messages(10)).toMatchObject([
        { key: 'k', runId: run.id, chat: 'local:me', asker: { kind: 'nobody' } },
      ]);
      await other.settleMessage('k', 'sent');
      expect(await jobs.messages(10)).toEqual([]);
      expect(await jobs.resume('one', at(6_000))).toBe(true);
      expect(await again('one')).toMatchObject({ status: 'active', failures: 0, next: at(6_000) });
      expect(await other.nextDueAt()).toBe(6_000);
    });

    it('an answer is known to be sent once its message is', async () => {
      const run = await claimed(await added('one'));
      await jobs.finish(
        finishOf(run.id, await jobs.get('one'), {
          outcome: { status: 'ok', answer: 'hello', delivery: 'pending' },
          messages: [
            { key: 'k', chat: 'local:me', text: 'hello', isAnswer: true, asker: { kind: 'chat', chat: 'local:me' } },
          ],
        }),
      );
      expect(await jobs.history('one', 1)).toMatchObject([{ delivery: 'pending', answer: 'hello' }]);
      expect(await other.messages(1)).toMatchObject([{ asker: { kind: 'chat', chat: 'local:me' } }]);
      await jobs.settleMessage('k', 'sent');
      expect(await jobs.history('one', 1)).toMatchObject([{ delivery: 'sent' }]);
    });

    it('what is paused while it runs stays paused, and its pointer keeps its place', async () => {
      const run = await claimed(await added('one'));
      expect(await other.pause('one', 'by hand')).toBe(true);
      await jobs.finish(finishOf(run.id, await jobs.get('one')));
      expect(await again('one')).toMatchObject({ status: 'paused', next: at(2_000) });
      expect(await jobs.nextDueAt()).toBeUndefined();
    });

    it('what is redefined while it runs keeps its new pointer', async () => {
      const run = await claimed(await added('one'));
      const before = await jobs.get('one');
      await other.redefine('one', { ...definition('one'), message: 'else' }, at(77_000));
      expect(await jobs.nextDueAt()).toBeUndefined();
      await jobs.finish(finishOf(run.id, before));
      expect(await again('one')).toMatchObject({ message: 'else', next: at(77_000), status: 'active' });
      expect(await jobs.nextDueAt()).toBe(77_000);
    });

    it('a job without a further slot is done, after its last run', async () => {
      const run = await claimed(await added('one'), 1_000, undefined);
      const job = await jobs.get('one');
      expect(job?.next).toEqual(at(2_000));
      await jobs.finish(finishOf(run.id, job, { next: undefined }));
      expect(await again('one')).toMatchObject({ status: 'done' });
      expect(await jobs.pause('one', 'x')).toBe(false);
    });

    it('a message outlives its job, with who asked for it', async () => {
      const run = await claimed(await added('one'));
      const asker = { kind: 'owner', chat: 'local:me' } as const;
      await jobs.finish(
        finishOf(run.id, await jobs.get('one'), {
          messages: [{ key: 'k', chat: 'local:me', text: 'hello', isAnswer: true, asker }],
        }),
      );
      await other.remove('one');
      expect(await jobs.messages(10)).toMatchObject([{ key: 'k', asker }]);
    });

    it('forgets what the runs of one job answered, and the messages of them that wait', async () => {
      for (const name of ['one', 'two']) {
        const run = await claimed(await added(name));
        await jobs.finish(
          finishOf(run.id, await jobs.get(name), {
            outcome: { status: 'ok', answer: 'hello', delivery: 'pending' },
            messages: [
              { key: `k-${name}`, chat: 'local:me', text: 'hello', isAnswer: true, asker: { kind: 'nobody' } },
            ],
          }),
        );
      }
      await jobs.forgetAnswers('one');
      expect((await other.messages(10)).map(({ key }) => key)).toEqual(['k-two']);
      expect((await other.history('one', 10)).map(({ answer }) => answer)).toEqual([undefined]);
      expect((await other.history('two', 10)).map(({ answer }) => answer)).toEqual(['hello']);
    });

    it('removing takes the history along; a run that ends later changes nothing', async () => {
      const run = await claimed(await added('one'));
      expect(await other.remove('one')).toBe(true);
      expect(await jobs.remove('one')).toBe(false);
      expect(await jobs.finish(finishOf(run.id, undefined))).toBe(false);
      expect(await jobs.history('one', 10)).toEqual([]);
      expect(await jobs.unfinished()).toEqual([]);
    });

    it('a history keeps the newest two hundred', async () => {
      await added('one');
      for (let slot = 1_000; slot <= 220_000; slot += 1_000) {
        const job = await jobs.get('one');
        if (!job) throw new Error('gone');
        const run = await claimed(job, slot);
        await jobs.finish(finishOf(run.id, await jobs.get('one')));
      }
      const history = await jobs.history('one', 1_000);
      expect(history).toHaveLength(200);
      expect(history[0]).toMatchObject({ slot: 220_000, status: 'ok' });
    });

    it('of jobs that are done, the newest hundred are kept', async () => {
      for (let index = 0; index < 105; index += 1) {
        const run = await claimed(await added(`j${index}`));
        await jobs.finish(finishOf(run.id, await jobs.get(`j${index}`), { next: undefined }));
      }
      await added('last');
      const names = (await jobs.list()).map((job) => job.name);
      expect(names).toHaveLength(101);
      expect(names).not.toContain('j4');
      expect(names).toContain('j5');
    });

    it('a failing write does not take others of the same moment with it', async () => {
      const fine = jobs.add(definition('fine'), at(1_000));
      const broken = jobs.add({ ...definition('broken') }, { slot: Number.NaN, dueAt: {} as number });
      await expect(broken).rejects.toThrow();
      expect(await fine).toMatchObject({ name: 'fine' });
    });
  });
}
