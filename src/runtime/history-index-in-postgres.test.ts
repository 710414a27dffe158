// The index of past conversations and the transcripts in one database: which of them is to be read.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { postgresSubject } from '../../test/support/postgres-subject.ts';
import { createPastConversations } from '../memory/past-conversations.ts';
import type { StorageWithBackups } from '../storage/backups.ts';
import type { HistoryIndex } from '../storage/history-index.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';

let subject: Awaited<ReturnType<typeof postgresSubject>>;
let storage: StorageWithBackups;
let index: HistoryIndex;
beforeEach(async () => {
  subject = await postgresSubject();
  storage = subject.open() as StorageWithBackups;
  index = await storage.historyIndex();
});
afterEach(async () => {
  await storage.close();
  await subject.remove();
});

let said = 0;
async function say(sessionId: string, text: string): Promise<void> {
  said += 1;
  const moment = new Date(Date.UTC(2026, 0, 1, 0, 0, said)).toISOString();
  const transcript = await storage.transcripts.open(sessionId);
  await transcript.append([{ type: 'said', text }]);
  await transcript.close();
  await storage.catalogue.put({ sessionKey: sessionId, sessionId, createdAt: moment, updatedAt: moment });
}

/** Everything that is there is read. */
async function readAll(): Promise<void> {
  for (const sessionId of (await index.compare?.())?.stale ?? []) {
    const revision = (await storage.transcripts.revision(sessionId)) ?? '';
    await index.put({ sessionId, revision, isWhole: true, turnEnds: 1, isLeftOut: false });
  }
}

it('names what was never read, what has changed and what is gone', async () => {
  for (const name of ['a', 'b', 'c', 'd']) await say(name, 'hello');
  expect(await index.compare?.()).toEqual({ stale: ['d', 'c', 'b', 'a'], gone: [], total: 4 });
  await readAll();
  await index.put({ sessionId: 'c', revision: '', isWhole: true, turnEnds: 0, isLeftOut: true });
  await say('b', 'more');
  await say('c', 'more');
  expect(await index.compare?.()).toEqual({ stale: ['b'], gone: [], total: 4 });

  await storage.transcripts.remove('a');
  await index.remove('d');
  expect(await index.compare?.()).toEqual({ stale: ['d', 'b'], gone: ['a'], total: 3 });
  const other = subject.open();
  const elsewhere = await other.historyIndex();
  expect(await elsewhere.compare?.()).toEqual({ stale: ['d', 'b'], gone: ['a'], total: 3 });
  await other.close();
});

it('is not asked about each conversation', async () => {
  for (let number = 0; number < 30; number += 1) await say(`session-${number}`, 'hello');
  await readAll();
  await say('session-7', 'the pelican');
  const asked: string[] = [];
  const past = createPastConversations({
    index,
    locks: storage.locks,
    now: Date.now,
    timezone: () => 'UTC',
    newId: (prefix) => `${prefix}-${said}`,
    source: {
      list: () => Promise.reject(new Error('every conversation is listed')),
      revision(sessionId) {
        asked.push(sessionId);
        return storage.transcripts.revision(sessionId);
      },
      isContinued: storage.transcripts.isContinued,
      identity: async (sessionId) => ({ sessionKey: sessionId, isUnlisted: false }),
      async *turns() {
        const messages = [
          { id: 'm-1', role: 'user' as const, content: 'the pelican', timestamp: '2026-01-01T00:00:00.000Z' },
        ];
        yield { turnEnds: 2, messages, scope: 'owner' as const, tainted: false };
      },
    },
  });
  expect(await past.catchUp()).toEqual({ done: 30, total: 30 });
  expect(new Set(asked)).toEqual(new Set(['session-7']));
  expect((await past.search(OWNER, 'pelican')).results).toHaveLength(1);
  past.close();
});
