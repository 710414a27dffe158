// What every store of background runs must do; two doors to one store are like two processes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentRunDraft, AgentRuns } from '../../src/storage/agent-runs.ts';

export interface AgentRunsSubject {
  open(): AgentRuns | Promise<AgentRuns>;
  remove(): void | Promise<void>;
}

export function describeAgentRuns(name: string, create: () => AgentRunsSubject | Promise<AgentRunsSubject>): void {
  describe(`${name} as a store of background runs`, () => {
    let subject: AgentRunsSubject;
    let runs: AgentRuns;
    let other: AgentRuns;
    beforeEach(async () => {
      subject = await create();
      runs = await subject.open();
      other = await subject.open();
    });
    afterEach(() => subject.remove());

    const draft = (id: string, more: Partial<AgentRunDraft> = {}): AgentRunDraft => ({
      id,
      name: 'watcher',
      message: `do ${id}`,
      request: '{}',
      asker: { kind: 'nobody' },
      ...more,
    });

    it('keeps what was asked for, seen through every door', async () => {
      await runs.add(
        draft('a', {
          injectInto: 'local:1',
          request: '{"model":"m"}',
          asker: { kind: 'chat', chat: 'local:1' },
        }),
        5,
      );
      expect(await other.get('a')).toEqual({
        id: 'a',
        name: 'watcher',
        message: 'do a',
        injectInto: 'local:1',
        request: '{"model":"m"}',
        asker: { kind: 'chat', chat: 'local:1' },
        state: 'queued',
        createdAt: 5,
        cancelRequested: false,
      });
      expect(await other.get('b')).toBeUndefined();
    });

    it('hands out the oldest first, each to one caller only, never more than the limit', async () => {
      for (const id of ['a', 'b', 'c']) await runs.add(draft(id), 1);
      const claimed = await Promise.all([
        runs.claim(2, 7, 'all'),
        other.claim(2, 7, 'all'),
        runs.claim(2, 7, 'all'),
        other.claim(2, 7, 'all'),
      ]);
      expect(claimed.flatMap((run) => run?.id ?? []).toSorted()).toEqual(['a', 'b']);
      expect(await runs.get('a')).toMatchObject({ state: 'running', startedAt: 7 });
      await other.end('a', { state: 'done', result: 'yes', sessionId: 's' }, 9);
      expect(await runs.claim(2, 10, 'all')).toMatchObject({ id: 'c', state: 'running' });
      expect(await runs.get('a')).toMatchObject({ state: 'done', endedAt: 9, result: 'yes', sessionId: 's' });
    });

    it('a process that reaches no chat gets only what is answered into none', async () => {
      await runs.add(draft('a', { injectInto: 'local:1' }), 1);
      expect([await other.hasQueued('unanswered'), await other.hasQueued('all')]).toEqual([false, true]);
      expect(await other.claim(9, 2, 'unanswered')).toBeUndefined();
      await runs.add(draft('b'), 3);
      expect(await other.hasQueued('unanswered')).toBe(true);
      expect((await other.claim(9, 4, 'unanswered'))?.id).toBe('b');
      expect((await other.claim(9, 4, 'all'))?.id).toBe('a');
      expect(await runs.hasQueued('all')).toBe(false);
    });

    it('an end that could not be delivered is kept until it is', async () => {
      for (const id of ['a', 'b']) {
        await runs.add(draft(id, { injectInto: 'local:1' }), 1);
        await runs.claim(9, 1, 'all');
      }
      await runs.end('a', { state: 'done', result: 'told' }, 2);
      await runs.end('b', { state: 'interrupted', error: 'gone', isUndelivered: true }, 2);
      expect(await other.undelivered(10)).toMatchObject([{ id: 'b', state: 'interrupted', isUndelivered: true }]);
      await other.markDelivered('b');
      expect(await runs.undelivered(10)).toEqual([]);
      expect((await runs.get('b'))?.isUndelivered).toBeUndefined();
    });

    it('ends once: what came first stays', async () => {
      await runs.add(draft('a'), 1);
      await runs.claim(1, 1, 'all');
      expect(await runs.end('a', { state: 'interrupted', error: 'gone' }, 2)).toBe(true);
      expect(await other.end('a', { state: 'done', result: 'late' }, 3)).toBe(false);
      expect(await runs.get('a')).toMatchObject({ state: 'interrupted', error: 'gone', endedAt: 2 });
      expect(await runs.claim(5, 4, 'all')).toBeUndefined();
    });

    it('cancelling ends a queued run at once and asks a running one', async () => {
      await runs.add(draft('a'), 1);
      await runs.add(draft('b'), 1);
      expect((await runs.claim(1, 1, 'all'))?.id).toBe('a');
      expect(await other.cancel('a', 2)).toBe(true);
      expect(await other.cancel('b', 2)).toBe(true);
      expect(await other.cancel('none', 2)).toBe(false);
      expect(await runs.isCancelRequested('a')).toBe(true);
      expect(await runs.get('a')).toMatchObject({ state: 'running', cancelRequested: true });
      expect(await runs.get('b')).toMatchObject({ state: 'cancelled', endedAt: 2 });
      await runs.end('a', { state: 'cancelled' }, 3);
      expect(await other.cancel('a', 4)).toBe(false);
    });

    it('lists the newest first, by name and by state', async () => {
      await runs.add(draft('a'), 1);
      await runs.add(draft('b', { name: 'other' }), 2);
      await runs.add(draft('c'), 3);
      await runs.claim(1, 4, 'all');
      const ids = async (filter: Omit<Parameters<AgentRuns['list']>[0], 'limit'>, limit = 10) =>
        (await other.list({ ...filter, limit })).map(({ id }) => id);
      expect(await ids({})).toEqual(['c', 'b', 'a']);
      expect(await ids({}, 2)).toEqual(['c', 'b']);
      expect(await ids({ name: 'watcher' })).toEqual(['c', 'a']);
      expect(await ids({ state: 'running' })).toEqual(['a']);
    });
  });
}
