// What locks of every storage must do, within a process, between doors to one store, and between processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Lock } from '../../src/storage/locks.ts';
import type { SessionEntry, Storage } from '../../src/storage/storage.ts';

export interface LocksSubject {
  /** Opens a door to the store; each is independent of the others. */
  open(): Storage;
  /** JavaScript that opens the same store in another process: an expression, in which `await` is allowed. */
  openElsewhere: string;
  /** Takes the lock away from its holder, as an expired lease does. */
  breakLock(name: string): Promise<void>;
  remove(): void | Promise<void>;
}

/** Holds a lock; writes with it on command, and reports the result. */
const HOLDER = `
  const lock = await storage.locks.acquire('name');
  process.stdout.write(lock.token + '\\n');
  process.stdin.once('data', async () => {
    const outcome = await storage.notes.write('main', 'late', lock).then(() => 'written', (error) => error.code);
    process.stdout.write(outcome + ' ' + lock.lost.aborted + '\\n');
  });
`;

/** Adds its token to one transcript, again and again, each time under the lock. */
const WRITER = `
  for (let round = 0; round < 15; round += 1) {
    const lock = await storage.locks.acquire('name');
    const transcript = await storage.transcripts.open('one', lock);
    await transcript.append([{ type: 'note', token: lock.token }]);
    await transcript.close();
    await lock.release();
  }
  await storage.close();
`;

