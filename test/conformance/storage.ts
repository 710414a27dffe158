// What every implementation of the contract in storage.ts must do. A suite is given a way
// to make an empty store and to open it: two doors to one store are like two processes.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ListSessions, SessionEntry, Storage, TranscriptLine } from '../../src/storage/storage.ts';

export interface StorageSubject {
  /** Opens a door to the store; each is independent of the others. */
  open(): Storage;
  /** Reads what `outputs.keep` returned, as a person would. */
  readOutput(path: string): string | Promise<string>;
  remove(): void | Promise<void>;
}

export function describeStorage(name: string, create: () => StorageSubject | Promise<StorageSubject>): void {
  describe(`${name} as a storage`, () => {
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

    describe('transcripts', () => {
      const line = (number: number): TranscriptLine => ({ type: 'note', number });
      const numbers = (lines: readonly TranscriptLine[]): unknown[] => lines.map(({ number }) => number);

      async function append(sessionId: string, ...lines: TranscriptLine[]): Promise<void> {
        const transcript = await storage.transcripts.open(sessionId);
        await transcript.append(lines);
        await transcript.sync();
        await transcript.close();
      }

      async function scanned(sessionId: string, from = other): Promise<TranscriptLine[]> {
        const found = await Array.fromAsync(from.transcripts.scan(sessionId));
        return found.map((entry) => ('line' in entry ? entry.line : { type: 'damaged' }));
      }

      it('one that does not exist has no lines', async () => {
        expect(await scanned('absent')).toEqual([]);
      });

      it('a new one is empty, an old one is not', async () => {
        const fresh = await storage.transcripts.open('one');
        expect(fresh).toMatchObject({ isEmpty: true, repairedBytes: 0 });
        await fresh.append([line(1)]);
        await fresh.close();
        const again = await other.transcripts.open('one');
        expect(again).toMatchObject({ isEmpty: false, repairedBytes: 0 });
        await again.close();
      });

      it('keeps lines in order, over several openings, apart from other sessions', async () => {
        await append('one', line(1), line(2));
        await append('two', line(10));
        await append('one', line(3));
        expect(numbers(await scanned('one'))).toEqual([1, 2, 3]);
        expect(numbers(await scanned('two'))).toEqual([10]);
      });

      it('lists every one that was ever begun', async () => {
        expect(await other.transcripts.list()).toEqual([]);
        await append('one', line(1));
        await append('two', line(2));
        expect((await other.transcripts.list()).sort()).toEqual(['one', 'two']);
      });

      it('numbers lines from one', async () => {
        await append('one', line(1), line(2));
        const found = await Array.fromAsync(other.transcripts.scan('one'));
        expect(found.map(({ number }) => number)).toEqual([1, 2]);
      });

      it('keeps lines that are appended at the same time, each whole, in the order of the calls', async () => {
        const transcript = await storage.transcripts.open('one');
        const wanted = Array.from({ length: 20 }, (_, index) => ({ ...line(index), text: 'x'.repeat(index * 100) }));
        await Promise.all(wanted.map((each) => transcript.append([each])));
        await transcript.sync();
        await transcript.close();
        expect(await scanned('one')).toEqual(wanted);
      });

      it('reads what was appended since it was opened, newest first', async () => {
        await append('one', line(1));
        const transcript = await storage.transcripts.open('one');
        await transcript.append([line(2), line(3)]);
        expect(numbers(await Array.fromAsync(transcript.newestFirst()))).toEqual([3, 2, 1]);
        await transcript.append([line(4)]);
        for await (const newest of transcript.newestFirst()) {
          expect(newest.number).toBe(4);
          break;
        }
        await transcript.close();
      });

      it('keeps any JSON, read the same from both ends', async () => {
        const values = fc.array(fc.record({ type: fc.string(), value: fc.jsonValue({ noUnicodeString: false }) }), {
          minLength: 1,
          maxLength: 20,
        });
        let number = 0;
        await fc.assert(
          fc.asyncProperty(values, async (lines) => {
            number += 1;
            await append(`session-${number}`, ...lines);
            const expected = JSON.parse(JSON.stringify(lines)) as TranscriptLine[];
            expect(await scanned(`session-${number}`)).toEqual(expected);
            const transcript = await storage.transcripts.open(`session-${number}`);
            expect((await Array.fromAsync(transcript.newestFirst())).reverse()).toEqual(expected);
            await transcript.close();
          }),
          { numRuns: 25 },
        );
      });

      it('can be read while it is written', async () => {
        const transcript = await storage.transcripts.open('one');
        for (let number = 0; number < 10; number += 1) {
          await transcript.append([line(number)]);
          expect(await scanned('one')).toHaveLength(number + 1);
        }
        await transcript.close();
      });
    });

    describe('the catalogue', () => {
      const entry = (sessionKey: string, facts: Partial<SessionEntry> = {}): SessionEntry => ({
        sessionKey,
        sessionId: 'session-1',
        createdAt: '2026-01-01T00:00:00.000Z',
        updatedAt: '2026-01-01T00:00:00.000Z',
        ...facts,
      });

      it('of an empty store holds nothing', async () => {
        expect(await storage.catalogue.list()).toEqual([]);
        expect(await storage.catalogue.get('main')).toBeUndefined();
      });

      it('shows an entry through every door, as it was last put', async () => {
        await storage.catalogue.putSoon(entry('main'));
        expect(await other.catalogue.get('main')).toEqual(entry('main'));
        await storage.catalogue.put(entry('main'));
        const later = entry('main', { sessionId: 'session-2', memoryEnabled: false, compactedMessageCount: 0 });
        await other.catalogue.put(later);
        expect(await storage.catalogue.get('main')).toEqual(later);
        expect(await storage.catalogue.list()).toEqual([later]);
      });

      it.each(['__proto__', 'constructor', 'toString', '1', '会话', 'a.b:c@d+e=f-g'])(
        'takes the key %s',
        async (key) => {
          expect(await storage.catalogue.get(key)).toBeUndefined();
          await storage.catalogue.put(entry(key));
          await storage.catalogue.put(entry('main'));
          expect(await other.catalogue.get(key)).toEqual(entry(key));
          expect(await other.catalogue.list()).toHaveLength(2);
        },
      );

      it('lists the last updated first, page by page, and by the beginning of keys', async () => {
        const minutes: Record<string, number> = { a: 3, b: 5, 'chat:1': 1, 'chat:2': 5, 'chat:3': 2, chat: 4 };
        for (const [key, minute] of Object.entries(minutes))
          await storage.catalogue.put(entry(key, { updatedAt: `2026-01-01T00:0${minute}:00.000Z` }));
        const keysOf = async (options?: ListSessions): Promise<string[]> =>
          (await other.catalogue.list(options)).map(({ sessionKey }) => sessionKey);
        const all = ['b', 'chat:2', 'chat', 'a', 'chat:3', 'chat:1'];
        expect(await keysOf()).toEqual(all);
        expect(await keysOf({ limit: 2 })).toEqual(all.slice(0, 2));
        expect(await keysOf({ prefix: 'chat:' })).toEqual(['chat:2', 'chat:3', 'chat:1']);
        expect(await keysOf({ prefix: 'chat:', limit: 1 })).toEqual(['chat:2']);
        expect(await keysOf({ prefix: 'nobody' })).toEqual([]);
        const paged: string[] = [];
        for (let page = await other.catalogue.list({ limit: 2 }); page.length > 0; ) {
          paged.push(...page.map(({ sessionKey }) => sessionKey));
          page = await other.catalogue.list({ limit: 2, after: page.at(-1) });
        }
        expect(paged).toEqual(all);
        expect(await other.catalogue.count()).toBe(6);
      });

      it('lists the sessions of one workspace, the last updated first', async () => {
        const at = (second: number): string => `2026-01-01T00:00:0${second}.000Z`;
        await storage.catalogue.put(entry('a', { workspace: '/projects/a', updatedAt: at(1) }));
        await storage.catalogue.put(entry('b', { workspace: '/projects/a/b', updatedAt: at(2) }));
        await storage.catalogue.put(entry('c', { workspace: '/projects/a', updatedAt: at(3), title: 'C' }));
        await storage.catalogue.put(entry('d', { updatedAt: at(4) }));
        const found = await other.catalogue.list({ workspace: '/projects/a' });
        expect(found.map(({ sessionKey }) => sessionKey)).toEqual(['c', 'a']);
        expect(await other.catalogue.list({ workspace: '/projects/a', after: found[0] })).toHaveLength(1);
        expect(await other.catalogue.list({ workspace: '/work' })).toEqual([]);
      });

      it('forgets a key that is removed, and only that', async () => {
        for (const key of ['a', 'b', 'c']) await storage.catalogue.put(entry(key));
        expect(await other.catalogue.remove('a')).toBe(true);
        expect(await storage.catalogue.remove('a')).toBe(false);
        expect(await storage.catalogue.get('a')).toBeUndefined();
        expect((await storage.catalogue.list()).map(({ sessionKey }) => sessionKey)).toEqual(['b', 'c']);
        expect(await storage.catalogue.count()).toBe(2);
      });

      it('loses no entry of writers that write at the same time', async () => {
        const doors = [storage, other];
        const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
        await Promise.all(keys.map((key, index) => doors[index % 2]?.catalogue.put(entry(key))));
        const listed = await storage.catalogue.list();
        expect(listed.map(({ sessionKey }) => sessionKey).toSorted()).toEqual(keys.toSorted());
      });
    });

    describe('the result cache', () => {
      it('gives back what was put, within its scope', async () => {
        await storage.resultCache.put('scope', 'key', 'value');
        expect(await storage.resultCache.get('scope', 'key')).toBe('value');
        expect(await storage.resultCache.get('other', 'key')).toBeUndefined();
        expect(await storage.resultCache.get('scope', 'other')).toBeUndefined();
        await storage.resultCache.put('scope', 'key', 'newer');
        expect(await storage.resultCache.get('scope', 'key')).toBe('newer');
      });

      it('takes any amount without growing without bound', async () => {
        await storage.resultCache.put('scope', 'large', 'x'.repeat(5_000_000));
        for (let number = 0; number < 500; number += 1)
          await storage.resultCache.put('scope', `key-${number}`, 'value');
        expect(await storage.resultCache.get('scope', 'key-499')).toBe('value');
        expect(await storage.resultCache.get('scope', 'key-0')).toBeUndefined();
      });
    });

    describe('outputs', () => {
      it('are kept whole, at a path of their own', async () => {
        const texts = ['plain', '', 'ж中😀\n'.repeat(20_000)];
        const paths = await Promise.all(
          texts.map((text, index) => storage.outputs.keep('session-1', `call-${index}`, text)),
        );
        expect(await Promise.all(paths.map((path) => subject.readOutput(path)))).toEqual(texts);
      });

      it.each(['../../escape', '/etc/passwd', 'a/b', '', '.', 'x'.repeat(5_000), 'call\0', '😀'])(
        'take the name %j, which cannot choose the place',
        async (callId) => {
          const usual = await storage.outputs.keep('session-1', 'usual', 'usual');
          const path = await storage.outputs.keep('session-1', callId, 'text');
          expect(await subject.readOutput(path)).toBe('text');
          expect(path.slice(0, path.lastIndexOf('/'))).toBe(usual.slice(0, usual.lastIndexOf('/')));
        },
      );

      it('of calls with the same or a similar id do not replace each other', async () => {
        const names = ['call_0', 'call_0', 'call/0', 'call.0'];
        const kept: [string, string][] = [];
        for (const [index, name] of names.entries())
          kept.push([await storage.outputs.keep('session-1', name, `text ${index}`), `text ${index}`]);
        for (const [path, text] of kept) expect(await subject.readOutput(path)).toBe(text);
      });
    });

    describe('notes of a session', () => {
      it('are read through every door as they were last written, and by a person at their path', async () => {
        expect(await storage.notes.read('main')).toBeUndefined();
        for (const text of ['# Notes\n', 'ж中😀\n'.repeat(10_000), '']) {
          await storage.notes.write('main', text);
          expect(await other.notes.read('main')).toBe(text);
          expect(await subject.readOutput(other.notes.path('main'))).toBe(text);
        }
      });

      it.each(['__proto__', '会话', 'a.b:c@d+e=f-g', 'x'.repeat(200)])(
        'of the key %s are apart from all others',
        async (key) => {
          await storage.notes.write('main', 'mine');
          await storage.notes.write(key, 'theirs');
          expect([await other.notes.read('main'), await other.notes.read(key)]).toEqual(['mine', 'theirs']);
        },
      );
    });

    describe('owner files', () => {
      it('are read through every door as they were last written', async () => {
        const { ownerFiles: files } = storage;
        expect(await files.read('a.json')).toBeUndefined();
        for (const text of ['{}\n', 'ж中😀\n'.repeat(10_000), ''])
          for (const name of ['a.json', 'folder/b.json']) {
            await files.update(name, () => text);
            expect(await other.ownerFiles.read(name)).toBe(text);
          }
        await files.update('a.json', () => undefined);
        expect(await other.ownerFiles.read('a.json')).toBe('');
        await files.update('a.json', () => null);
        await files.update('a.json', () => null);
        expect(await other.ownerFiles.read('a.json')).toBeUndefined();
        expect(files.location('a.json')).toContain('a.json');
        await files.update('c.json', () => '{}');
        expect(await other.ownerFiles.list()).toEqual(['c.json']);
      });

      it('lose no change and no line of writers that write at the same time', async () => {
        const numbers = Array.from({ length: 20 }, (_, index) => index);
        const add = (n: number) => (current: string | undefined) => JSON.stringify([...JSON.parse(current ?? '[]'), n]);
        await Promise.all(
          numbers.flatMap((n) => {
            const { ownerFiles } = n % 2 === 0 ? storage : other;
            return [ownerFiles.update('list.json', add(n)), ownerFiles.append('log.jsonl', `${n} ж`)];
          }),
        );
        const sorted = (found: readonly number[]): number[] => found.toSorted((a, b) => a - b);
        expect(sorted(JSON.parse((await storage.ownerFiles.read('list.json')) ?? '[]'))).toEqual(numbers);
        const lines = (await other.ownerFiles.read('log.jsonl'))?.trimEnd().split('\n') ?? [];
        expect(lines.every((line) => line.endsWith(' ж'))).toBe(true);
        expect(sorted(lines.map(Number.parseFloat))).toEqual(numbers);
      });

      it('a change that fails changes nothing, and gives its reason', async () => {
        await storage.ownerFiles.update('a.json', () => 'before');
        const failing = storage.ownerFiles.update('a.json', () => {
          throw new TypeError('not this one');
        });
        await expect(failing).rejects.toThrow(new TypeError('not this one'));
        expect(await other.ownerFiles.read('a.json')).toBe('before');
      });

      it('renamed, one is kept under the new name, never in place of another', async () => {
        const { ownerFiles: files } = storage;
        for (const name of ['a', 'b']) await files.update(name, () => `of ${name}`);
        await expect(files.rename('a', 'b')).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
        await expect(files.rename('absent', 'c')).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
        await files.rename('a', 'a.damaged');
        const found = ['a', 'a.damaged', 'b'].map((name) => other.ownerFiles.read(name));
        expect(await Promise.all(found)).toEqual([undefined, 'of a', 'of b']);
      });

      it('take nothing under a lock that somebody else has had since', async () => {
        const lock = await storage.locks.acquire('name');
        await storage.ownerFiles.update('a', () => 'mine', lock);
        await lock.release();
        await (await other.locks.acquire('name')).release();
        const lost = { code: 'STORAGE_LOCK_LOST' };
        await expect(storage.ownerFiles.update('a', () => 'late', lock)).rejects.toMatchObject(lost);
        await expect(storage.ownerFiles.append('a', 'late', lock)).rejects.toMatchObject(lost);
        expect(await other.ownerFiles.read('a')).toBe('mine');
      });
    });

    describe('trust', () => {
      it('of folders is granted once, seen through every door, and taken back', async () => {
        expect(await storage.trust.list()).toEqual([]);
        expect(await storage.trust.add('/one')).toBe(true);
        expect(await other.trust.add('/ж 中/two')).toBe(true);
        const granted = await other.trust.list();
        expect(granted.map(({ folder }) => folder)).toEqual(['/one', '/ж 中/two']);
        for (const { grantedAt } of granted) expect(new Date(grantedAt).toISOString()).toBe(grantedAt);
        expect(await other.trust.add('/one')).toBe(false);
        expect(await storage.trust.list()).toEqual(granted);
        expect(await storage.trust.remove('/one')).toBe(true);
        expect(await other.trust.remove('/one')).toBe(false);
        expect((await other.trust.list()).map(({ folder }) => folder)).toEqual(['/ж 中/two']);
      });

      it('that was declined or taken back is remembered until it is granted', async () => {
        await storage.trust.decline('/one');
        await other.trust.decline('/one');
        expect(await other.trust.declined()).toEqual(['/one']);
        expect(await other.trust.list()).toEqual([]);
        await storage.trust.add('/one');
        expect(await storage.trust.declined()).toEqual([]);
        await other.trust.remove('/one');
        expect(await storage.trust.declined()).toEqual(['/one']);
      });

      it('granted at the same time is not lost', async () => {
        const folders = Array.from({ length: 10 }, (_, index) => `/folder-${index}`);
        await Promise.all(folders.map((folder, index) => (index % 2 ? storage : other).trust.add(folder)));
        expect((await storage.trust.list()).map(({ folder }) => folder).toSorted()).toEqual(folders);
      });
    });

    describe('spending', () => {
      it('is summed by day, over every door', async () => {
        const add = (door: Storage, day: string) => door.spending.add(day, { tokens: 10, costUsd: 0.25 });
        await Promise.all([
          add(storage, '2026-12-01'),
          add(other, '2026-12-01'),
          add(storage, '2026-12-01'),
          add(other, '2026-12-02'),
        ]);
        expect(await storage.spending.on('2026-12-01')).toEqual({ tokens: 30, costUsd: 0.75 });
        expect(await other.spending.on('2026-12-02')).toEqual({ tokens: 10, costUsd: 0.25 });
        expect(await other.spending.on('2026-12-03')).toEqual({ tokens: 0, costUsd: 0 });
      });
    });
  });
}
