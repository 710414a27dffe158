// What every storage must do with what is removed from it. Two doors to one store are like two processes.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../src/storage/storage.ts';
import { OWNER } from '../../src/vocabulary/memory-scope.ts';
import type { StorageSubject } from './storage.ts';

export function describeRemoval(name: string, create: () => StorageSubject | Promise<StorageSubject>): void {
  describe(`removing from ${name}`, () => {
    let subject: StorageSubject;
    let storage: Storage;
    let other: Storage;
    beforeEach(async () => {
      subject = await create();
      storage = subject.open();
      other = subject.open();
    });
    afterEach(async () => {
      await Promise.all([storage.close(), other.close()]);
      await subject.remove();
    });

    it('a transcript, notes, outputs and results of one session leaves those of others', async () => {
      for (const session of ['one', 'two']) {
        const transcript = await storage.transcripts.open(session);
        await transcript.append([{ type: 'note' }]);
        await transcript.sync();
        await transcript.close();
        await storage.notes.write(session, session);
        await storage.resultCache.put(session, 'key', session);
        await (await storage.blobs()).put(session, 'inbox/a.txt', Buffer.from(session));
      }
      const gone = await storage.outputs.keep('one', 'call', 'whole');
      const path = await storage.outputs.keep('two', 'call', 'whole');
      for (const session of ['one', 'absent']) {
        await other.transcripts.remove(session);
        await other.notes.remove(session);
        await other.outputs.remove(session);
        await other.resultCache.forget(session);
      }
      await other.erase();
      expect(await storage.transcripts.list()).toEqual(['two']);
      expect([await storage.notes.read('one'), await storage.notes.read('two')]).toEqual([undefined, 'two']);
      expect(await storage.resultCache.get('one', 'key')).toBeUndefined();
      expect(await storage.resultCache.get('two', 'key')).toBe('two');
      expect(await subject.readOutput(path)).toBe('whole');
      const blobs = await other.blobs();
      expect([await blobs.list('one'), await other.outputs.open(gone)]).toEqual([[], undefined]);
      expect((await blobs.list('two')).map(({ name: file }) => file.replace(/-\w+\.txt$/, ''))).toEqual([
        'call',
        'inbox/a.txt',
      ]);
    });

    it('undo records, archived turns and runs of one session leaves those of others', async () => {
      const [undo, shared, runs] = await Promise.all([storage.undoRecords(), storage.archive(), storage.agentRuns()]);
      const archive = shared.as(OWNER);
      const after = { bytes: Buffer.from('same'), mode: 0o600 };
      const termsOf = ({ text }: { text: string }): string[] => text.split(' ');
      for (const session of ['one', 'two']) {
        const changed = { tool: 't', path: 'p', before: undefined, after, madeDirectories: [] };
        await undo.add({ sessionId: session, turnId: 't', root: '/w' }, [changed]);
        const facts = { id: session, source: 'session:a', date: '2026-01-01', session, hash: session };
        await archive.add([{ ...facts, chunks: [{ context: '', text: `said in ${session}` }] }], termsOf);
        await runs.add({ id: session, name: 'n', message: 'm', asker: { kind: 'nobody' }, request: '{}' }, 1);
        await runs.end(session, { state: 'done', sessionId: session }, 2);
      }
      await undo.forgetSession('one');
      expect(await archive.idsOfSession('one')).toEqual(['one']);
      await archive.remove(await archive.idsOfSession('one'), termsOf);
      await runs.forgetSession('one');
      expect(await undo.turns('one')).toEqual([]);
      const [kept] = await undo.turns('two');
      const [change] = kept ? await undo.changes(kept) : [];
      expect((await undo.content(change?.after?.sha256 ?? '')).toString()).toBe('same');
      expect([await archive.idsOfSession('one'), await archive.idsOfSession('two')]).toEqual([[], ['two']]);
      expect((await runs.list({ limit: 10 })).map(({ id }) => id)).toEqual(['two']);
    });
  });
}
