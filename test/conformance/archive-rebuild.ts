// Building the index again: whole, beside the old one, whatever happens meanwhile.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Archive, NewDocument, TermsOf } from '../../src/storage/archive.ts';
import { OWNER } from '../../src/vocabulary/memory-scope.ts';
import { type ArchiveSubject, type CreateArchive, documentOf, termsOf } from './archive-agreement.ts';

export function rebuildsIndex(create: CreateArchive): void {
  describe('a rebuild', () => {
    let subject: ArchiveSubject;
    let archive: Archive;
    let other: Archive;
    beforeEach(async () => {
      subject = await create();
      archive = subject.open().as(OWNER);
      other = subject.open().as(OWNER);
    });
    afterEach(() => subject.remove());
    const add = (...documents: NewDocument[]) => archive.add(documents, termsOf);
    const find = async (terms: string[], door = archive): Promise<string[]> =>
      (await door.read((await door.candidates(terms, 10)).ids)).map(({ text }) => text);
    const shouted: TermsOf = (chunk) => termsOf(chunk).map((term) => `${term}x`);

    it('makes the index of the new terms, and remembers their version', async () => {
      await add(documentOf('one', 'alpha'), documentOf('two', 'beta'));
      const seen: number[] = [];
      expect(await archive.rebuild(shouted, { version: '2', onProgress: ({ done }) => seen.push(done) })).toEqual({
        chunks: 2,
      });
      expect(seen.at(-1)).toBe(2);
      expect(await find(['alphax'], other)).toEqual(['alpha']);
      expect(await find(['alpha'], other)).toEqual([]);
      expect(await other.indexVersion()).toBe('2');
    });

    it('misses nothing that is saved or forgotten meanwhile', async () => {
      await add(...Array.from({ length: 1_200 }, (_, index) => documentOf(`d${index}`, `word${index} all`)));
      const meanwhile: Promise<unknown>[] = [];
      const onProgress = (): void => {
        if (meanwhile.length > 0) return;
        meanwhile.push(other.add([documentOf('late', 'late all')], termsOf), other.remove(['d3', 'd1100'], termsOf));
      };
      await archive.rebuild(termsOf, { version: '2', onProgress });
      await Promise.all(meanwhile);
      expect(await find(['late'], other)).toEqual(['late all']);
      expect(await find(['word3', 'word1100'], other)).toEqual([]);
      expect((await other.candidates(['all'], 2_000)).frequencies.get('all')).toBe(1_199);
    });

    it('that is stopped leaves the old index, and the next one continues it', async () => {
      await add(...Array.from({ length: 1_200 }, (_, index) => documentOf(`d${index}`, `word${index}`)));
      const stop = new AbortController();
      const stopped = archive.rebuild(shouted, {
        version: '2',
        signal: stop.signal,
        onProgress: () => stop.abort(new Error('enough')),
      });
      await expect(stopped).rejects.toThrow('enough');
      expect(await find(['word7'], other)).toEqual(['word7']);
      const copied: number[] = [];
      const onProgress = ({ done }: { done: number }): void => void copied.push(done);
      expect(await other.rebuild(shouted, { version: '2', onProgress })).toEqual({ chunks: 1_200 });
      expect(copied[0]).toBe(1_000);
      expect(await find(['word7x'])).toEqual(['word7']);
      expect(await find(['word1199x'])).toEqual(['word1199']);
    });

    it('to another version than the one that was stopped starts again', async () => {
      await add(...Array.from({ length: 1_200 }, (_, index) => documentOf(`d${index}`, `word${index}`)));
      const stop = new AbortController();
      const onProgress = (): void => stop.abort(new Error('enough'));
      await expect(archive.rebuild(shouted, { version: '2', signal: stop.signal, onProgress })).rejects.toThrow();
      await other.rebuild(termsOf, { version: '3' });
      expect(await find(['word7'])).toEqual(['word7']);
      expect(await find(['word7x'])).toEqual([]);
    });

    it('is left out where the index is of that version already', async () => {
      await add(documentOf('one', 'alpha'));
      const longer: TermsOf = (chunk) => termsOf(chunk).map((term) => `${term}x`);
      expect(await archive.rebuild(longer, { version: '2', unlessCurrent: true })).toEqual({ chunks: 1 });
      expect(await find(['alphax'], other)).toEqual(['alpha']);
      expect(await other.rebuild(termsOf, { version: '2', unlessCurrent: true })).toEqual({ chunks: 1 });
      expect(await find(['alphax'])).toEqual(['alpha']);
      expect(await find(['alpha'])).toEqual([]);
    });

    it('asked for twice at once is done twice, one after the other', async () => {
      await add(documentOf('one', 'alpha'));
      await Promise.all([archive.rebuild(termsOf, { version: '2' }), other.rebuild(termsOf, { version: '2' })]);
      expect(await find(['alpha'])).toEqual(['alpha']);
    });
  });
}
