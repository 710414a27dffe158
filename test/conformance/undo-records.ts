// What every storage must do with the records of undo. Two doors to one store are like two processes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import type { FileChange } from '../../src/storage/undo-records.ts';

export interface UndoRecordsSubject {
  /** Opens a door to the store; each is independent of the others. */
  open(): Storage;
  remove?(): Promise<void>;
}

const scope = (turnId: string) => ({ sessionId: 's', turnId, root: '/ws' });

function change(path: string, before: string | undefined, after: string | undefined): FileChange {
  const state = (content: string | undefined) =>
    content === undefined ? undefined : { bytes: Buffer.from(content), mode: 0o640 };
  return { tool: 'file_write', path, before: state(before), after: state(after), madeDirectories: [] };
}

export function describeUndoRecords(
  name: string,
  create: () => UndoRecordsSubject | Promise<UndoRecordsSubject>,
): void {
  describe(`records of undo in ${name}`, () => {
    let storage: Storage;
    let other: Storage;
    let subject: UndoRecordsSubject;
    beforeEach(async () => {
      subject = await create();
      storage = subject.open();
      other = subject.open();
    });
    afterEach(async () => {
      await Promise.all([storage.close(), other.close()]);
      await subject.remove?.();
    });

    it('keeps changes by session and turn, in order, with their contents', async () => {
      const store = await storage.undoRecords();
      await store.add(scope('t1'), [{ ...change('d/a', undefined, 'one'), madeDirectories: ['d'] }]);
      await store.add(scope('t1'), [change('d/a', 'one', 'two'), change('b', 'x', undefined)]);
      await store.add({ ...scope('t2'), sessionId: 'other' }, [change('c', '1', '2')]);
      await store.add(scope('u1'), [], { undoes: 't1' });
      const turns = await store.turns('s');
      expect(turns).toMatchObject([
        { turnId: 't1', root: '/ws', recordedAt: expect.any(Number), undoes: undefined },
        { turnId: 'u1', undoes: 't1' },
      ]);
      const changes = turns[0] ? await store.changes(turns[0]) : [];
      expect(changes.map(({ kind, path }) => [kind, path])).toEqual([
        ['made-directory', 'd'],
        ['file', 'd/a'],
        ['file', 'd/a'],
        ['file', 'b'],
      ]);
      const [, first, second, third] = changes;
      expect(first?.before).toBeUndefined();
      expect(second?.before).toEqual(first?.after);
      expect(third?.after).toBeUndefined();
      expect(second?.after?.mode).toBe(0o640);
      expect((await store.content(second?.after?.sha256 ?? '')).toString()).toBe('two');
      expect(await store.whoLeft('/ws', 'd/a', second?.after?.sha256 ?? '')).toBe('t1');
      expect(await store.whoLeft('/ws', 'other', second?.after?.sha256 ?? '')).toBeUndefined();
    });

    it('are copied to another session, with what undid them, and both go their own way', async () => {
      const store = await storage.undoRecords();
      await store.add(scope('t1'), [{ ...change('d/a', undefined, 'one'), madeDirectories: ['d'] }]);
      await store.add(scope('t2'), [change('b', 'x', 'y')]);
      await store.add(scope('u1'), [change('d/a', 'one', undefined)], { undoes: 't1' });
      await store.add(scope('r1'), [change('d/a', undefined, 'one')], { undoes: 'u1' });
      await store.copy('s', 'copy', new Set(['t1']));
      await store.forget(scope('t1'));
      const copied = await (await other.undoRecords()).turns('copy');
      expect(copied.map(({ turnId, undoes, root }) => [turnId, undoes, root])).toEqual([
        ['t1', undefined, '/ws'],
        ['u1', 't1', '/ws'],
        ['r1', 'u1', '/ws'],
      ]);
      const [, file] = copied[0] ? await store.changes(copied[0]) : [];
      expect((await store.content(file?.after?.sha256 ?? '')).toString()).toBe('one');
      expect((await store.turns('s')).map(({ turnId }) => turnId)).toEqual(['t2', 'u1', 'r1']);
    });

    it('are read through every door, and a content that is not there is an error', async () => {
      const [here, there] = [await storage.undoRecords(), await other.undoRecords()];
      const large = 'ж中😀\n'.repeat(50_000);
      await here.add(scope('t1'), [change('a', large, 'x')], { notCovered: 'more than 1,000 files' });
      const [turn] = await there.turns('s');
      const changes = turn ? await there.changes(turn) : [];
      expect(changes.map(({ kind, path }) => [kind, path])).toEqual([
        ['file', 'a'],
        ['not-covered', 'more than 1,000 files'],
      ]);
      expect((await there.content(changes[0]?.before?.sha256 ?? '')).toString()).toBe(large);
      await expect(there.content('0'.repeat(64))).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    });

    it('take nothing under a lock that somebody else has had since', async () => {
      const records = await storage.undoRecords();
      const lock = await storage.locks.acquire('name');
      await records.add(scope('t1'), [change('a', '1', '2')], { fence: lock });
      await lock.release();
      await (await other.locks.acquire('name')).release();
      const late = records.add(scope('t2'), [change('a', '2', '3')], { fence: lock });
      await expect(late).rejects.toMatchObject({ code: 'STORAGE_LOCK_LOST' });
      expect((await records.turns('s')).map(({ turnId }) => turnId)).toEqual(['t1']);
    });

    it('forgets files of a turn that were not changed after all', async () => {
      const store = await storage.undoRecords();
      await store.add(scope('t1'), [change('a', '1', '2'), change('b', 'only of b', 'x'), change('c', '1', '2')]);
      await store.add(scope('t2'), [change('b', 'y', 'z')]);
      const [turn, later] = await store.turns('s');
      const only = turn && (await store.changes(turn))[1]?.before?.sha256;
      await store.forgetFiles(scope('t1'), ['b', 'unknown']);
      expect(turn && (await store.changes(turn)).map(({ path }) => path)).toEqual(['a', 'c']);
      expect(later && (await store.changes(later)).map(({ path }) => path)).toEqual(['b']);
      await expect(store.content(only ?? '')).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
    });

    it('forgets a turn when asked to', async () => {
      const store = await storage.undoRecords();
      const kept = await other.undoRecords();
      await store.add(scope('t1'), [change('a', '1', '2')]);
      await store.forget(scope('t1'));
      expect(await kept.turns('s')).toEqual([]);
    });
  });
}
