// What every audit log must do, wherever it is kept. A second door is like another process on the same machine.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Audit, AuditEvent } from '../../src/storage/audit.ts';
import { createRedaction } from '../../src/storage/redaction.ts';

export interface AuditSubject {
  open(): Promise<Audit>;
  /** Closes every door first. */
  remove(): Promise<void>;
}

export function describeAudit(name: string, create: () => Promise<AuditSubject>): void {
  describe(`${name} as an audit log`, () => {
    let subject: AuditSubject;
    let audit: Audit;
    beforeEach(async () => {
      subject = await create();
      audit = await subject.open();
    });
    afterEach(() => subject.remove());

    const call = (about: string, rest: Partial<AuditEvent> = {}): AuditEvent => ({
      kind: 'tool-call',
      who: 'owner',
      what: 'bash',
      about,
      outcome: 'allowed',
      ...rest,
    });
    const fill = async (count: number): Promise<void> => {
      for (let number = 1; number <= count; number += 1) await audit.append([call(`command ${number}`)]);
    };

    it('is empty and sound at first', async () => {
      expect(await audit.newest(10)).toEqual([]);
      expect(await audit.verify()).toMatchObject({ isSound: true, lines: 0, problems: [] });
    });

    it('shows the newest lines through every door, the last one at the end', async () => {
      await fill(3);
      const other = await subject.open();
      expect((await other.newest(2)).map(({ n, about }) => [n, about])).toEqual([
        [2, 'command 2'],
        [3, 'command 3'],
      ]);
      await other.append([call('of another process')]);
      expect((await audit.newest(1))[0]).toMatchObject({ n: 4, about: 'of another process' });
      expect(await audit.verify()).toMatchObject({ isSound: true, lines: 4, anchor: { n: 4 } });
    });

    it('filters by kind, name, person, session, outcome and time', async () => {
      await audit.append([
        call('one', { session: 's1' }),
        call('two', { who: 'chat', outcome: 'denied' }),
        { kind: 'operation', who: 'owner', what: 'config.set', outcome: 'ok' },
      ]);
      const found = async (filter: Parameters<Audit['newest']>[1]): Promise<number[]> =>
        (await audit.newest(10, filter)).map(({ n }) => n);
      expect(await found({ kinds: ['operation'] })).toEqual([3]);
      expect(await found({ what: 'config' })).toEqual([3]);
      expect(await found({ who: 'chat' })).toEqual([2]);
      expect(await found({ session: 's1' })).toEqual([1]);
      expect(await found({ outcome: 'denied' })).toEqual([2]);
      expect(await found({ until: '2000-01-01T00:00:00.000Z' })).toEqual([]);
      expect(await found({ since: '2000-01-01T00:00:00.000Z' })).toEqual([1, 2, 3]);
    });

    it('hands out every line as it is stored, oldest first', async () => {
      await fill(5);
      const jsons: string[] = [];
      for await (const { json, line } of audit.read()) {
        expect(JSON.parse(json)).toMatchObject({ n: line.n, hash: line.hash });
        jsons.push(json);
      }
      expect(jsons).toHaveLength(5);
      expect(jsons.map((json) => (JSON.parse(json) as { n: number }).n)).toEqual([1, 2, 3, 4, 5]);
    });

    it('compares with an anchor that was kept elsewhere', async () => {
      await fill(3);
      const { anchor } = await audit.verify();
      await audit.append([call('later')]);
      expect((await audit.verify({ anchor })).isSound).toBe(true);
      const wrong = { n: 3, hash: '0'.repeat(64) };
      expect((await audit.verify({ anchor: wrong })).problems.map(({ problem }) => problem)).toEqual(['wrong-anchor']);
    });

    it('forgets a text, stays sound, and keeps its anchor', async () => {
      await fill(3);
      const { anchor } = await audit.verify();
      const redaction = createRedaction('Command 2');
      expect(await audit.redact(redaction, 'find')).toMatchObject([{ count: 1 }]);
      expect((await audit.newest(1))[0]?.about).toBe('command 3');
      expect(await audit.redact(redaction, 'remove')).toMatchObject([{ count: 1 }]);
      expect(await audit.redact(redaction, 'find')).toEqual([]);
      expect((await audit.newest(4)).map(({ kind, about }) => (kind === 'redaction' ? kind : about))).toEqual([
        'command 1',
        '*********',
        'command 3',
        'redaction',
      ]);
      expect(await audit.verify({ anchor })).toMatchObject({ isSound: true });
    });

    it('forgets what a conversation was about, and keeps who did what', async () => {
      await audit.append([call('rm notes', { session: 's1' }), call('ls', { session: 's2' })]);
      await audit.forgetSession('s1');
      const [first, second] = await audit.newest(3);
      expect(first).toMatchObject({ what: 'bash', who: 'owner', session: 's1', about: '********' });
      expect(second).toMatchObject({ about: 'ls' });
      expect((await audit.verify()).isSound).toBe(true);
    });

    it('stays one chain when several doors append at once', async () => {
      const doors = [audit, await subject.open(), await subject.open()];
      await Promise.all(Array.from({ length: 60 }, (_, index) => doors[index % 3]?.append([call(`at once ${index}`)])));
      expect(await audit.verify()).toMatchObject({ isSound: true, lines: 60, problems: [] });
    });
  });
}
