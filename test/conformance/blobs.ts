// What every store of files of conversations must do. Two doors to one store are like two machines, or for two processes of one home.
import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Blobs } from '../../src/storage/blobs.ts';
import { createRedaction } from '../../src/storage/redaction.ts';
import type { Storage } from '../../src/storage/storage.ts';
import type { StorageSubject } from './storage.ts';

export function describeBlobs(name: string, create: () => StorageSubject | Promise<StorageSubject>): void {
  describe(`${name} as a store of files`, () => {
    let subject: StorageSubject;
    let [storage, other] = [] as unknown as [Storage, Storage];
    let [blobs, others] = [] as unknown as [Blobs, Blobs];
    beforeEach(async () => {
      subject = await create();
      [storage, other] = [subject.open(), subject.open()];
      [blobs, others] = await Promise.all([storage.blobs(), other.blobs()]);
    });
    afterEach(async () => {
      await Promise.all([storage.close(), other.close()]);
      await subject.remove();
    });

    const small = Buffer.from('a small text');
    const large = randomBytes(300_000);
    const names = async (scope: string): Promise<string[]> => (await others.list(scope)).map((each) => each.name);

    it('what one puts the other gets, byte for byte, also in a folder and with letters of any script', async () => {
      const files = {
        'a.txt': small,
        'b.png': large,
        'inbox/2026-12-01/отчёт 年-1.pdf': large,
        empty: Buffer.alloc(0),
      };
      for (const [file, content] of Object.entries(files)) await blobs.put('session-1', file, content);
      for (const [file, content] of Object.entries(files))
        expect((await others.get('session-1', file))?.equals(content), file).toBe(true);
      const listed = await others.list('session-1');
      expect(listed.map((each) => [each.name, each.bytes])).toEqual([
        ['a.txt', small.length],
        ['b.png', large.length],
        ['empty', 0],
        ['inbox/2026-12-01/отчёт 年-1.pdf', large.length],
      ]);
      for (const { storedAt } of listed) expect(Math.abs(Date.now() - storedAt)).toBeLessThan(60_000);
    });

    it('there is nothing where nothing was put', async () => {
      expect([await blobs.get('none', 'a'), await blobs.list('none')]).toEqual([undefined, []]);
      await blobs.put('session-1', 'a', small);
      expect(await others.get('session-2', 'a')).toBeUndefined();
      await blobs.remove('none');
      await blobs.remove('session-1', 'none');
      expect(await names('session-1')).toEqual(['a']);
    });

    it('the same name again replaces the file, whatever the sizes, and the other sees the new one', async () => {
      for (const content of [small, large, Buffer.from('again'), large, Buffer.from('last')]) {
        await blobs.put('session-1', 'a', content);
        expect((await others.get('session-1', 'a'))?.equals(content)).toBe(true);
      }
      expect(await names('session-1')).toEqual(['a']);
    });

    it('removes one file, or all of a scope, for both', async () => {
      for (const scope of ['session-1', 'session-2'])
        for (const [file, content] of [
          ['a', small],
          ['b', large],
          ['inbox/c', large],
        ] as const)
          await blobs.put(scope, file, content);
      expect((await others.get('session-1', 'b'))?.length).toBe(large.length);
      await blobs.remove('session-1', 'b');
      expect(await others.get('session-1', 'b')).toBeUndefined();
      expect(await names('session-1')).toEqual(['a', 'inbox/c']);
      await blobs.remove('session-1');
      expect([await names('session-1'), await others.get('session-1', 'a')]).toEqual([[], undefined]);
      expect(await names('session-2')).toEqual(['a', 'b', 'inbox/c']);
    });

    it.each(['../a', 'a/../b', '/a', 'a//b', '.hidden', 'a\0b', ''])('refuses the name %j', async (file) => {
      await expect(blobs.put('session-1', file, small)).rejects.toThrow('is not the name of a kept file');
      await expect(blobs.get('session-1', file)).rejects.toThrow('is not the name of a kept file');
    });

    it('finds and removes every file that holds a text', async () => {
      const long = Buffer.concat([Buffer.from(`the code is Rosebud 7\n`), Buffer.alloc(300_000, 'x')]);
      await blobs.put('session-1', 'a', Buffer.from('it was rosebud  7.'));
      await blobs.put('session-2', 'b', long);
      await blobs.put('session-2', 'c', small);
      const redaction = createRedaction('Rosebud 7');
      const found = await others.redact(redaction, 'find');
      expect(found.map((each) => each.name).sort()).toEqual(['session-1/a', 'session-2/b']);
      expect((await others.get('session-2', 'b'))?.equals(long)).toBe(true);
      expect((await others.redact(redaction, 'remove')).length).toBe(2);
      expect([await names('session-1'), await names('session-2')]).toEqual([[], ['c']]);
      expect(await blobs.redact(redaction, 'find')).toEqual([]);
    });

    describe('outputs', () => {
      const read = async (from: Storage, path: string, scope?: string): Promise<string | undefined> => {
        const handle = await from.outputs.open(path, scope);
        if (!handle) return undefined;
        try {
          return await handle.readFile('utf8');
        } finally {
          await handle.close();
        }
      };

      it('a text that was kept is opened by its path, on the other one and in a home that was moved', async () => {
        const whole = `${'long '.repeat(50_000)}end`;
        const path = await storage.outputs.keep('session-1', 'call', whole);
        expect(await subject.readOutput(path)).toBe(whole);
        for (const from of [storage, other]) {
          expect(await read(from, path, 'session-1')).toBe(whole);
          expect(await read(from, path.replace(/^.*\/outputs\//, '/somewhere/else/outputs/'))).toBe(whole);
        }
      });

      it('a file that its tool made is opened elsewhere once it was shared', async () => {
        const path = await storage.outputs.place('session-1', 'picture.png');
        await writeFile(path, large);
        await storage.outputs.share([path, `${path}-absent`, '/etc/passwd']);
        const handle = await other.outputs.open(path);
        expect((await handle?.readFile())?.equals(large)).toBe(true);
        await handle?.close();
      });

      it('opens nothing else: another session, another path, a path that leads out, a link', async () => {
        const path = await storage.outputs.keep('session-1', 'call', 'whole');
        for (const wrong of [
          '/etc/passwd',
          path.replace('session-1', '..'),
          path.replace(/[^/]+$/, '..'),
          `${path}/x`,
          `${path}-no`,
        ])
          expect(await read(other, wrong), wrong).toBeUndefined();
        expect(await read(other, path, 'session-2')).toBeUndefined();
        const planted = await storage.outputs.place('session-1', 'link');
        const { symlink } = await import('node:fs/promises');
        await symlink('/etc/passwd', `${planted}.tmp`);
        await rename(`${planted}.tmp`, planted);
        expect(await read(storage, planted)).toBeUndefined();
      });

      it('removed with their session, they are gone for both', async () => {
        const path = await storage.outputs.keep('session-1', 'call', 'whole');
        const kept = await storage.outputs.keep('session-2', 'call', 'other');
        await storage.outputs.remove('session-1');
        expect([await read(storage, path), await read(other, path)]).toEqual([undefined, undefined]);
        expect(await read(other, kept)).toBe('other');
      });

      it('one that holds a text to be forgotten is named once, and gone for both', async () => {
        const path = await storage.outputs.keep('session-1', 'call', 'the code is Rosebud');
        const redaction = createRedaction('rosebud');
        const name = path.split('/outputs/')[1] ?? '';
        expect(await storage.outputs.redact(redaction, 'find')).toEqual([{ place: 'kept output', name, count: 1 }]);
        await storage.outputs.redact(redaction, 'remove');
        expect([await read(storage, path), await read(other, path)]).toEqual([undefined, undefined]);
      });
    });
  });
}