export function describeLocks(name: string, create: () => LocksSubject | Promise<LocksSubject>): void {
  describe(`locks of ${name}`, () => {
    let subject: LocksSubject;
    let storage: Storage;
    let other: Storage;
    const children: ReturnType<typeof spawn>[] = [];
    beforeEach(async () => {
      subject = await create();
      storage = subject.open();
      other = subject.open();
    });
    afterEach(async () => {
      for (const child of children.splice(0)) child.kill('SIGKILL');
      await Promise.all([storage.close(), other.close()]);
      await subject.remove();
    });
    const door = (which: string): Storage => (which === 'the same door' ? storage : other);

    function elsewhere(script: string) {
      const code = `const storage = ${subject.openElsewhere};\n${script}`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      children.push(child);
      return child;
    }

    /** Another process that has the lock. */
    async function holder() {
      const child = elsewhere(HOLDER);
      const [first] = (await once(child.stdout, 'data')) as [Buffer];
      return {
        token: Number(first),
        async write(): Promise<string> {
          child.stdin.write('write\n');
          const [said] = (await once(child.stdout, 'data')) as [Buffer];
          return String(said).trim();
        },
        async die(): Promise<void> {
          child.kill('SIGKILL');
          await once(child, 'exit');
        },
      };
    }

    it('let one in at a time, within a door and between doors', async () => {
      let inside = 0;
      let most = 0;
      const work = async (from: Storage): Promise<void> => {
        const lock = await from.locks.acquire('name');
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
        await lock.release();
      };
      await Promise.all(Array.from({ length: 12 }, (_, index) => work(index % 3 === 0 ? other : storage)));
      expect({ inside, most }).toEqual({ inside: 0, most: 1 });
    });

    it('let waiters of one door in, in their order', async () => {
      const first = await storage.locks.acquire('name');
      const order: number[] = [];
      const waiting = [1, 2, 3].map(async (number) => {
        const lock = await storage.locks.acquire('name');
        order.push(number);
        await lock.release();
      });
      await first.release();
      await Promise.all(waiting);
      expect(order).toEqual([1, 2, 3]);
    });

    it.each(['the same door', 'another door'])(
      'tell a waiter of %s once that it waits, and nobody else',
      async (which) => {
        let told = 0;
        const first = await storage.locks.acquire('name', { onWait: () => expect.unreachable() });
        const { promise: waits, resolve } = Promise.withResolvers<void>();
        const second = door(which).locks.acquire('name', {
          onWait: () => {
            told += 1;
            resolve();
          },
        });
        await waits;
        await new Promise((resolve) => setTimeout(resolve, 30));
        await first.release();
        await (await second).release();
        expect(told).toBe(1);
      },
    );

    it('do not block other names, however alike', async () => {
      const names = ['a', 'A', 'a ', 'a/b', 'a_b', '../a', '', 'é', 'e\u0301', 'x'.repeat(500), `${'x'.repeat(500)}y`];
      const held = await Promise.all(
        names.map((name) => storage.locks.acquire(name, { onWait: () => expect.unreachable(name) })),
      );
      for (const lock of held) await lock.release();
    });

    it.each(['the same door', 'another door'])(
      'a waiter of %s that gives up is rejected with its reason and blocks nobody',
      async (which) => {
        const first = await storage.locks.acquire('name');
        const controller = new AbortController();
        const { promise: waits, resolve: onWait } = Promise.withResolvers<void>();
        const given = door(which).locks.acquire('name', { signal: controller.signal, onWait });
        const behind = door(which).locks.acquire('name');
        await waits;
        controller.abort(new Error('changed my mind'));
        await expect(given).rejects.toThrow('changed my mind');
        await first.release();
        await (await behind).release();
      },
    );

    it.each(['the same door', 'another door'])(
      'a waiter of %s that gives up as soon as it has to wait is rejected at once',
      async (which) => {
        const first = await storage.locks.acquire('name');
        const controller = new AbortController();
        const onWait = (): void => controller.abort(new Error('not now'));
        await expect(door(which).locks.acquire('name', { signal: controller.signal, onWait })).rejects.toThrow(
          'not now',
        );
        await first.release();
      },
    );

    it('a signal that has fired takes no lock', async () => {
      await expect(storage.locks.acquire('name', { signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow(
        'too late',
      );
      await (await other.locks.acquire('name', { onWait: () => expect.unreachable() })).release();
    });

    it.each(['the same door', 'another door'])('tried through %s while it is held, there is none', async (which) => {
      const first = await storage.locks.acquire('name');
      expect(await door(which).locks.tryAcquire('name')).toBeUndefined();
      const elsewhere = await door(which).locks.tryAcquire('another');
      expect(elsewhere?.name).toBe('another');
      await elsewhere?.release();
      await first.release();
      const free = await door(which).locks.tryAcquire('name');
      expect(free).toMatchObject({ name: 'name' });
      expect(await storage.locks.tryAcquire('name')).toBeUndefined();
      await free?.release();
    });

    it('a try that failed keeps nobody waiting', async () => {
      const first = await other.locks.acquire('name');
      await storage.locks.tryAcquire('name');
      await first.release();
      await (await storage.locks.acquire('name', { onWait: () => expect.unreachable() })).release();
    });

    it('of many that try at the same time, at most one has it', async () => {
      const tried = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? storage : other).locks.tryAcquire('name')),
      );
      const got = tried.filter((lock) => lock !== undefined);
      expect(got.length).toBeLessThanOrEqual(1);
      for (const lock of got) await lock.release();
    });

    it('released twice, a lock is not taken from its next holder', async () => {
      const first = await storage.locks.acquire('name');
      await first.release();
      const second = await other.locks.acquire('name');
      await first.release();
      expect(await storage.locks.tryAcquire('name')).toBeUndefined();
      expect(first.lost.aborted).toBe(false);
      await second.release();
    });

    it('says to every caller whether a fence still holds, through whichever storage', async () => {
      const first = await storage.locks.acquire('name');
      expect([await storage.locks.holds(first), await other.locks.holds(first)]).toEqual([true, true]);
      await subject.breakLock('name');
      const second = await other.locks.acquire('name');
      expect([await storage.locks.holds(first), await storage.locks.holds(second)]).toEqual([false, true]);
      await second.release();
    });

    it('the token grows with each acquisition, through whichever door', async () => {
      const tokens: number[] = [];
      for (let round = 0; round < 10; round += 1) {
        const { locks } = round % 3 === 0 ? other : storage;
        const lock = round % 2 === 0 ? await locks.acquire('name') : await locks.tryAcquire('name');
        tokens.push(lock?.token ?? Number.NaN);
        await lock?.release();
      }
      expect(tokens.every(Number.isSafeInteger)).toBe(true);
      expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => a - b));
    });

    describe('what is written under a lock', () => {
      const entry: SessionEntry = {
        sessionKey: 'main',
        sessionId: 'session-1',
        createdAt: '2026-01-01T00:00:00.000Z',
        updatedAt: '2026-01-01T00:00:00.000Z',
      };
      const writes: [what: string, write: (lock: Lock) => Promise<void>][] = [
        ['a line', async (lock) => (await storage.transcripts.open('one', lock)).append([{ type: 'note' }])],
        ['an entry of the catalogue', (lock) => storage.catalogue.put(entry, lock)],
        ['notes', (lock) => storage.notes.write('main', 'text', lock)],
      ];
      const written = async (): Promise<unknown[]> => [
        await Array.fromAsync(other.transcripts.scan('one')),
        await other.catalogue.list(),
        await other.notes.read('main'),
      ];

      it.each(writes)('%s: accepted while it is held', async (_, write) => {
        const lock = await storage.locks.acquire('name');
        await write(lock);
        expect(await written()).not.toEqual([[], [], undefined]);
        expect(lock.lost.aborted).toBe(false);
        await lock.release();
      });

      it.each(writes)('%s: refused once somebody else has had the lock', async (_, write) => {
        const lock = await storage.locks.acquire('name');
        await lock.release();
        await (await other.locks.acquire('name')).release();
        await expect(write(lock)).rejects.toMatchObject({ code: 'STORAGE_LOCK_LOST' });
        expect(await written()).toEqual([[], [], undefined]);
      });

      it.each(writes)('%s: refused once the lock is lost, and the holder learns so', async (_, write) => {
        const lock = await storage.locks.acquire('name');
        await subject.breakLock('name');
        const next = await other.locks.acquire('name');
        expect(next.token).toBeGreaterThan(lock.token);
        await expect(write(lock)).rejects.toMatchObject({ code: 'STORAGE_LOCK_LOST' });
        expect(await written()).toEqual([[], [], undefined]);
        expect(lock.lost).toMatchObject({ aborted: true, reason: { code: 'STORAGE_LOCK_LOST' } });
        await lock.release();
        expect(await storage.locks.tryAcquire('name')).toBeUndefined();
        expect(next.lost.aborted).toBe(false);
        await next.release();
      });

      it('a transcript that was opened before the loss takes no further line', async () => {
        const lock = await storage.locks.acquire('name');
        const transcript = await storage.transcripts.open('one', lock);
        await transcript.append([{ type: 'note' }]);
        await subject.breakLock('name');
        const next = await other.locks.acquire('name');
        await expect(transcript.append([{ type: 'note' }])).rejects.toMatchObject({ code: 'STORAGE_LOCK_LOST' });
        await transcript.close();
        expect(await Array.fromAsync(other.transcripts.scan('one'))).toHaveLength(1);
        await next.release();
      });
    });

    it('a storage that is closed releases its locks, and their holders learn so', async () => {
      const third = subject.open();
      const lock = await third.locks.acquire('name');
      await third.close();
      expect(lock.lost.aborted).toBe(true);
      await (await storage.locks.acquire('name', { onWait: () => expect.unreachable() })).release();
    });

    describe('between processes', () => {
      it('a lock is waited for, a try finds it held, and the death of its holder frees it', async () => {
        const holding = await holder();
        expect(await storage.locks.tryAcquire('name')).toBeUndefined();
        const { promise: waits, resolve: onWait } = Promise.withResolvers<void>();
        const acquired = storage.locks.acquire('name', { onWait });
        await waits;
        await holding.die();
        const lock = await acquired;
        expect(lock.token).toBeGreaterThan(holding.token);
        await lock.release();
      });

      it('a waiter that gives up does not keep its queue', async () => {
        const holding = await holder();
        const controller = new AbortController();
        const onWait = (): void => controller.abort(new Error('enough'));
        await expect(storage.locks.acquire('name', { signal: controller.signal, onWait })).rejects.toThrow('enough');
        await holding.die();
        await (await storage.locks.acquire('name')).release();
      });

      it('a holder that lost its lock without noticing writes nothing, and notices then', async () => {
        const holding = await holder();
        await subject.breakLock('name');
        const lock = await storage.locks.acquire('name');
        await storage.notes.write('main', 'mine', lock);
        expect(await holding.write()).toBe('STORAGE_LOCK_LOST true');
        expect(await storage.notes.read('main')).toBe('mine');
        expect(lock.lost.aborted).toBe(false);
        await lock.release();
      });

      it('many writers write one at a time, each with a greater token than the one before', async () => {
        const writers = [1, 2, 3].map(() => once(elsewhere(WRITER), 'exit'));
        expect(await Promise.all(writers)).toEqual([1, 2, 3].map(() => [0, null]));
        const lines = await Array.fromAsync(storage.transcripts.scan('one'));
        const tokens = lines.map((scanned) => ('line' in scanned ? Number(scanned.line.token) : Number.NaN));
        expect(tokens).toHaveLength(45);
        expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => a - b));
      });
    });
  });
}
